"""Conditions such as ``game=prisoner-dilemma``: which rows of a column they accept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.errors import UnknownNameError

__all__ = ["accepted_rows", "as_options", "matches"]


def matches(column: pd.Series[Any], values: Sequence[str]) -> NDArray[np.bool_]:
    """(n,), whether each value, as text, is one of `values` (numbers and truth values by value)."""
    wanted = {str(v) for v in values}
    if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) == "boolean":
        column = column.astype("boolean")
    if pd.api.types.is_bool_dtype(column.dtype):
        names = {True: {"true", "1", "yes"}, False: {"false", "0", "no"}}
        folded = {w.casefold() for w in wanted}
        accepted = [truth for truth, texts in names.items() if texts & folded]
        return column.isin(accepted).to_numpy(dtype=bool)
    if pd.api.types.is_numeric_dtype(column.dtype):
        numbers = pd.to_numeric(pd.Series(sorted(wanted)), errors="coerce").dropna()
        return column.isin(numbers.tolist()).to_numpy(dtype=bool)
    return column.astype("string").isin(wanted).fillna(False).to_numpy(dtype=bool)


def accepted_rows(table: pd.DataFrame, conditions: Mapping[str, Sequence[str]]) -> NDArray[np.bool_]:
    """(n,), rows that have any of a column's values, for all of the columns.

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    """
    keep = np.ones(len(table), dtype=bool)
    for name, values in conditions.items():
        if name not in table.columns:
            raise UnknownNameError("column", name, map(str, table.columns))
        keep &= matches(table[name], values)
    return keep


def as_options(conditions: Mapping[str, Sequence[str]]) -> str:
    """Conditions as they were typed, for messages: ``game=chicken, seat=1``."""
    return ", ".join(f"{column}={value}" for column, values in conditions.items() for value in values)
