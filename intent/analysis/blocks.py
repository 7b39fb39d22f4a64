"""Blocks: rows alike in some columns, so that a factor is compared at equal model, persona and game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.groups import NONE
from intent.errors import UnknownNameError

__all__ = ["block_codes", "block_sets", "informative_rows"]

Codes = NDArray[np.intp]


def block_codes(table: pd.DataFrame, columns: Sequence[str]) -> Codes:
    """(n,), number of the block of each row: rows with equal values in all columns; nulls are equal.

    No columns: one block of all rows.

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    """
    codes = np.zeros(len(table), dtype=np.intp)
    for column in columns:
        if column not in table.columns:
            raise UnknownNameError("column", column, map(str, table.columns))
        own = _value_codes(table[column])
        codes = np.unique(codes * (int(own.max(initial=-1)) + 2) + own, return_inverse=True)[1]
    return codes


def _value_codes(column: pd.Series[Any]) -> Codes:
    """(n,), values as text, numbered as they first occur; only the distinct ones are made text."""
    if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) != "string":
        column = column.where(column.notna(), NONE).map(str)
    raw, found = pd.factorize(column)
    names = pd.factorize(np.array([*map(str, found), NONE], dtype=object))[0]
    codes: Codes = pd.factorize(names[raw])[0]
    return codes


def informative_rows(codes: Codes, blocks: Codes) -> NDArray[np.bool_]:
    """(n,), rows of blocks in which the factor has two levels or more; the others say nothing of it.

    Parameters
    ----------
    codes : (n,) int
        Level of the factor in each row.
    blocks : (n,) int
    """
    block = np.unique(blocks, return_inverse=True)[1]
    least = np.full(int(block.max(initial=0)) + 1, np.iinfo(np.intp).max, dtype=np.intp)
    most = np.full_like(least, -1)
    np.minimum.at(least, block, codes)
    np.maximum.at(most, block, codes)
    varies: NDArray[np.bool_] = (least < most)[block]
    return varies


def block_sets(clusters: Codes, blocks: Codes) -> Codes:
    """(n,), clusters whose rows lie in the same blocks get the same number.

    A game whose seats are in blocks of their own (a persona each) can be exchanged with games that have a
    seat in each of the same blocks, and with no others.

    Parameters
    ----------
    clusters, blocks : (n,) int
    """
    cluster = np.unique(clusters, return_inverse=True)[1]
    block = np.unique(blocks, return_inverse=True)[1]
    pairs = np.unique(np.stack([cluster, block], axis=1), axis=0)
    starts = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1))
    kinds: dict[bytes, int] = {}
    own = [kinds.setdefault(part.tobytes(), len(kinds)) for part in np.split(pairs[:, 1].copy(), starts[1:])]
    return np.asarray(own, dtype=np.intp)[cluster]
