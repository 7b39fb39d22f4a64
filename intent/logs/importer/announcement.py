"""What a foreign log was read as, in a line, for whoever listens."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

__all__ = ["READINGS", "reading_line"]

_SHAPES = "intent.logs.importer.shapes:SHAPES"
"""Loaded by name: readers of tables, which shapes are made with, come by this module."""

READINGS = logging.getLogger("intent.readings")
"""Told, at level INFO, what a foreign log was read as. The command line shows it on standard error."""

_SHOWN = 160
"""Letters of the columns that a reading line lists."""


def reading_line(provenance: object) -> str:
    """What a foreign log was read as, in a line; empty of a log in a format of its own, or none at all.

    Parameters
    ----------
    provenance : what a log says of its origin
    """
    if not isinstance(provenance, Mapping) or provenance.get("format") != "import":
        return ""
    from intent.base.errors import one_line, shorten
    from intent.base.registry import loaded

    mapping = provenance.get("mapping")
    shape = loaded(_SHAPES).get(str(mapping.get("shape"))) if isinstance(mapping, Mapping) else None
    if not isinstance(mapping, Mapping) or shape is None:
        return ""
    columns = ", ".join(f"{ours}={theirs}" for ours, theirs in mapping.get("columns", {}).items())
    by = f", games also by {', '.join(mapping['by'])}" if mapping.get("by") else ""
    name = one_line(Path(str(provenance.get("source"))).name, 60)
    line = f"{name} is read as {shape.what}: {shorten(one_line(columns + by, 1000), _SHOWN)}"
    if mapping.get("cooperate"):
        line += f"; {one_line(mapping['cooperate'], 40)} is cooperation"
    elif mapping.get("payoff_kind"):
        line += f"; cooperation follows from payoffs, each a {mapping['payoff_kind']}"
    return f"{line} (intent import says why)"
