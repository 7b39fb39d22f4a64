"""Groups of rows: the distinct values of one or several columns, in an order that stays the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UnknownNameError, UsageError

__all__ = ["MAX_GROUPS", "NONE", "Grouping", "cluster_codes", "group_name", "grouping", "stream_of_test"]

NONE = "(none)"
"""The group of rows that have no value."""

MAX_GROUPS = 50
_MAX_FRACTIONS = 20


@dataclass(frozen=True, eq=False)
class Grouping:
    """A partition of rows.

    Parameters
    ----------
    columns : tuple of str
        The factors; none makes one group of all rows.
    values : tuple of tuples
        The value of every factor, one tuple per group, sorted.
    codes : (n,) intp
        Group of each row.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    codes: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.values)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(groups, k) sums of (n, k) values."""
        columns = [np.bincount(self.codes, weights=column, minlength=len(self)) for column in values.T]
        return np.stack(columns, axis=1).astype(float)


def grouping(table: pd.DataFrame, columns: Sequence[str]) -> Grouping:
    """Rows grouped by the joint values of columns; only combinations that occur make a group.

    Raises
    ------
    UnknownNameError
        A column that the table does not have; the nearest names are suggested.
    UsageError
        A column is named twice, has more than 50 distinct values, or is a continuous number.
    """
    codes = np.zeros(len(table), dtype=np.intp)
    levels: list[tuple[Any, ...]] = []
    for i, column in enumerate(columns):
        if column not in table.columns:
            raise UnknownNameError("column", column, map(str, table.columns))
        if column in columns[:i]:
            raise UsageError(f"column {column!r} is named twice, expected different columns to group by")
        own, own_levels = _levels(table[column], column)
        codes = codes * len(own_levels) + own
        levels.append(own_levels)
    present, codes = np.unique(codes, return_inverse=True)
    shape = tuple(len(own_levels) for own_levels in levels)
    places = np.unravel_index(present, shape) if shape else ()
    values = tuple(tuple(levels[i][p] for i, p in enumerate(place)) for place in zip(*places, strict=True))
    return Grouping(tuple(columns), values or ((),), codes)


def cluster_codes(table: pd.DataFrame, columns: Sequence[str]) -> NDArray[np.intp]:
    """(n,), number of the cluster of each row; a row with a null is a cluster of its own.

    No columns: every row is a cluster.

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    """
    codes = np.zeros(len(table), dtype=np.intp) if columns else np.arange(len(table))
    alone = np.zeros(len(table), dtype=bool)
    for column in columns:
        if column not in table.columns:
            raise UnknownNameError("column", column, map(str, table.columns))
        own, values = pd.factorize(_hashable(table[column]))
        alone |= own < 0
        codes = np.unique(codes * (len(values) + 1) + own, return_inverse=True)[1]
    codes[alone] = len(table) + np.arange(alone.sum())
    return np.unique(codes, return_inverse=True)[1]


def _levels(column: pd.Series[Any], name: str) -> tuple[NDArray[np.intp], tuple[Any, ...]]:
    """Code of each row and the sorted distinct values, nulls last as `NONE`."""
    column = _hashable(column)
    if isinstance(column.dtype, pd.CategoricalDtype) and not column.cat.ordered:
        column = column.astype(column.cat.categories.dtype)
    raw, uniques = pd.factorize(column, sort=not isinstance(column.dtype, pd.CategoricalDtype))
    if isinstance(column.dtype, pd.CategoricalDtype):
        present = np.flatnonzero(
            np.bincount(column.cat.codes[raw >= 0], minlength=len(column.cat.categories))
        )
        rank = np.searchsorted(present, column.cat.codes)
        raw = np.where(raw >= 0, rank, -1)
        uniques = column.cat.categories[present]
    levels = [value.item() if isinstance(value, np.generic) else value for value in uniques]
    if isinstance(column.dtype, np.dtype) and column.dtype.kind == "f":
        whole = all(float(value).is_integer() for value in levels)
        if not whole and len(levels) > _MAX_FRACTIONS:
            raise UsageError(
                f"column {name!r} is a continuous number ({len(levels)} values), expected a column of "
                f"categories to group by; --metric {name} compares its mean"
            )
        levels = [int(value) for value in levels] if whole else levels
    if len(levels) > MAX_GROUPS:
        raise UsageError(
            f"column {name!r} has {len(levels)} distinct values, expected at most {MAX_GROUPS} to group by"
        )
    codes = np.where(raw < 0, len(levels), raw).astype(np.intp)
    return codes, tuple(levels) + ((NONE,) if (raw < 0).any() else ())


def _hashable(column: pd.Series[Any]) -> pd.Series[Any]:
    """The column, lists in it turned into text."""
    if column.dtype != object:
        return column
    cells = [" + ".join(map(str, c)) if isinstance(c, list | tuple | np.ndarray) else c for c in column]
    kinds = {type(c) for c in cells if not pd.isna(c)}
    if len(kinds) > 1:
        cells = [c if pd.isna(c) else str(c) for c in cells]
    return pd.Series(cells, index=column.index, dtype=object)


def group_name(values: Sequence[Any]) -> str:
    """A group in words: its values joined by a middle dot."""
    return " · ".join(map(str, values)) if values else "all"


def stream_of_test(seed: int, *names: str) -> np.random.Generator:
    """Random numbers of one test, named by factor and kind of unit: wherever it is shown, it has one p."""
    return np.random.default_rng([seed, *(crc32(name.encode()) for name in names)])
