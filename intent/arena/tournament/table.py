"""The table that all results are look-ups in: who did what against whom, per repetition."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Fault, MatchRules
from intent.arena.tournament.matches import Lot
from intent.base.errors import LimitError, UsageError

__all__ = [
    "MIRROR",
    "MatchCounts",
    "PairTally",
    "RoundRobin",
    "Seasons",
    "Tally",
    "count_moves",
    "join_models",
    "mean_cooperation",
    "mean_payoffs",
    "pair_columns",
    "without_models",
]


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
    outcomes : (n, n, R, 4) int32
        Rounds in which i against j ended CC, CD, DC, DD, own move first; sums to `turns`, or to 0 where the
        pair was not played or was spoiled. ``[i, i]`` are those of the first seat of self-play.
    followed : (n, n, R, 4) int32
        Rounds that came directly after each outcome.
    cooperated_after : (n, n, R, 4) int32
        Of these, rounds in which i cooperated.
    opened : (n, n, R) int8
        Whether i cooperated in round 1 (added up: in how many matches); -1 where none was played.
    second_after : (n, R, 4) int32, optional
        `cooperated_after` of the second seat of self-play.
    second_opened : (n, R) int8, optional
        `opened` of the second seat of self-play.
    added : (n, n) int, optional
        Matches of each pair, where repetitions are added up.
    seasons : Seasons, optional
        What is known of single repetitions then.
    squares : (n, n, 3, 3) int64, optional
        Then also: products of the counts CC, CD, DC of each match, added up (`moments`).
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
    squares: NDArray[np.int64] | None = None

    def without(self, places: Collection[int]) -> RoundRobin:
        """The table in which no match of these players counts, as if they were disqualified.

        Of repetitions that were added up, what the others made of each is no longer known.
        """
        if not places:
            return self
        gone = np.isin(np.arange(len(self.field)), list(places))
        pairs = (gone[:, None] | gone)[..., None]

        def emptied(counts: Counts) -> Counts:
            return np.where(pairs[..., None], np.int32(0), counts)

        return replace(
            self,
            outcomes=emptied(self.outcomes),
            followed=emptied(self.followed),
            cooperated_after=emptied(self.cooperated_after),
            opened=np.where(pairs, np.int8(-1), self.opened),
            second_after=None
            if self.second_after is None
            else np.where(gone[:, None, None], np.int32(0), self.second_after),
            second_opened=None
            if self.second_opened is None
            else np.where(gone[:, None], np.int8(-1), self.second_opened),
            added=None if self.added is None else np.where(pairs[..., 0], 0, self.added),
            seasons=None,
            squares=None if self.squares is None else np.where(pairs[..., None], 0, self.squares),
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

    def moments(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Of the counts CC, CD, DC of the matches of each pair: how many matches, sums, sums of products.

        Returns
        -------
        (n, n), (n, n, 3) and (n, n, 3, 3) int64

        Raises
        ------
        UsageError
            Repetitions were added up without the products.
        """
        counts = self.outcomes[..., :3].astype(np.int64)
        if self.added is None:
            return self.matches, counts.sum(axis=2), np.einsum("ijra,ijrb->ijab", counts, counts)
        if self.squares is None:
            raise UsageError("repetitions were added up, expected a table of single matches")
        return self.added, counts[:, :, 0], self.squares

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


_MOST_MATCHES = 1 << 24
"""Places of the table; bounds memory at 1 GiB."""


class _Counts:
    """Counts of pairs, to be filled."""

    _outcomes: Counts
    _followed: Counts
    _after: Counts
    _opened: NDArray[np.int8] | NDArray[np.int64]

    def table(
        self, field: tuple[Entrant, ...], rules: MatchRules, faults: tuple[Fault, ...] = ()
    ) -> RoundRobin:
        """What was counted."""
        counts = (self._outcomes, self._followed, self._after, self._opened)
        return RoundRobin(field, rules, *counts, faults, **self._more())

    def _more(self) -> dict[str, Any]:
        raise NotImplementedError


class Tally(_Counts):
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

    def _more(self) -> dict[str, Any]:
        return {"second_after": self._second_after, "second_opened": self._second_opened}


_MOST_PAIRS = 1 << 23
_MOST_SEASONS = 1 << 24
"""Places of the tables; each bounds memory at 1 GiB."""


class PairTally(_Counts):
    """Counts of n players and R repetitions, in memory for n² pairs and n R rows, not for n² R matches.

    What is counted stays counted: where matches must not count, all others are counted anew.

    Parameters
    ----------
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
        self._squares = np.zeros((n, n, 3, 3), dtype=np.int64)
        self._seasons = np.zeros((n, repetitions, 4), dtype=np.int64)
        self._won, self._met = (np.zeros((n, repetitions), dtype=np.int32) for _ in "12")

    def add(self, lot: Lot, repetitions: tuple[int, ...], moves: NDArray[np.uint8]) -> None:
        """As `intent.arena.tournament.table.Tally.add`."""
        counts = count_moves(moves)
        at = np.asarray(repetitions) if lot.varies else slice(None)
        times = 1 if lot.varies else self._repetitions
        earned = [self._rules.total(counts.outcomes[view]) for view in (0, 1)]
        for view, (i, j) in enumerate(((lot.first, lot.second), (lot.second, lot.first))):
            if view and i == j:
                break
            self._matches[i, j] += times * len(moves)
            self._outcomes[i, j, 0] += times * counts.outcomes[view].sum(axis=0)
            three = counts.outcomes[view][:, :3]
            self._squares[i, j] += times * (three.T @ three)
            self._followed[i, j, 0] += times * counts.followed[view].sum(axis=0)
            self._after[i, j, 0] += times * counts.cooperated_after[view].sum(axis=0)
            opened = times * int(counts.opened[view].sum())
            self._opened[i, j] = max(int(self._opened[i, j, 0]), 0) + opened
            if i != j:
                self._seasons[i, at] += counts.outcomes[view]
                self._won[i, at] += earned[view] > earned[1 - view]
                self._met[i, at] += 1

    def _more(self) -> dict[str, Any]:
        seasons = Seasons(self._seasons, self._won, self._met)
        return {"added": self._matches, "seasons": seasons, "squares": self._squares}


def join_models(
    table: RoundRobin, models: Sequence[Entrant], games: Mapping[tuple[int, int, int], NDArray[np.uint8]]
) -> RoundRobin:
    """The table with rows and columns for the models.

    Parameters
    ----------
    table : RoundRobin, of n strategies
    games : (first, second, repetition) -> (2, T) uint8, 1 = cooperate
        Places in the field followed by the models. Games that are not there do not count.

    Raises
    ------
    UsageError
        A game of another length than the matches.
    """
    n, repetitions = len(table.field), table.outcomes.shape[2]
    tally = Tally(n + len(models), repetitions)
    for (first, second, repetition), moves in games.items():
        if moves.shape != (2, table.rules.turns):
            raise UsageError(
                f"a game of {moves.shape[-1]} rounds, expected {table.rules.turns} as all matches"
            )
        tally.add(Lot(first, second, (repetition,), True), (repetition,), moves[None])
    joined = tally.table((*table.field, *models), table.rules, table.faults)
    joined.outcomes[:n, :n], joined.followed[:n, :n] = table.outcomes, table.followed
    joined.cooperated_after[:n, :n], joined.opened[:n, :n] = table.cooperated_after, table.opened
    if joined.second_after is not None and table.second_after is not None:
        joined.second_after[:n] = table.second_after
    if joined.second_opened is not None and table.second_opened is not None:
        joined.second_opened[:n] = table.second_opened
    return joined


def without_models(table: RoundRobin) -> RoundRobin:
    """The table of the strategies alone."""
    strategies = [i for i, entrant in enumerate(table.field) if not entrant.is_model]
    if len(strategies) == len(table.field):
        return table
    some = np.ix_(strategies, strategies)
    return replace(
        table,
        field=tuple(table.field[i] for i in strategies),
        outcomes=table.outcomes[some],
        followed=table.followed[some],
        cooperated_after=table.cooperated_after[some],
        opened=table.opened[some],
        second_after=None if table.second_after is None else table.second_after[strategies],
        second_opened=None if table.second_opened is None else table.second_opened[strategies],
    )


def mean_payoffs(table: RoundRobin) -> NDArray[np.float64]:
    """(n, n) mean payoff per turn of i against j over repetitions; NaN where not played."""
    return _means(table, np.asarray(table.rules.payoffs))


def mean_cooperation(table: RoundRobin) -> NDArray[np.float64]:
    """(n, n) share of rounds against j in which i cooperated, over repetitions; NaN where not played."""
    return _means(table, np.array([1.0, 1.0, 0.0, 0.0]))


def _means(table: RoundRobin, worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means per turn; in self-play those of both seats, as the published matrices have it."""
    counts = table.outcomes.sum(axis=2)
    rounds = counts.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        means = np.asarray((counts @ worth) / np.where(rounds > 0, rounds, np.nan))
        same = np.arange(len(means))
        both = (worth + worth[MIRROR]) / 2
        means[same, same] = (counts[same, same] @ both) / np.where(
            rounds[same, same] > 0, rounds[same, same], np.nan
        )
    return means


def pair_columns(table: RoundRobin) -> dict[str, list[Any] | NDArray[Any]]:
    """What each strategy did against each other: payoff and cooperation per turn, shares of outcomes.

    Returns
    -------
    dict of column -> values
        name, group, opponent, opponent_group, matches, payoff, opponent_payoff, cooperation,
        opponent_cooperation, cc_rate, cd_rate, dc_rate, dd_rate (own move first; in self-play over both
        seats). Pairs that were not played are left out.
    """
    payoff, cooperation = mean_payoffs(table), mean_cooperation(table)
    own, other = np.nonzero(table.matches)
    counts = table.outcomes.sum(axis=2)[own, other].astype(float)
    counts = np.where((own == other)[:, None], (counts + counts[:, MIRROR]) / 2, counts)
    shares = counts / counts.sum(axis=1, keepdims=True)
    names, groups = [e.name for e in table.field], [e.group for e in table.field]
    return {
        "name": [names[i] for i in own],
        "group": [groups[i] for i in own],
        "opponent": [names[j] for j in other],
        "opponent_group": [groups[j] for j in other],
        "matches": table.matches[own, other],
        "payoff": payoff[own, other],
        "opponent_payoff": payoff[other, own],
        "cooperation": cooperation[own, other],
        "opponent_cooperation": cooperation[other, own],
        **{f"{name}_rate": shares[:, k] for k, name in enumerate(("cc", "cd", "dc", "dd"))},
    }
