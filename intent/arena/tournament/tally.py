"""The counts of a round robin while it is played."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Fault, MatchRules
from intent.arena.round_robin import RoundRobin
from intent.arena.tournament.counts import count_moves
from intent.arena.tournament.schedule import Lot
from intent.errors import LimitError

__all__ = ["Tally"]

_MOST_MATCHES = 1 << 24
"""Places of the table; bounds memory at 1 GiB."""


class Tally:
    """Counts of n players and R repetitions, to be filled.

    Raises
    ------
    LimitError
        More than 16 million matches.
    """

    def __init__(self, n: int, repetitions: int) -> None:
        if n * n * repetitions > _MOST_MATCHES:
            raise LimitError(
                f"{n} strategies and {repetitions} repetitions make a table of "
                f"{n * n * repetitions:,} matches, expected at most {_MOST_MATCHES:,}"
            )
        shape = (n, n, repetitions)
        self._outcomes = np.zeros((*shape, 4), dtype=np.int32)
        self._followed = np.zeros((*shape, 4), dtype=np.int32)
        self._after = np.zeros((*shape, 4), dtype=np.int32)
        self._opened = np.full(shape, -1, dtype=np.int8)
        self._second_after = np.zeros((n, repetitions, 4), dtype=np.int32)
        self._second_opened = np.full((n, repetitions), -1, dtype=np.int8)

    def add(self, lot: Lot, repetitions: tuple[int, ...], moves: NDArray[np.uint8]) -> None:
        """Count matches of a lot.

        Parameters
        ----------
        lot : Lot
        repetitions : tuple of R int; those of the matches
        moves : (R, 2, T) uint8
        """
        counts = count_moves(moves)
        at = np.asarray(repetitions) if lot.varies else slice(None)
        for view, (i, j) in enumerate(((lot.first, lot.second), (lot.second, lot.first))):
            if view and i == j:
                self._second_after[i, at] = counts.cooperated_after[1]
                self._second_opened[i, at] = counts.opened[1]
                break
            self._outcomes[i, j, at] = counts.outcomes[view]
            self._followed[i, j, at] = counts.followed[view]
            self._after[i, j, at] = counts.cooperated_after[view]
            self._opened[i, j, at] = counts.opened[view]

    def void(self, i: int, j: int) -> None:
        """Forget the matches of a pair."""
        for cell in ((i, j), (j, i)):
            self._clear(cell)
        if i == j:
            self._second_after[i], self._second_opened[i] = 0, -1

    def disqualify(self, player: int) -> None:
        """Forget all matches of a player."""
        self._clear((player, slice(None)))
        self._clear((slice(None), player))
        self._second_after[player], self._second_opened[player] = 0, -1

    def _clear(self, cell: tuple[int | slice, int | slice]) -> None:
        for counts in (self._outcomes, self._followed, self._after):
            counts[cell] = 0
        self._opened[cell] = -1

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
            self._second_after,
            self._second_opened,
        )
