"""Games that meet a query, in its order."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from intent.errors import UnknownNameError
from intent.view.column import SeatColumn
from intent.view.extremes import extreme_games
from intent.view.filters import accepted
from intent.view.game_table import GameTable
from intent.view.query import Filter, Query

__all__ = ["found", "meeting"]

Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]


def found(table: GameTable, query: Query, base: tuple[Filter, ...] = ()) -> Rows:
    """Rows of the games that a query finds, all of them, in its order.

    Parameters
    ----------
    table : GameTable
    query : Query, whose offset and limit do not matter here
    base : tuple of Filter
        Conditions that hold beside those of the query.

    Raises
    ------
    UnknownNameError
        A column that does not exist.
    """
    jump: tuple[Filter, ...] = ()
    if query.jump not in (None, "extreme"):
        jump = (Filter("status", "=", str(query.jump)),)
    games, seats = meeting(table, base, query.filters, jump)
    if query.jump == "extreme":
        rows = extreme_games(table, games)
        return rows if query.sort is None else _sorted(table, query, np.sort(rows), seats)
    return _sorted(table, query, np.flatnonzero(games), seats)


def meeting(table: GameTable, *conditions: tuple[Filter, ...]) -> tuple[Flags, Flags]:
    """Games that meet all conditions (n_games,), and the seats by which they do (n_seats,).

    Within each set of conditions, those with "=" on one column are alternatives.

    Raises
    ------
    UnknownNameError
        A column that does not exist.
    """
    games = np.ones(len(table), dtype=bool)
    seats = np.ones(len(table.seat_game), dtype=bool)
    for group in (group for filters in conditions for group in _alternatives(filters)):
        name = group[0].column
        if name == "game_id":
            games &= np.any([_ids(table, one) for one in group], axis=0)
            continue
        where, column = _column(table, name)
        flags = np.any([accepted(column, one) for one in group], axis=0)
        if where == "games":
            games &= flags
        else:
            seats &= flags
    if not seats.all():
        games &= _any_seat(table, seats)
    return games, seats & games[table.seat_game]


def _alternatives(filters: tuple[Filter, ...]) -> list[list[Filter]]:
    """Filters of which one must hold, for each of the groups that must hold together."""
    groups: dict[str, list[Filter]] = defaultdict(list)
    for place, one in enumerate(filters):
        groups[one.column if one.op == "=" else f"\0{place}"].append(one)
    return list(groups.values())


def _column(table: GameTable, name: str) -> tuple[str, SeatColumn]:
    where = table.column(name)
    if where is None:
        known = dict.fromkeys(["game_id", *table.games, *table.seats, *table.computed])
        raise UnknownNameError("column", name, known)
    return where


def _any_seat(table: GameTable, seats: Flags) -> Flags:
    return np.bincount(table.seat_game[seats], minlength=len(table)).astype(bool)


def _ids(table: GameTable, one: Filter) -> Flags:
    codes = np.arange(len(table), dtype=np.int32)
    return accepted(SeatColumn("text", codes, table.ids), one)


def _sorted(table: GameTable, query: Query, rows: Rows, seats: Flags) -> Rows:
    """The rows by the column to sort by, null last; of a seat column, the first of the seats that met."""
    if query.sort is None:
        return rows[::-1] if query.descending else rows
    by_game = True
    if query.sort == "game_id":
        key = _ranks(SeatColumn("text", np.arange(len(table), dtype=np.int32), table.ids))
    else:
        where, column = _column(table, query.sort)
        key, by_game = _ranks(column), where == "games"
    key = -key if query.descending else key
    key = np.where(np.isnan(key), np.inf, key)
    if not by_game:
        lowest = np.full(len(table), np.inf)
        np.minimum.at(lowest, table.seat_game[seats], key[seats])
        key = lowest
    return rows[np.argsort(key[rows], kind="stable")]


def _ranks(column: SeatColumn) -> NDArray[np.float64]:
    """Numbers in the order of the values; texts in the order of their letters, case aside; null is NaN."""
    values, names = column.snapshot()
    if column.is_coded:
        order = sorted(range(len(names)), key=lambda i: (names[i].casefold(), names[i]))
        rank = np.full(len(names) + 1, np.nan)
        rank[order] = np.arange(len(names))
        ranks: NDArray[np.float64] = rank[values]
        return ranks
    if column.kind == "bool":
        return np.where(values < 0, np.nan, values.astype(float))
    numbers: NDArray[np.float64] = values
    return numbers
