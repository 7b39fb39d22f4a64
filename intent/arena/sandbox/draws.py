"""The random numbers of one match, as numpy's legacy generator draws them from its seed.

They are drawn by the host: no player's process learns the seed of its match, or spends time on a generator
that it does not draw from.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from intent.arena.match import MatchRules

__all__ = ["flips_text", "match_draws"]


class _Own(threading.local):
    """A generator per thread, seeded for every match: to make one takes a hundred times as long."""

    def __init__(self) -> None:
        self.generator = RandomState(0)


_OWN = _Own()


def match_draws(seed: int, seeded: Sequence[bool], rules: MatchRules) -> tuple[list[int], NDArray[np.bool_]]:
    """What chance decides outside the players.

    Parameters
    ----------
    seed : int, of the match
    seeded : one bool per player, whether it has a generator of its own
    rules : MatchRules

    Returns
    -------
    seeds : list of int
        Of the players' generators, drawn in seat order for those who have one, else 0.
    flips : (turns, players) bool, (0, players) without noise
        Which moves noise flips: draws in seat order, round by round.
    """
    match = _OWN.generator
    match.seed(seed)
    seeds = [int(match.randint(0, 2**32 - 1, dtype="uint64")) if own else 0 for own in seeded]
    n = rules.turns if rules.noise else 0
    return seeds, match.random_sample((n, len(seeds))) < rules.noise


def flips_text(flips: NDArray[np.bool_]) -> str:
    """A digit per round, 0 to 3: 2 where the first player's move is flipped, and 1 where the second's is."""
    digits = (flips @ np.array([2, 1]) + ord("0")).astype(np.uint8)
    return bytes(digits).decode()
