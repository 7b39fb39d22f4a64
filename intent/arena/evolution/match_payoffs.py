"""What every single match of a round robin paid, which is all that evolution draws from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Fault, MatchRules
from intent.arena.round_robin import RoundRobin
from intent.arena.tournament.counts import MIRROR, count_moves
from intent.arena.tournament.schedule import Lot
from intent.errors import LimitError, UsageError

__all__ = ["MatchPayoffs", "PayoffTally", "match_payoffs"]

_MOST_MATCHES = 1 << 26
"""Places of the table; bounds memory at 512 MiB, twice that where its order is changed."""


@dataclass(frozen=True, eq=False)
class MatchPayoffs:
    """Payoffs per turn of every pair of a field, by repetition.

    Parameters
    ----------
    field : tuple of n Entrants
    payoffs : (n, n, R) float
        What i earned against j; NaN where not played. ``[i, i]`` is the first seat of self-play.
    second : (n, R) float
        What the second seat of self-play earned.
    faults : tuple of Fault
        Those at fault; what is known of their matches need not be all.
    """

    field: tuple[Entrant, ...]
    payoffs: NDArray[np.float64]
    second: NDArray[np.float64]
    faults: tuple[Fault, ...] = ()


class PayoffTally:
    """Payoffs of n players and R repetitions, to be filled as matches end.

    Parameters
    ----------
    n : int
    repetitions : int
    rules : MatchRules

    Raises
    ------
    LimitError
        More than 67 million matches.
    """

    def __init__(self, n: int, repetitions: int, rules: MatchRules) -> None:
        if n * n * repetitions > _MOST_MATCHES:
            raise LimitError(
                f"{n} strategies and {repetitions} repetitions make a table of "
                f"{n * n * repetitions:,} matches, expected at most {_MOST_MATCHES:,}"
            )
        self._rules = rules
        self._payoffs = np.full((n, n, repetitions), np.nan)
        self._second = np.full((n, repetitions), np.nan)

    def add(self, lot: Lot, repetitions: tuple[int, ...], moves: NDArray[np.uint8]) -> None:
        """As `intent.arena.tournament.tally.Tally.add`."""
        outcomes = count_moves(moves).outcomes
        own, other = (self._rules.total(outcomes[view]) / moves.shape[2] for view in (0, 1))
        at = np.asarray(repetitions) if lot.varies else slice(None)
        self._payoffs[lot.first, lot.second, at] = own
        if lot.first == lot.second:
            self._second[lot.first, at] = other
        else:
            self._payoffs[lot.second, lot.first, at] = other

    def table(self, field: tuple[Entrant, ...], faults: tuple[Fault, ...] = ()) -> MatchPayoffs:
        """What was earned."""
        return MatchPayoffs(field, self._payoffs, self._second, faults)


def match_payoffs(table: RoundRobin) -> MatchPayoffs:
    """The payoffs in a table of single matches.

    Raises
    ------
    UsageError
        Repetitions were added up in it.
    """
    if table.added is not None:
        raise UsageError("repetitions were added up, expected a table of single matches")
    every = np.arange(len(table.field))
    swapped = table.outcomes[every, every][..., MIRROR]
    rounds = swapped.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        second = (swapped @ np.asarray(table.rules.payoffs)) / np.where(rounds > 0, rounds, np.nan)
    return MatchPayoffs(table.field, table.payoffs(), second, table.faults)
