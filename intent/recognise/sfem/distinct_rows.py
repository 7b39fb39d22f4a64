"""The distinct rows of a table of whole numbers, in an order that depends on nothing but the rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["distinct_rows"]

_FACTOR, _FINAL = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_CHUNK = 1 << 21
"""Numbers that are compared at a time."""


def distinct_rows(*blocks: NDArray[np.integer]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One place of each distinct row, and which of these each row is; distinct rows sorted by their columns.

    Rows are told apart by 64-bit hashes, which are then checked.

    Parameters
    ----------
    *blocks : (n, m) int each, columns that stand side by side

    Returns
    -------
    place : (d,) intp
    codes : (n,) intp; row i is the same as row ``place[codes[i]]``
    """
    n, width = len(blocks[0]), sum(block.shape[1] for block in blocks)
    if n < 2 or not width:
        return np.arange(min(n, 1)), np.zeros(n, dtype=np.intp)
    if n < width:
        return _by_bytes(blocks)
    codes = pd.factorize(_hashes(blocks))[0]
    place = np.flatnonzero(~pd.Series(codes).duplicated().to_numpy())
    step = max(1, _CHUNK // max(width, 1))
    for a in range(0, n, step):
        same = place[codes[a : a + step]]
        if not all((block[same] == block[a : a + step]).all() for block in blocks):
            return _by_bytes(blocks)
    columns = [block[place, c] for block in blocks for c in range(block.shape[1])]
    order = np.lexsort(columns[::-1])
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return place[order], rank[codes]


def _hashes(blocks: Sequence[NDArray[np.integer]]) -> NDArray[np.uint64]:
    key = np.zeros(len(blocks[0]), dtype=np.uint64)
    for block in blocks:
        for c in range(block.shape[1]):
            key *= _FACTOR
            key ^= key >> np.uint64(29)
            key += block[:, c].astype(np.uint64) + np.uint64(1)
    key *= _FINAL
    return key


def _by_bytes(blocks: Sequence[NDArray[np.integer]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For few long rows: as bytes that sort like the numbers."""
    rows = np.concatenate([block.astype(np.int64) for block in blocks], axis=1)
    ordered = (rows.view(np.uint64) ^ np.uint64(1 << 63)).astype(">u8")
    written = [row.tobytes() for row in ordered]
    first: dict[bytes, int] = {}
    for i, row in enumerate(written):
        first.setdefault(row, i)
    rank = {row: i for i, row in enumerate(sorted(first))}
    place = np.array([first[row] for row in rank], dtype=np.intp)
    return place, np.array([rank[row] for row in written], dtype=np.intp)
