"""The two rows of a game in a compact log: in the order of their seats, and at one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.errors import DataError, shorten
from intent.workflows.log_stream.together import together

__all__ = ["check_columns", "check_pairs", "in_seat_order", "same_game"]


def same_game(ids: pa.Array) -> NDArray[np.bool_]:
    """(n - 1,), whether a row is of the game of the one before."""
    found: NDArray[np.bool_] = pc.equal(ids[1:], ids[:-1]).to_numpy(zero_copy_only=False)
    return found


def in_seat_order(ids: pa.Array, seat: NDArray[np.integer]) -> NDArray[np.intp] | None:
    """The order of rows in which those of a game stand by seat; None where they do."""
    swap = np.flatnonzero(same_game(ids) & (seat[1:] < seat[:-1]))
    if not len(swap):
        return None
    order = np.arange(len(seat))
    order[swap], order[swap + 1] = swap + 1, swap
    return order


def check_pairs(
    ids: pa.Array, seat: NDArray[np.integer], own: NDArray[np.int8], other: NDArray[np.int8]
) -> None:
    """Make sure that rows of one game, which follow each other, are two seats that tell the same play.

    Raises
    ------
    DataError
        A seat that stands twice, or moves that differ.
    """
    again = same_game(ids)
    twice = again & (seat[1:] == seat[:-1])
    twice[1:] |= again[1:] & again[:-1]
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        raise DataError(f"game {shorten(ids[row].as_py())}: a seat stands twice in a game")
    starts = ids.filter(pa.array(np.concatenate([[True], ~again]))) if len(ids) else ids
    if not together(lambda: iter([starts] if len(starts) else [])):
        raise DataError("a game_id comes back after other games, expected its rows together")
    first = np.flatnonzero(again)
    differs = (own[first] != other[first + 1]).any(axis=1) | (other[first] != own[first + 1]).any(axis=1)
    if differs.any():
        row = int(first[np.flatnonzero(differs)[0]])
        raise DataError(f"game {shorten(ids[row].as_py())}: the two rows tell different moves")


def check_columns(ids: pa.Array, keys: pa.Table, of_games: Sequence[str]) -> None:
    """Make sure that columns of games say the same in both rows of one.

    Raises
    ------
    DataError
        They do not.
    """
    first = np.flatnonzero(same_game(ids))
    if not len(first):
        return
    for name in of_games:
        column = keys.column(name).combine_chunks()
        if pa.types.is_nested(column.type):
            continue
        coded = pa.types.is_dictionary(column.type)
        codes = pc.fill_null(column.indices, -1).to_numpy() if coded else pd.factorize(column.to_pandas())[0]
        if coded and (codes[first] != codes[first + 1]).any():
            # two codes may stand for one text
            codes = pd.factorize(column.cast(column.type.value_type).to_pandas())[0]
        differs = np.flatnonzero(codes[first] != codes[first + 1])
        if len(differs):
            row = int(first[differs[0]])
            raise DataError(
                f"game {shorten(ids[row].as_py())}: column {name!r} differs between its seats; "
                "name it in seat_columns of the metadata"
            )
