"""Moves -> the counts of a round robin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["MIRROR", "MatchCounts", "count_moves"]

MIRROR = [0, 2, 1, 3]
"""CC, CD, DC, DD as the other player sees them."""


@dataclass(frozen=True, eq=False)
class MatchCounts:
    """Counts of some matches of one pair, from both seats.

    Parameters
    ----------
    outcomes, followed, cooperated_after : (2, R, 4) int64
        As in `RoundRobin`, first the view of the player that is called first.
    opened : (2, R) uint8
    """

    outcomes: NDArray[np.int64]
    followed: NDArray[np.int64]
    cooperated_after: NDArray[np.int64]
    opened: NDArray[np.uint8]


def count_moves(moves: NDArray[np.uint8]) -> MatchCounts:
    """Count outcomes, and what was done after each.

    Parameters
    ----------
    moves : (R, 2, T) uint8, 1 = cooperate

    Returns
    -------
    MatchCounts
    """
    own, other = moves[:, 0].astype(np.intp), moves[:, 1].astype(np.intp)
    state = 3 - 2 * own - other
    ended, before = state[:, -1:], state[:, :-1]
    followed = _per_match(before, 4)
    outcomes = followed + _per_match(ended, 4)
    after = [_per_match(2 * before + mine[:, 1:], 8)[:, 1::2] for mine in (own, other)]
    return MatchCounts(
        outcomes=np.stack([outcomes, outcomes[:, MIRROR]]),
        followed=np.stack([followed, followed[:, MIRROR]]),
        cooperated_after=np.stack([after[0], after[1][:, MIRROR]]),
        opened=np.stack([moves[:, 0, 0], moves[:, 1, 0]]),
    )


def _per_match(codes: NDArray[np.intp], n: int) -> NDArray[np.int64]:
    """(R, n): how often each code occurs in each row."""
    rows = len(codes)
    flat = (codes + n * np.arange(rows)[:, None]).ravel()
    return np.bincount(flat, minlength=rows * n).reshape(rows, n)
