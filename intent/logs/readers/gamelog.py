"""Reader of our own logs: a Parquet or CSV folder, a zip of either, or JSON lines."""

from __future__ import annotations

from intent.errors import UsageError
from intent.logs.gamelog import GameLog
from intent.logs.readers.reader import Reader, Settings, Source
from intent.logs.rejects import Rejects
from intent.logs.stores import read_gamelog
from intent.logs.stores.jsonl import read_jsonl

__all__ = ["READER"]


def recognises(source: Source, settings: Settings) -> bool:
    """Whether the source is a folder, a zip or JSON lines: no foreign format comes so."""
    return source.kind in ("folder", "zip") or source.is_json


def read(source: Source, settings: Settings) -> GameLog:
    """The stored log, as it is; of JSON lines, those that are no game go to the rejects."""
    given = settings.to_json()
    given.pop("strict", None)
    if given:
        raise UsageError(
            f"{source.path} is a log of our own and says itself what {', '.join(given)} would say"
        )
    if not source.is_json:
        return read_gamelog(source.path)
    rejects = Rejects(source.path, strict=settings.strict)
    log = read_jsonl(source.path, rejects)
    log.rejects = rejects.table(len(log))
    return log


READER = Reader("gamelog", "a folder or zip with games, seats and moves, or JSON lines", recognises, read)
