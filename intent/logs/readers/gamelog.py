"""Reader of our own logs: a Parquet or CSV folder, a zip of either, or JSON lines."""

from __future__ import annotations

from intent.errors import UsageError
from intent.logs.gamelog import GameLog
from intent.logs.readers.reader import Reader, Settings, Source
from intent.logs.stores import read_gamelog

__all__ = ["READER"]


def recognises(source: Source, settings: Settings) -> bool:
    """Whether the source is a folder, a zip or JSON lines: no foreign format comes so."""
    return source.kind in ("folder", "zip") or source.is_json


def read(source: Source, settings: Settings) -> GameLog:
    """The stored log, as it is."""
    given = settings.to_json()
    given.pop("strict", None)
    if given:
        raise UsageError(
            f"{source.path} is a log of our own and says itself what {', '.join(given)} would say"
        )
    return read_gamelog(source.path)


READER = Reader("gamelog", "a folder or zip with games, seats and moves, or JSON lines", recognises, read)
