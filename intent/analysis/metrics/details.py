"""What an architecture recorded of a decision: the column ``details`` of the moves."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["read_details"]

_LONGEST = 100_000
"""Characters of a cell that are read; an architecture writes a few hundred."""


def read_details(cell: object) -> dict[str, Any]:
    """The facts in a cell of details, untrusted text; none where it is no JSON object.

    Examples
    --------
    >>> read_details('{"status": "called"}'), read_details("called")
    ({'status': 'called'}, {})
    """
    try:
        found = json.loads(cell[:_LONGEST]) if isinstance(cell, str) else None
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
