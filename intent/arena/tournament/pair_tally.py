"""The counts of a round robin while it is played, repetitions added up as they come."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Fault, MatchRules
from intent.arena.round_robin import RoundRobin, Seasons
from intent.arena.tournament.counts import count_moves
from intent.arena.tournament.schedule import Lot
from intent.errors import LimitError

__all__ = ["PairTally"]

_MOST_PAIRS = 1 << 23
_MOST_SEASONS = 1 << 24
"""Places of the tables; each bounds memory at 1 GiB."""


class PairTally:
    """Counts of n players and R repetitions, in memory for n² pairs and n R rows, not for n² R matches.

    What is counted stays counted: where matches must not count, all others are counted anew.

    Parameters
    ----------
    n : int
    repetitions : int
    rules : MatchRules
        Whose payoffs say who wins a match.

    Raises
    ------
    LimitError
        More than eight million pairs, or 16 million repetitions of a player.
    """

    def __init__(self, n: int, repetitions: int, rules: MatchRules) -> None:
        if n * n > _MOST_PAIRS or n * repetitions > _MOST_SEASONS:
            raise LimitError(
                f"{n} strategies and {repetitions} repetitions, expected at most {_MOST_PAIRS:,} pairs, and "
                f"{_MOST_SEASONS:,} repetitions of all strategies together"
            )
        self._rules, self._repetitions = rules, repetitions
        self._outcomes, self._followed, self._after = (np.zeros((n, n, 1, 4), dtype=np.int64) for _ in "123")
        self._opened = np.full((n, n, 1), -1, dtype=np.int64)
        self._matches = np.zeros((n, n), dtype=np.int64)
        self._seasons = np.zeros((n, repetitions, 4), dtype=np.int64)
        self._won, self._met = (np.zeros((n, repetitions), dtype=np.int32) for _ in "12")

    def add(self, lot: Lot, repetitions: tuple[int, ...], moves: NDArray[np.uint8]) -> None:
        """As `intent.arena.tournament.tally.Tally.add`."""
        counts = count_moves(moves)
        at = np.asarray(repetitions) if lot.varies else slice(None)
        times = 1 if lot.varies else self._repetitions
        earned = [self._rules.total(counts.outcomes[view]) for view in (0, 1)]
        for view, (i, j) in enumerate(((lot.first, lot.second), (lot.second, lot.first))):
            if view and i == j:
                break
            self._matches[i, j] += times * len(moves)
            self._outcomes[i, j, 0] += times * counts.outcomes[view].sum(axis=0)
            self._followed[i, j, 0] += times * counts.followed[view].sum(axis=0)
            self._after[i, j, 0] += times * counts.cooperated_after[view].sum(axis=0)
            opened = times * int(counts.opened[view].sum())
            self._opened[i, j] = max(int(self._opened[i, j, 0]), 0) + opened
            if i != j:
                self._seasons[i, at] += counts.outcomes[view]
                self._won[i, at] += earned[view] > earned[1 - view]
                self._met[i, at] += 1

    def table(
        self, field: tuple[Entrant, ...], rules: MatchRules, faults: tuple[Fault, ...] = ()
    ) -> RoundRobin:
        """What was counted."""
        return RoundRobin(
            field,
            rules,
            self._outcomes,
            self._followed,
            self._after,
            self._opened,
            faults,
            added=self._matches,
            seasons=Seasons(self._seasons, self._won, self._met),
        )
