"""Reader of the compact form: a Parquet file, or a folder of parts, with one row per seat."""

from __future__ import annotations

from intent.errors import UsageError
from intent.logs.compact.gamelog import read_compact
from intent.logs.compact.opening import is_compact
from intent.logs.gamelog import GameLog
from intent.logs.readers.reader import Reader, Settings, Source

__all__ = ["READER"]


def recognises(source: Source, settings: Settings) -> bool:
    """Whether the source has the columns of a compact log."""
    return source.kind in ("folder", "parquet") and is_compact(source.path)


def read(source: Source, settings: Settings) -> GameLog:
    """The games of the compact log."""
    given = settings.to_json()
    given.pop("strict", None)
    if given:
        raise UsageError(f"{source.path} is a compact log and says itself what {', '.join(given)} would say")
    return read_compact(source.path)


READER = Reader("compact", "Parquet with game_id, seat and the lists own and other", recognises, read)
