"""Logs larger than memory: which can be read piece by piece, and what a piece holds.

Which logs can be read piece by piece.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.logs.chunks import Source
    from intent.logs.compact import CompactLog


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
    from intent.logs.chunks import open_folder
    from intent.logs.compact import is_compact, open_compact
    from intent.logs.compact_chunks import CompactSource

    reads_otherwise = ("mapping", "cooperate", "payoff_kind", "game")
    if any(settings.get(name) for name in reads_otherwise):
        return None
    where, keep_defaulted = settings.get("where") or {}, bool(settings.get("keep_defaulted"))
    if settings.get("format", "auto") in ("auto", "compact") and is_compact(path):
        log = open_compact(path)
        if not log.n or not log.rounds or not _alike(log):
            return None
        return CompactSource(log, where, keep_defaulted)
    if settings.get("format", "auto") in ("auto", "gamelog"):
        return open_folder(path, settings.get("others"), keep_defaulted, where)
    return None


def _alike(log: CompactLog) -> bool:
    """Whether what describes the rows has one form in all parts, and one that labels keep.

    Raises
    ------
    DataError
        It has not, and there are more moves than can be read at once.
    """
    from intent.base.errors import DataError, located
    from intent.logs.readers.gamelog import LIMIT_MOVES

    forms = [_forms(facts.schema.to_arrow_schema()) for facts in log.files]
    for part, form in zip(log.parts, forms, strict=True):
        if form == forms[0] and "" not in form.values():
            continue
        if log.n * log.rounds <= LIMIT_MOVES:
            return False
        named = sorted(
            {c for c, _ in form.items() ^ forms[0].items()} or {c for c, f in form.items() if not f}
        )
        what = f"column {named[0]!r} is missing or of another type than in {log.parts[0].name}"
        if form == forms[0]:
            what = f"column {named[0]!r} holds durations, or whole numbers without a sign"
        raise DataError(located(part, f"{what}, which a log of {log.n:,} rows may not have"))
    return True


def _forms(schema: Any) -> dict[str, str]:
    """Column that is no list of moves -> its type, texts of any kind alike; empty where a file loses it."""
    import pyarrow as pa

    from intent.logs.chunks import said_text
    from intent.logs.compact import MOVES

    def form(kind: pa.DataType) -> str:
        lost = pa.types.is_duration(kind) or pa.types.is_uint64(kind)
        return "" if lost else "text" if said_text(kind) else str(kind)

    return {c.name: form(c.type) for c in schema if c.name not in (*MOVES, "seat", "decided")}
