"""Everybody against everybody, and the table that all results are look-ups in: who did what against whom.

The counts are kept per repetition. Who plays is a strategy, or an agent that draws one for each match.

References
----------
Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, section 3.3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import ATTITUDES, Entrant
from intent.arena.match import Fault, MatchRules
from intent.arena.tournament.matches import (
    Contest,
    Lot,
    Spoiled,
    check_field,
    lots,
    play_matches,
    take_stored,
)
from intent.base.errors import LimitError, UsageError

__all__ = [
    "MIRROR",
    "LineUp",
    "MatchCounts",
    "PairTally",
    "RoundRobin",
    "Seasons",
    "Seat",
    "Tally",
    "attitude_seats",
    "count_moves",
    "join_models",
    "mean_cooperation",
    "mean_payoffs",
    "pair_columns",
    "play_line_up",
    "play_round_robin",
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


def play_round_robin(
    field: Sequence[Entrant],
    rules: MatchRules,
    contest: Contest,
    matches: NDArray[np.bool_] | None = None,
) -> RoundRobin:
    """Everybody against everybody, and against itself.

    The same table comes out on any engine and number of workers, and whatever part was in the store before.
    No player can know what chance decides (`intent.arena.streams`).
    A pair in which nothing is drawn is played once and stands for all repetitions.

    The matches are played as in `play_matches`, then the policy on faults is applied.

    Parameters
    ----------
    field : sequence of n Entrants with different names
    matches : (n, n, R) bool, optional
        Those to play, at (first, second) with first <= second; default: all.

    Returns
    -------
    RoundRobin
        Of the whole field: who is disqualified keeps its place, with no matches.

    Raises
    ------
    UsageError
        No entrants, two of one name, or too many matches.
    """
    repetitions, store = contest.repetitions, contest.store
    check_field(field, repetitions)
    n, safe = len(field), all(entrant.automaton is not None for entrant in field)
    added = contest.added and matches is None and (safe or store is not None)
    tally = PairTally(n, repetitions, rules) if added else Tally(n, repetitions)
    plan = lots(field, rules, repetitions, self_play=contest.self_play, matches=matches)

    def play(tally: Tally | PairTally) -> Spoiled:
        return play_matches(field, rules, plan, tally.add, contest)

    spoiled = play(tally)
    if isinstance(tally, PairTally) and spoiled.pairs:
        if store is None:
            tally = Tally(n, repetitions)
            spoiled = play(tally)
        else:
            tally = PairTally(n, repetitions, rules)
            for lot in plan:
                if not spoiled.spoils(lot):
                    take_stored(lot, field, rules, contest, tally.add)
    if isinstance(tally, Tally):
        for pair in spoiled.pairs:
            tally.void(*pair)
        for player in spoiled.barred:
            tally.disqualify(player)
    return tally.table(tuple(field), rules, spoiled.faults)


@dataclass(frozen=True)
class Seat:
    """One place of a line-up.

    Parameters
    ----------
    members : tuple of int
        Places in the field of those who may play here; several make it an agent.
    """

    name: str
    group: str | None
    members: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class LineUp:
    """A round robin of seats, and the matches of strategies that it consists of.

    Parameters
    ----------
    table : RoundRobin
        Of the seats. The source of an agent is a comment that lists its strategies; nothing plays it.
    matches : RoundRobin
        Of the strategies: those matches that were drawn.
    drawn : (s, s, R, 2) int32
        Who played in seats i <= j in each repetition; -1 where nobody did.
    """

    table: RoundRobin
    matches: RoundRobin
    drawn: NDArray[np.int32]


def attitude_seats(field: Sequence[Entrant], *, singles: bool = False) -> tuple[Seat, ...]:
    """An agent for each attitude that the field has, then a seat for each other strategy.

    Parameters
    ----------
    singles : bool
        Whether the strategies that have an attitude get seats of their own, too.

    Raises
    ------
    UsageError
        No strategy has an attitude.
    """
    agents = [
        Seat(attitude, attitude, tuple(i for i, e in enumerate(field) if e.group == attitude))
        for attitude in ATTITUDES
    ]
    present = [agent for agent in agents if agent.members]
    if not present:
        raise UsageError(f"no strategy has an attitude ({', '.join(ATTITUDES)}), which agents draw from")
    alone = [Seat(e.name, e.group, (i,)) for i, e in enumerate(field) if singles or e.group not in ATTITUDES]
    return (*present, *alone)


def play_line_up(
    field: Sequence[Entrant],
    seats: Sequence[Seat],
    rules: MatchRules,
    contest: Contest,
) -> LineUp:
    """Every seat against every other, an agent's strategy drawn anew for each match.

    Draws are uniform and depend on the salt, the names of the two seats and the repetition alone. Only the
    matches that were drawn are played. Where a strategy is disqualified, its matches are drawn again from
    the others of its group; all other draws stay.

    Parameters
    ----------
    field : sequence of n Entrants
    seats : sequence of s Seats

    Raises
    ------
    UsageError
        As `play_round_robin`, or two seats of one name.
    """
    entries = tuple(_entry(seat, field) for seat in seats)
    check_field(entries, contest.repetitions)
    barred: frozenset[int] = frozenset()
    all_faults: tuple[Fault, ...] = ()
    while True:
        drawn = _draw(field, seats, contest, barred)
        matches = play_round_robin(
            field, rules, replace(contest, self_play=True), _of_strategies(drawn, len(field))
        )
        all_faults += matches.faults
        if contest.faults == "void" or not matches.faults:
            matches = replace(matches, faults=all_faults)
            return LineUp(_table(entries, matches, drawn), matches, drawn)
        barred |= {fault.player for fault in matches.faults}


def _entry(seat: Seat, field: Sequence[Entrant]) -> Entrant:
    """A seat as an entrant of the table of seats."""
    if len(seat.members) == 1 and field[seat.members[0]].name == seat.name:
        return field[seat.members[0]]
    names = ", ".join(field[i].name for i in seat.members)
    words = f"one of {len(seat.members)} strategies, drawn for each match"
    return Entrant(seat.name, source=f"# drawn from {names}\n", group=seat.group, words=words)


def _draw(
    field: Sequence[Entrant],
    seats: Sequence[Seat],
    contest: Contest,
    barred: frozenset[int],
) -> NDArray[np.int32]:
    """(s, s, R, 2): who plays; the member of the lowest rank, so that one less moves no other draw."""
    members = [[m for m in seat.members if m not in barred] for seat in seats]
    drawn = np.full((len(seats), len(seats), contest.repetitions, 2), -1, dtype=np.int32)
    for i, j in _pairs(len(seats), contest.self_play):
        for side, at in enumerate((i, j)):
            if len(members[at]) <= 1:
                drawn[i, j, :, side] = members[at][0] if members[at] else -1
                continue
            match = (seats[i].name, seats[j].name, side)
            names = [field[m].name for m in members[at]]
            for r in range(contest.repetitions):
                ranks = [contest.salt.rank(*match, name, r) for name in names]
                drawn[i, j, r, side] = members[at][ranks.index(min(ranks))]
    return drawn


def _pairs(n: int, self_play: bool) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(n) for j in range(i if self_play else i + 1, n))


def _complete(drawn: NDArray[np.int32]) -> tuple[NDArray[np.intp], ...]:
    """Seats, repetition of the matches that both sides have a player for."""
    return np.nonzero((drawn >= 0).all(axis=-1))


def _of_strategies(drawn: NDArray[np.int32], n: int) -> NDArray[np.bool_]:
    """(n, n, R): matches of strategies, first <= second."""
    matches = np.zeros((n, n, drawn.shape[2]), dtype=bool)
    i, j, r = _complete(drawn)
    a, b = drawn[i, j, r, 0], drawn[i, j, r, 1]
    matches[np.minimum(a, b), np.maximum(a, b), r] = True
    return matches


def _table(entries: tuple[Entrant, ...], matches: RoundRobin, drawn: NDArray[np.int32]) -> RoundRobin:
    """The round robin of the seats, looked up; who meets itself has two seats of one match."""
    i, j, r = _complete(drawn)
    a, b = drawn[i, j, r, 0], drawn[i, j, r, 1]
    twins = a == b
    n, repetitions = len(entries), drawn.shape[2]

    def looked_up(
        counts: NDArray[Any], second: NDArray[Any], nothing: int
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Counts of both seats; of twins, (n, R, …) `second` are those of the second seat."""
        theirs = counts[b, a, r]
        theirs[twins] = second[a[twins], r[twins]]
        shape = (repetitions, *counts.shape[3:])
        of_first = np.full((n, n, *shape), nothing, dtype=counts.dtype)
        of_second = np.full((n, *shape), nothing, dtype=counts.dtype)
        of_first[j, i, r] = theirs
        of_first[i, j, r] = counts[a, b, r]
        of_second[i[i == j], r[i == j]] = theirs[i == j]
        return of_first, of_second

    def mirrored(counts: NDArray[Any]) -> NDArray[Any]:
        return looked_up(counts, np.einsum("iirk->irk", counts)[..., MIRROR], 0)[0]

    assert matches.second_after is not None
    assert matches.second_opened is not None
    after, second_after = looked_up(matches.cooperated_after, matches.second_after, 0)
    opened, second_opened = looked_up(matches.opened, matches.second_opened, -1)
    return RoundRobin(
        entries,
        matches.rules,
        mirrored(matches.outcomes),
        mirrored(matches.followed),
        after,
        opened,
        second_after=second_after,
        second_opened=second_opened,
    )
