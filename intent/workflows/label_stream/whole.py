"""Under which settings labels need the whole log at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["why_not_streamed"]

_WHOLE = ("eps_by", "conformal", "conformal_eps")


def why_not_streamed(output: Path | None, **settings: Any) -> str:
    """What makes the labels need the whole log at once; empty where nothing does.

    Parameters
    ----------
    output : path of the labels, or None
    **settings : as `label_log`
    """
    if output is not None and output.suffix != ".parquet":
        return f"{output.suffix} is written at once (.parquet is not)"
    if settings.get("per", "game") != "game":
        return "all games of a player are judged together"
    given = [name for name in _WHOLE if settings.get(name)]
    if settings.get("eps") == "estimate":
        given.append("eps estimate")
    if settings.get("prior") == "sfem":
        given.append("prior sfem")
    return f"{given[0].replace('_', ' ')} looks at all play together" if given else ""
