"""Logs as Parquet folders that are written chunk by chunk."""

from __future__ import annotations

from itertools import pairwise

from intent import GameLog
from intent.logs.stores import ParquetLogWriter


def chunked(log, path, at):
    """The log as a folder whose row groups hold the games between the places in `at`."""
    with ParquetLogWriter(path, provenance=log.provenance) as writer:
        for a, b in pairwise(at):
            ids = set(log.games["game_id"][a:b])
            games, seats, moves = (t[t["game_id"].isin(ids)] for t in (log.games, log.seats, log.moves))
            writer.write(GameLog(games, seats, moves.assign(game_id=moves["game_id"].astype(str))))
    return path
