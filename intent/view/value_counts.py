"""How many rows have each value of a column, among those that a query leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.view.column_facts import column_facts
from intent.view.find import found, meeting
from intent.view.game_table import GameTable
from intent.view.query import Filter, Query

__all__ = ["value_counts"]

_Masks = tuple[NDArray[np.bool_], NDArray[np.bool_]]


def value_counts(table: GameTable, query: Query, base: tuple[Filter, ...] = ()) -> dict[str, dict[str, int]]:
    """Rows with each value of each column that has few, as they would be found if it were asked for.

    Conditions on a column are alternatives to each other, so those of the column itself do not narrow its
    own counts; those of all other columns, and the jump, do. Values that no row is left of are not named.

    Parameters
    ----------
    table : GameTable
    query : Query, whose order, offset and limit do not matter here
    base : tuple of Filter
        Conditions that hold beside those of the query.

    Returns
    -------
    dict of column -> value -> games (seats, for a column of seats or labels); "" stands for null

    Raises
    ------
    UnknownNameError
        A column that does not exist.
    """
    asked = {one.column for one in query.filters}
    every = _left(table, query, base, query.filters)
    counts = {}
    for name, (where, column) in table.columns().items():
        games, seats = every
        if name in asked:
            others = tuple(one for one in query.filters if one.column != name)
            games, seats = _left(table, query, base, others)
        facts = column_facts(name, where, column, games if where == "games" else seats, most=None)
        if facts.kind in ("category", "bool"):
            counts[name] = {**dict(facts.values), **({"": facts.n_null} if facts.n_null else {})}
    return counts


def _left(table: GameTable, query: Query, base: tuple[Filter, ...], filters: tuple[Filter, ...]) -> _Masks:
    """Games and seats that the jump and some filters leave."""
    if query.jump == "extreme":
        games, seats = meeting(table, base, filters)
        far: NDArray[Any] = np.zeros(len(table), dtype=bool)
        far[found(table, Query(filters, jump="extreme"), base)] = True
        return games & far, seats & far[table.seat_game]
    jump = (Filter("status", "=", query.jump),) if query.jump else ()
    return meeting(table, base, filters, jump)
