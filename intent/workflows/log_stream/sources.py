"""Which logs can be read piece by piece."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.workflows.log_stream.pieces import Source

__all__ = ["PIECE", "open_source"]

PIECE = 1 << 17
"""Rows of a piece, at least one row group."""


def open_source(path: Path, **settings: Any) -> Source | None:
    """The log as something to read in pieces; None where it has to be read at once.

    Parameters
    ----------
    path : Path
    **settings
        Those of `focal_play` and `read_log`: with a mapping of columns, or another way to tell what is
        cooperative, a log is read at once.

    Raises
    ------
    DataError, LimitError
        A compact log that is broken.
    UnknownNameError
        A condition (`where`) on a column that the log does not have.
    """
    from intent.logs.compact.opening import is_compact, open_compact
    from intent.workflows.log_stream.compact_pieces import CompactSource
    from intent.workflows.log_stream.folder_pieces import open_folder

    reads_otherwise = ("mapping", "cooperate", "payoff_kind", "game")
    if any(settings.get(name) for name in reads_otherwise):
        return None
    where, kept = settings.get("where") or {}, bool(settings.get("keep_defaulted"))
    if settings.get("format", "auto") in ("auto", "compact") and is_compact(path):
        log = open_compact(path)
        return CompactSource(log, where, kept) if log.n and log.rounds else None
    if settings.get("format", "auto") in ("auto", "gamelog"):
        return open_folder(path, settings.get("others"), kept, where)
    return None
