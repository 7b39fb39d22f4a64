"""What a column holds, for a page that offers its values."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from intent.logs.column_kinds import LIST_SEPARATOR
from intent.view.column import SeatColumn
from intent.view.query import ColumnFacts

__all__ = ["column_facts"]

_MOST_VALUES = 100
_FEW = 200
"""A text column of at most so many values is a category."""


def column_facts(
    name: str,
    table: Literal["games", "seats", "labels"],
    column: SeatColumn,
    rows: NDArray[np.bool_],
    most: int | None = _MOST_VALUES,
) -> ColumnFacts:
    """Kind and values of a column.

    Parameters
    ----------
    name, table : as `ColumnFacts`
    column : SeatColumn of n rows
    rows : (n,) bool, those to count
    most : int or None
        Values that are named, the most frequent; None: all of a category.
    """
    every, names = column.snapshot()
    values = every[rows]
    if column.is_coded:
        counts = np.bincount(values[values >= 0], minlength=len(names))
        if column.kind == "list":
            names, counts = _items(names, counts)
        null = int((values < 0).sum())
        n_values = int((counts > 0).sum())
        if len(names) > _FEW:
            return ColumnFacts(name, table, "text", n_values=n_values, n_null=null)
        order = sorted(range(len(names)), key=lambda i: (-counts[i], names[i]))
        told = tuple((names[i], int(counts[i])) for i in order if counts[i])
        return ColumnFacts(name, table, "category", told[:most], n_values, n_null=null)
    if column.kind == "bool":
        truths = [(word, int((values == code).sum())) for word, code in (("true", 1), ("false", 0))]
        shown = tuple((word, n) for word, n in truths if n)
        return ColumnFacts(name, table, "bool", shown, len(shown), n_null=int((values < 0).sum()))
    known = values[~np.isnan(values)]
    null = len(values) - len(known)
    if not len(known):
        return ColumnFacts(name, table, "number", n_null=null)
    return ColumnFacts(name, table, "number", (), 0, float(known.min()), float(known.max()), null)


def _items(names: list[str], counts: NDArray[Any]) -> tuple[list[str], NDArray[Any]]:
    """Items of lists, and how many lists hold each."""
    totals: dict[str, int] = {}
    for text, count in zip(names, counts.tolist(), strict=True):
        for item in text.split(LIST_SEPARATOR) if text else []:
            totals[item] = totals.get(item, 0) + count
    return list(totals), np.array(list(totals.values()), dtype=np.int64)
