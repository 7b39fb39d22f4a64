"""The table that all results are look-ups in: who did what against whom, per repetition."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Fault, MatchRules

__all__ = ["RoundRobin", "Seasons"]

Counts = NDArray[np.int32] | NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Seasons:
    """What each player made of each repetition, against all others.

    Parameters
    ----------
    outcomes : (n, R, 4) int
        Rounds that ended CC, CD, DC, DD, own move first, over all matches but self-play.
    won : (n, R) int
        Matches in which the opponent got less.
    met : (n, R) int
        Opponents.
    """

    outcomes: NDArray[np.int64]
    won: NDArray[np.int32]
    met: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class RoundRobin:
    """Counts of every pair of a field, in both directions.

    Repetitions stand apart, or are added up (`added`); then R is 1 below, and every count is a sum.

    Parameters
    ----------
    field : tuple of n Entrants
    rules : MatchRules
    outcomes : (n, n, R, 4) int32
        Rounds in which i against j ended CC, CD, DC, DD, own move first; sums to `turns`, or to 0 where the
        pair was not played or was spoiled. ``[i, i]`` are those of the first seat of self-play.
    followed : (n, n, R, 4) int32
        Rounds that came directly after each outcome.
    cooperated_after : (n, n, R, 4) int32
        Of these, rounds in which i cooperated.
    opened : (n, n, R) int8
        Whether i cooperated in round 1 (added up: in how many matches); -1 where none was played.
    faults : tuple of Fault
    second_after : (n, R, 4) int32, optional
        `cooperated_after` of the second seat of self-play.
    second_opened : (n, R) int8, optional
        `opened` of the second seat of self-play.
    added : (n, n) int, optional
        Matches of each pair, where repetitions are added up.
    seasons : Seasons, optional
        What is known of single repetitions then.
    """

    field: tuple[Entrant, ...]
    rules: MatchRules
    outcomes: Counts
    followed: Counts
    cooperated_after: Counts
    opened: NDArray[np.int8] | NDArray[np.int64]
    faults: tuple[Fault, ...] = ()
    second_after: NDArray[np.int32] | None = None
    second_opened: NDArray[np.int8] | None = None
    added: NDArray[np.int64] | None = None
    seasons: Seasons | None = None

    def without(self, places: Collection[int]) -> RoundRobin:
        """The table in which no match of these players counts, as if they were disqualified.

        Of repetitions that were added up, what the others made of each is no longer known.
        """
        if not places:
            return self
        gone = np.isin(np.arange(len(self.field)), list(places))
        pairs = (gone[:, None] | gone)[..., None]

        def kept(counts: Counts) -> Counts:
            return np.where(pairs[..., None], np.int32(0), counts)

        return replace(
            self,
            outcomes=kept(self.outcomes),
            followed=kept(self.followed),
            cooperated_after=kept(self.cooperated_after),
            opened=np.where(pairs, np.int8(-1), self.opened),
            second_after=None
            if self.second_after is None
            else np.where(gone[:, None, None], np.int32(0), self.second_after),
            second_opened=None
            if self.second_opened is None
            else np.where(gone[:, None], np.int8(-1), self.second_opened),
            added=None if self.added is None else np.where(pairs[..., 0], 0, self.added),
            seasons=None,
        )

    @property
    def played(self) -> NDArray[np.bool_]:
        """(n, n, R): which matches there are."""
        return np.asarray(self.outcomes.sum(axis=-1) > 0)

    @property
    def matches(self) -> NDArray[np.int64]:
        """(n, n): number of matches of each pair."""
        return np.asarray(self.played.sum(axis=2)) if self.added is None else self.added

    @property
    def repetitions(self) -> int:
        """Repetitions of the tournament, at most."""
        if self.added is None:
            return int(self.outcomes.shape[2])
        return int(self.added.max(initial=0))

    def payoffs(self) -> NDArray[np.float64]:
        """(n, n, R) mean payoff per turn of i against j; NaN where not played."""
        return self._per_turn(np.asarray(self.rules.payoffs))

    def cooperation(self) -> NDArray[np.float64]:
        """(n, n, R) share of the rounds against j in which i cooperated; NaN where not played."""
        return self._per_turn(np.array([1.0, 1.0, 0.0, 0.0]))

    def _per_turn(self, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        rounds = self.outcomes.sum(axis=-1)
        with np.errstate(invalid="ignore"):
            return np.asarray((self.outcomes @ worth) / np.where(rounds > 0, rounds, np.nan))
