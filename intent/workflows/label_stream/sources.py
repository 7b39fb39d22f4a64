"""Which logs can be labelled piece by piece, and under which settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.workflows.label_stream.pieces import Source

__all__ = ["open_source", "why_not_streamed"]

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
    given = [name for name in _WHOLE if settings.get(name)]
    if settings.get("eps") == "estimate":
        given.append("eps estimate")
    if settings.get("prior") == "sfem":
        given.append("prior sfem")
    return f"{given[0].replace('_', ' ')} looks at all play together" if given else ""


def open_source(path: Path, **settings: Any) -> Source | None:
    """The log as something to read in pieces; None where it has to be read at once."""
    from intent.logs.compact.opening import is_compact, open_compact
    from intent.workflows.label_stream.compact_pieces import CompactSource
    from intent.workflows.label_stream.folder_pieces import open_folder

    reads_otherwise = ("mapping", "cooperate", "payoff_kind", "game")
    if any(settings.get(name) for name in reads_otherwise):
        return None
    where, kept = settings.get("where") or {}, bool(settings.get("keep_defaulted"))
    if settings.get("format", "auto") in ("auto", "compact") and is_compact(path):
        log = open_compact(path)
        return CompactSource(log, where, kept) if log.n and log.rounds else None
    if settings.get("format", "auto") in ("auto", "gamelog") and not where:
        return open_folder(path, settings.get("others"), kept)
    return None
