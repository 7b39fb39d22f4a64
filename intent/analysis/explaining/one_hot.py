"""Features of a table as the columns of a regression: one per level, and the way back to the feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.groups import NONE
from intent.errors import DataError, UnknownNameError, UsageError

__all__ = ["Design", "design"]

_MOST_LEVELS = 50
_FEW_NUMBERS = 12
"""Distinct numbers up to which each is a level of its own, as 10 and 20 rounds are."""

_PARTS = 4


@dataclass(frozen=True, eq=False)
class Design:
    """The rows of a regression.

    Attributes
    ----------
    features : (F,) names
    levels : for each feature, the names of its levels
    codes : (n, F) intp, level of each row
    columns : (n, p) float, 0 and 1; a feature of many numbers has one column that holds them
    owner : (p,) intp, the feature that each column belongs to
    """

    features: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    codes: NDArray[np.intp]
    columns: NDArray[np.float64]
    owner: NDArray[np.intp]

    def by_feature(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(m, F) sums over the columns of each feature of (m, p) values."""
        sums = np.zeros((len(values), len(self.features)))
        np.add.at(sums.T, self.owner, values.T)
        return sums


def design(table: pd.DataFrame, features: Sequence[str]) -> Design:
    """One column per level of each feature; rows without a value are the level ``(none)``.

    Numbers of at most 12 distinct values are levels too (rounds played, a scale of payoffs). More of them
    stay numbers in one column, and their levels, by which results are told, hold a quarter of the rows each.

    Parameters
    ----------
    table : DataFrame of n rows
    features : names of F of its columns

    Raises
    ------
    UnknownNameError
        No such column.
    UsageError
        A column named twice, or text of more than 50 values.
    DataError
        A column of many numbers has nulls.
    """
    levels, codes, columns, owner = [], [], [], []
    for f, name in enumerate(features):
        if name not in table.columns:
            raise UnknownNameError("column", name, map(str, table.columns))
        if name in features[:f]:
            raise UsageError(f"feature {name!r} is named twice")
        names, own, made = _feature(table[name], name)
        levels.append(names)
        codes.append(own)
        columns.append(made)
        owner += [f] * made.shape[1]
    n = len(table)
    return Design(
        tuple(features),
        tuple(levels),
        np.stack(codes, axis=1) if codes else np.zeros((n, 0), dtype=np.intp),
        np.concatenate(columns, axis=1) if columns else np.zeros((n, 0)),
        np.array(owner, dtype=np.intp),
    )


def _feature(column: pd.Series, name: str) -> tuple[tuple[str, ...], NDArray[np.intp], NDArray[np.float64]]:
    """Levels of a column, the level of each row, and the columns that it becomes."""
    kind = column.dtype
    numeric = pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)
    known = column.notna().to_numpy()
    found = column[known].to_numpy(dtype=float) if numeric else column[known].astype(str).to_numpy(dtype=str)
    distinct, inverse = np.unique(found, return_inverse=True)
    if numeric and len(distinct) > _FEW_NUMBERS:
        return _numbers(found, known, name)
    if len(distinct) > _MOST_LEVELS:
        raise UsageError(f"feature {name!r} has {len(distinct):,} levels, expected at most {_MOST_LEVELS}")
    texts = [f"{value:g}" if numeric else str(value) for value in distinct]
    codes = np.full(len(column), len(distinct), dtype=np.intp)
    codes[known] = inverse
    names = (*texts, *([NONE] if not known.all() else []))
    return names, codes, (codes[:, None] == np.arange(len(names))).astype(float)


def _numbers(
    values: NDArray[np.float64], known: NDArray[np.bool_], name: str
) -> tuple[tuple[str, ...], NDArray[np.intp], NDArray[np.float64]]:
    if not known.all():
        raise DataError(f"feature {name!r} has nulls among many numbers, expected a number in every row")
    inner = np.unique(np.quantile(values, np.arange(1, _PARTS) / _PARTS))
    codes = np.searchsorted(inner, values, side="left")
    ends = [f"up to {inner[0]:g}", *(f"{a:g} to {b:g}" for a, b in pairwise(inner))]
    return (*ends, f"over {inner[-1]:g}"), codes.astype(np.intp), values[:, None]
