"""Names by which a run keeps its sets of prompts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from intent.workflows.experiment.merge import NAMED_PROMPTS

__all__ = ["prompt_names"]


def prompt_names(sources: Iterable[str]) -> dict[str, str]:
    """Source of prompts -> a short name that a file can have, different for different sources.

    Examples
    --------
    >>> prompt_names(["intent", "/data/templates", "/mine/templates"])
    {'intent': 'intent', '/data/templates': 'templates', '/mine/templates': 'templates-2'}
    """
    names: dict[str, str] = {}
    for source in dict.fromkeys(sources):
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(source).name).strip("-")[:60] or "prompts"
        name, number = stem, 1
        while name in names.values() or (name in NAMED_PROMPTS and source != name):
            number += 1
            name = f"{stem}-{number}"
        names[source] = name
    return names
