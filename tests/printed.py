"""What a command prints with ``--json``, without the version in front that all of them have."""

from __future__ import annotations

import json
from typing import Any

from intent.base.codebook import CODEBOOK_VERSION


def printed(text: str) -> dict[str, Any]:
    """The object that was printed, as `codebook.JSON_OBJECTS` describes it."""
    (first, version), *rest = json.loads(text).items()
    assert (first, version) == ("codebook_version", CODEBOOK_VERSION)
    return dict(rest)
