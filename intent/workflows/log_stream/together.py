"""Whether the rows of each game follow each other, in tables that memory does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

__all__ = ["together"]


def together(read: Callable[[], Iterator[pa.Array]]) -> bool:
    """Whether no game_id comes back after another.

    That is sure where game_id rises from row to row, by the alphabet or (``g9``, ``g10``) by length first.
    Else 64-bit hashes are compared, eight bytes a game.

    Parameters
    ----------
    read : gives the column of game_id in order, some texts (not none) at a time; called twice at most
    """
    return _rising(read()) or _unique(read())


def _rising(columns: Iterator[pa.Array]) -> bool:
    by_alphabet = by_length = True
    before: pa.Array | None = None
    for ids in columns:
        if ids.null_count:
            return False
        joined = ids if before is None else pa.concat_arrays([before, ids])
        up = pc.less_equal(joined[:-1], joined[1:])
        sizes = pc.binary_length(joined)
        grows = pc.less(sizes[:-1], sizes[1:])
        equal = pc.equal(sizes[:-1], sizes[1:])
        by_alphabet = by_alphabet and pc.all(up).as_py() is not False
        by_length = by_length and pc.all(pc.or_(grows, pc.and_(equal, up))).as_py() is not False
        if not (by_alphabet or by_length):
            return False
        before = joined[-1:]
    return True


def _unique(columns: Iterator[pa.Array]) -> bool:
    hashes: list[NDArray[np.uint64]] = []
    last: str | None = None
    for ids in columns:
        if ids.null_count:
            return False
        changes = pc.not_equal(ids[1:], ids[:-1]).to_numpy(zero_copy_only=False)
        new = np.flatnonzero(np.concatenate([[ids[0].as_py() != last], changes]))
        hashes.append(pd.util.hash_array(ids.take(pa.array(new)).to_numpy(zero_copy_only=False)))
        last = ids[-1].as_py()
    every = np.concatenate([np.empty(0, dtype=np.uint64), *hashes])
    every.sort()
    return not bool((every[1:] == every[:-1]).any())
