"""Columns of text to typed columns: whole numbers, numbers, truth values or texts, by their values."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.logs.tables import TEXT

__all__ = ["by_value", "texts", "truths", "typed", "whole_numbers"]

_WHOLE = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})", re.ASCII)
_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9]\d{0,40})(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][-+]?\d{1,3})?", re.ASCII)
_TRUTH = {"true": 1, "false": 0}


def by_value(column: pa.Array) -> tuple[NDArray[np.intp], list[str]]:
    """Codes of the rows and the distinct stripped texts; nulls count as empty texts."""
    coded = column.fill_null("").dictionary_encode()
    values = [value.strip() for value in coded.dictionary.to_pylist()]
    return coded.indices.to_numpy(zero_copy_only=False).astype(np.intp), values


def texts(column: pa.Array) -> pd.Series[str]:
    """The texts; empty ones become null."""
    codes, values = by_value(column)
    return _texts(codes, values)


def whole_numbers(column: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Whole numbers (such as 10 or 10.0) and where there are none."""
    codes, values = by_value(column)
    numbers = np.zeros(len(values), dtype=np.int64)
    bad = np.ones(len(values), dtype=bool)
    for i, value in enumerate(values):
        plain = re.sub(r"\.0*\Z", "", value) if len(value) < 32 else value
        if _WHOLE.fullmatch(plain):
            numbers[i], bad[i] = int(plain), False
    return numbers[codes], bad[codes]


def truths(column: pa.Array) -> tuple[pd.Series[bool], NDArray[np.bool_]]:
    """Truth values written true or false (case ignored), null where empty, and which are neither."""
    codes, values = by_value(column)
    read = np.array([_TRUTH.get(value.casefold(), -1 if not value else -2) for value in values] or [-1])
    row = read[codes]
    return pd.Series(pd.arrays.BooleanArray(row == 1, row < 0)), row == -2


def typed(column: pa.Array | Sequence[str | None]) -> pd.Series:
    """The column as Int64, float64, boolean or str, the narrowest that holds every value.

    Numbers with leading zeros are names and stay texts.
    """
    array = column if isinstance(column, pa.Array) else pa.array(list(column), pa.string())
    codes, values = by_value(array)
    given = [value for value in values if value]
    empty = np.array([not value for value in values] or [True], dtype=bool)
    mask = empty[codes] if len(values) else np.zeros(0, dtype=bool)
    if not given:
        return _texts(codes, values)
    if all(value.casefold() in _TRUTH for value in given):
        read = np.array([_TRUTH.get(value.casefold(), 0) == 1 for value in values])
        return pd.Series(pd.arrays.BooleanArray(read[codes], mask))
    if all(_WHOLE.fullmatch(value) for value in given):
        whole = np.array([int(value) if value else 0 for value in values], dtype=np.int64)
        return pd.Series(pd.arrays.IntegerArray(whole[codes], mask))
    if all(_NUMBER.fullmatch(value) for value in given):
        return pd.Series(np.array([float(value) if value else np.nan for value in values])[codes])
    return _texts(codes, values)


def _texts(codes: NDArray[np.intp], values: Sequence[str]) -> pd.Series[str]:
    pool = pd.array([value or None for value in values], dtype=TEXT)
    return pd.Series(pool.take(codes) if len(values) else pd.array([], dtype=TEXT))
