"""The random numbers of one match.

They are drawn by the host: no player's process learns what decides its match, or spends time on a generator
that it does not draw from.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from intent.arena.match import MatchRules, MatchSeed
from intent.arena.streams import MatchStreams

__all__ = ["flips_text", "legacy_generator", "match_draws"]


class _Own(threading.local):
    """A generator per thread, seeded for every match: to make one takes a hundred times as long."""

    def __init__(self) -> None:
        self.generator = RandomState(0)


_OWN = _Own()


def match_draws(
    seed: MatchSeed, seeded: Sequence[bool], rules: MatchRules
) -> tuple[list[int], NDArray[np.bool_]]:
    """What chance decides outside the players.

    Of streams, each number comes from a stream of its own. Of a seed, as in the Axelrod library: the match's
    legacy generator gives a seed to each player that has a generator, in seat order, and then draws in seat
    order, round by round, which moves noise flips.

    Parameters
    ----------
    seed : MatchStreams or int, of the match
    seeded : one bool per player, whether it has a generator of its own in the Axelrod library
    rules : MatchRules

    Returns
    -------
    seeds : list of int
        Of the players' generators; in the Axelrod library's way 0 for those who have none.
    flips : (turns, players) bool, (0, players) without noise
        Which moves noise flips.

    References
    ----------
    Knight et al. 2016, Journal of Open Research Software 4:e35.
    """
    seats = range(len(seeded))
    n = rules.turns if rules.noise else 0
    if isinstance(seed, MatchStreams):
        flips = [seed.flips(seat, n, rules.noise) for seat in seats if n]
        return (
            [seed.player(seat) for seat in seats],
            np.column_stack(flips) if flips else np.empty((0, len(seats)), dtype=bool),
        )
    match = _OWN.generator
    match.seed(seed)
    seeds = [int(match.randint(0, 2**32 - 1, dtype="uint64")) if own else 0 for own in seeded]
    return seeds, match.random_sample((n, len(seeds))) < rules.noise


def legacy_generator(seed: int) -> RandomState:
    """Numpy's generator of a player's seed: word for word `intent.arena.sandbox.generator.Generator`."""
    if seed < 2**32:
        return RandomState(seed)
    words = [seed >> shift & 0xFFFFFFFF for shift in range(0, seed.bit_length(), 32)]
    return RandomState(np.array(words, dtype=np.uint32))


def flips_text(flips: NDArray[np.bool_]) -> str:
    """A digit per round, 0 to 3: 2 where the first player's move is flipped, and 1 where the second's is."""
    digits = (flips @ np.array([2, 1]) + ord("0")).astype(np.uint8)
    return bytes(digits).decode()
