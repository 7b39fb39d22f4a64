"""The table of metrics made game by game, some thousand games at a time, by any number of workers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.metrics.comprehension import comprehension, question_columns
from intent.analysis.metrics.table import metrics_table
from intent.logs.gamelog import GameLog
from intent.logs.trajectories import Trajectories
from intent.parallel import SERIAL, Workers

__all__ = ["CHUNK", "chunked_metrics"]

CHUNK = 10_000
"""Games of one piece of work."""


def chunked_metrics(
    log: GameLog,
    X: Trajectories,
    *,
    keep_defaulted: bool = False,
    questions: pd.DataFrame | None = None,
    workers: Workers = SERIAL,
    chunk: int = CHUNK,
) -> pd.DataFrame:
    """The table that `metrics_table` makes of the whole log, row for row.

    No metric looks beyond its game. So memory beside the log is that of a few pieces for each worker.

    Parameters
    ----------
    log, X, keep_defaulted, questions : as `metrics_table`
    workers : Workers
    chunk : int
        Games of one piece.
    """
    if len(log) <= chunk:
        return metrics_table(log, X, keep_defaulted=keep_defaulted, questions=questions)
    assert X.keys is not None
    rows: list[NDArray[np.intp]] = []

    def pieces() -> Iterator[tuple[GameLog, Trajectories]]:
        for some, own in _parts(log, X, chunk):
            rows.append(own)
            yield some, X[own]

    made = partial(_table, keep_defaulted)
    tables = [table for table in workers.map(made, pieces()) if len(table)]
    table = pd.concat(tables, ignore_index=True) if tables else metrics_table(log, X)
    order = np.argsort(np.concatenate(rows), kind="stable")
    if (order != np.arange(len(order))).any():
        table = table.take(order).reset_index(drop=True)
    asked = log.questions if questions is None else questions
    if asked is None or not len(asked):
        return table
    told = question_columns(comprehension(asked), X.keys.reset_index(drop=True))
    return pd.concat([table, told], axis=1)


def _table(keep_defaulted: bool, piece: tuple[GameLog, Trajectories]) -> pd.DataFrame:
    return metrics_table(*piece, keep_defaulted=keep_defaulted)


def _parts(log: GameLog, X: Trajectories, chunk: int) -> Iterator[tuple[GameLog, NDArray[np.intp]]]:
    """Logs of some games each, in their order and without questions, and the rows of their trajectories."""
    assert X.keys is not None
    ids = pd.Index(log.games["game_id"])
    tables = {name: getattr(log, name) for name in ("seats", "moves")}
    games = {name: _of(ids, table["game_id"]) for name, table in (*tables.items(), ("keys", X.keys))}
    order = {name: np.argsort(codes, kind="stable") for name, codes in games.items()}
    games = {name: codes[order[name]] for name, codes in games.items()}
    for first in range(0, len(log), chunk):
        own = {}
        for name, codes in games.items():
            low, high = np.searchsorted(codes, [first, first + chunk])
            own[name] = np.sort(order[name][low:high])
        part = {name: table.iloc[own[name]] for name, table in tables.items()}
        yield GameLog(log.games.iloc[first : first + chunk], **part), own["keys"]


def _of(ids: pd.Index, column: pd.Series) -> NDArray[np.intp]:
    return np.asarray(ids.get_indexer(pd.Index(column)), dtype=np.intp)
