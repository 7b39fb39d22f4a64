"""Columns that a FAIRGAME file has beyond FAIRGAME's own, above all in files that we wrote."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent import schema
from intent.logs.delimited import Delimited
from intent.logs.readers.cells import texts, typed, whole_numbers
from intent.logs.readers.fairgame_told import TOLD_COLUMNS
from intent.logs.readers.list_cells import parse_texts
from intent.logs.readers.play import Play

__all__ = ["column_values", "defaulted", "further_agent_columns", "is_own", "own_ids", "own_repetition"]

_TEXTS = {column.name for column in (*schema.GAMES, *schema.SEATS) if column.kind == "string"}


def is_own(table: Delimited) -> bool:
    """Whether `write_fairgame_csv` wrote the file."""
    return set(TOLD_COLUMNS) <= table.columns.keys()


def own_ids(table: Delimited) -> pd.Series[str] | None:
    """(n,), the identifiers of a file that we wrote; None where they have to be minted."""
    if not is_own(table) or "game_id" not in table.columns:
        return None
    ids = texts(table.columns["game_id"])
    return ids if ids.notna().all() and ids.is_unique else None


def own_repetition(table: Delimited) -> Any | None:
    """(n,) int64, numbers of repeats in a file that we wrote; None where they have to be counted."""
    if not is_own(table) or "repetition" not in table.columns:
        return None
    number, missing = whole_numbers(table.columns["repetition"])
    return None if missing.any() or (number < 1).any() else number


def defaulted(table: Delimited, rows: NDArray[np.intp], play: Play) -> NDArray[np.bool_]:
    """(m, N), the moves that a file of ours says were put in the place of an unreadable reply."""
    marked = np.zeros(play.actions.shape, dtype=bool)
    for seat in range(play.n_seats):
        name = f"agent{seat + 1}_statuses"
        if is_own(table) and name in table.columns:
            cells = parse_texts(table.columns[name].take(pa.array(rows)))
            games = np.flatnonzero(cells.lengths == play.lengths)
            code = {label: i for i, label in enumerate(cells.labels)}.get("defaulted", -1)
            marked[np.isin(play.game, games), seat] = cells.flat(games) == code
    return marked & (play.actions >= 0)


def further_agent_columns(table: Delimited, n_seats: int, known: set[str]) -> list[str]:
    """Names N of columns ``agent1_N`` to ``agent<n_seats>_N`` that FAIRGAME does not have."""
    names = [match[1] for match in map(re.compile(r"agent1_(.+)").fullmatch, table.columns) if match]
    return [
        name
        for name in names
        if name not in known and all(f"agent{i}_{name}" in table.columns for i in range(1, n_seats + 1))
    ]


def column_values(name: str, column: pa.Array) -> pd.Series[Any]:
    """The values of a column of games or seats; texts of the codebook stay texts."""
    return texts(column) if name in _TEXTS else typed(column)
