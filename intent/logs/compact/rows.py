"""Lists of moves to arrays and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.errors import DataError, LimitError, shorten
from intent.files.bounds import bounds

__all__ = ["as_lists", "decisions_of", "moves_of"]

Moves = NDArray[np.int8]
Mask = NDArray[np.bool_]


def moves_of(table: pa.Table, rounds: int) -> tuple[Moves, Moves, Mask | None, NDArray[np.int64]]:
    """Moves of the rows of a compact log.

    Parameters
    ----------
    table : Table with the lists ``own``, ``other`` and perhaps ``evidence``
    rounds : int, T

    Returns
    -------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown, also beyond the end of a list
    evidence : (n, T) bool, or None where every known own move counts; all of a row without a list do
    lengths : (n,) int64, rounds played

    Raises
    ------
    DataError
        Lists of a row that differ in length or go beyond T, or values other than true, false, 1, 0 and null.
    LimitError
        n T is more than memory should hold.
    """
    if len(table) * rounds > bounds().row_group_values:
        raise LimitError(
            f"{len(table):,} rows of up to {rounds:,} rounds, over {bounds().row_group_values:,} moves; "
            "one very long game makes all rows long: put it in a log of its own"
        )
    own, lengths = _grid(table.column("own"), rounds, "own")
    other, others = _grid(table.column("other"), rounds, "other")
    if not np.array_equal(lengths, others):
        row = int(np.flatnonzero(lengths != others)[0])
        raise DataError(f"{_name(table, row)}: {lengths[row]} own moves and {others[row]} of the other")
    if "evidence" not in table.column_names or table.column("evidence").null_count == len(table):
        return own, other, None, lengths
    counts, marked = _grid(table.column("evidence"), rounds, "evidence")
    unmarked = table.column("evidence").is_null().to_numpy()
    marked = np.where(unmarked, lengths, marked)
    if not np.array_equal(lengths, marked):
        row = int(np.flatnonzero(lengths != marked)[0])
        raise DataError(f"{_name(table, row)}: {lengths[row]} own moves and {marked[row]} marks of evidence")
    return own, other, (counts != 0) & (own >= 0), lengths


def decisions_of(table: pa.Table, rounds: int, lengths: NDArray[np.int64]) -> Moves | None:
    """Decisions (n, T) of the rows of a compact log, -1 where none is recorded; None where none is at all.

    Parameters
    ----------
    table : Table, perhaps with the lists ``decided``
    rounds : int, T
    lengths : (n,) int64, rounds played

    Raises
    ------
    DataError
        Lists that are not as long as those of the moves, or values other than true, false, 1, 0 and null.
    """
    if "decided" not in table.column_names or table.column("decided").null_count == len(table):
        return None
    decided, told = _grid(table.column("decided"), rounds, "decided")
    told = np.where(table.column("decided").is_null().to_numpy(), lengths, told)
    if not np.array_equal(lengths, told):
        row = int(np.flatnonzero(lengths != told)[0])
        raise DataError(f"{_name(table, row)}: {lengths[row]} own moves and {told[row]} decisions")
    return decided


def as_lists(grid: Any, lengths: NDArray[np.int64]) -> pa.ListArray:
    """The first entries of each row as lists of truth values, -1 as null.

    Parameters
    ----------
    grid : (n, T) int8 or bool
    lengths : (n,) int64
    """
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    inside = np.arange(grid.shape[1]) < lengths[:, None]
    values = grid.reshape(-1) if inside.all() else grid[inside]
    known = values != -1
    flat = pa.array(values == 1, mask=None if known.all() else ~known)
    return pa.ListArray.from_arrays(pa.array(offsets), flat)


def _grid(column: pa.ChunkedArray, rounds: int, name: str) -> tuple[Moves, NDArray[np.int64]]:
    lists = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(lists, pa.ChunkedArray):
        lists = pa.concat_arrays(lists.chunks)
    if lists.null_count and name not in ("evidence", "decided"):
        raise DataError(f"column {name!r} has rows without a list, expected an empty one at least")
    sizes = pc.fill_null(pc.list_value_length(lists), 0)
    lengths: NDArray[np.int64] = sizes.to_numpy(zero_copy_only=False).astype(np.int64)
    flat = lists.flatten()
    if not (pa.types.is_boolean(flat.type) or pa.types.is_integer(flat.type) or pa.types.is_null(flat.type)):
        raise DataError(f"column {name!r} holds lists of {flat.type}, expected of true, false and null")
    try:
        values: Moves = pc.fill_null(pc.cast(flat, pa.int8()), -1).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        values = np.array([2], dtype=np.int8)
    if values.size and not (values.min() >= -1 and values.max() <= 1):
        raise DataError(f"column {name!r} holds numbers other than 1 (cooperate) and 0 (defect)")
    longest = int(lengths.max(initial=0))
    if longest > rounds:
        raise DataError(f"column {name!r} has a list of {longest:,} moves, expected at most {rounds:,}")
    if longest and (lengths == rounds).all():
        return values.reshape(len(lengths), rounds), lengths
    grid: Moves = np.full((len(lengths), rounds), -1, dtype=np.int8)
    grid[np.arange(rounds) < lengths[:, None]] = values
    return grid, lengths


def _name(table: pa.Table, row: int) -> str:
    return f"game {shorten(table.column('game_id')[row].as_py())}"
