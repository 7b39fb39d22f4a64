"""The seat that a row of a log's tables is about, and who sits opposite."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.logs.gamelog import GameLog

__all__ = ["opponents", "seat_rows"]


def seat_rows(log: GameLog, table: pd.DataFrame) -> NDArray[np.intp]:
    """(n,) row in the table of seats of the seat that each row of another table is about.

    Parameters
    ----------
    log : GameLog
    table : DataFrame with game_id and seat, such as the moves
    """
    ids, seats = pd.Index(log.games["game_id"]), log.seats["seat"].to_numpy(dtype=np.intp)
    width = int(seats.max(initial=0)) + 1
    place = np.full(len(ids) * width, -1, dtype=np.intp)
    place[ids.get_indexer(pd.Index(log.seats["game_id"])) * width + seats] = np.arange(len(seats))
    column = table["game_id"]
    if isinstance(column.dtype, pd.CategoricalDtype):
        games = ids.get_indexer(column.cat.categories)[column.cat.codes.to_numpy()]
    else:
        games = ids.get_indexer(pd.Index(column))
    found: NDArray[np.intp] = place[games * width + table["seat"].to_numpy(dtype=np.intp)]
    return found


def opponents(log: GameLog) -> NDArray[np.object_]:
    """(n_seats,) strategy or model of the only other seat, else None; by row of the table of seats."""
    seats = log.seats
    games = pd.Index(log.games["game_id"]).get_indexer(pd.Index(seats["game_id"]))
    rows = np.arange(len(seats))
    sums = np.bincount(games, weights=rows, minlength=len(log.games)).astype(np.intp)
    two = np.bincount(games, minlength=len(log.games))[games] == 2
    names = seats["strategy"].astype(object).where(seats["strategy"].notna(), seats["model"].astype(object))
    named = names.where(names.notna(), None).to_numpy(dtype=object)
    found = np.full(len(seats), None, dtype=object)
    found[two] = named[(sums[games] - rows)[two]]
    return found
