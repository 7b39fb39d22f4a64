"""Everybody against everybody, strategies or agents that draw one for each match, into a table of counts.

References
----------
Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import ATTITUDES, Entrant
from intent.arena.match import Engine, Fault, MatchRules
from intent.arena.streams import Salt
from intent.arena.tournament.matches import (
    FaultPolicy,
    MatchStore,
    Spoiled,
    check_field,
    lots,
    play_matches,
    take_stored,
)
from intent.arena.tournament.table import MIRROR, PairTally, RoundRobin, Tally
from intent.base.errors import UsageError

__all__ = ["LineUp", "Seat", "attitude_seats", "play_line_up", "play_round_robin"]


def play_round_robin(
    field: Sequence[Entrant],
    rules: MatchRules,
    *,
    repetitions: int,
    seed: int,
    engine: Engine,
    salt: Salt | None = None,
    store: MatchStore | None = None,
    self_play: bool = True,
    faults: FaultPolicy = "disqualify",
    wanted: NDArray[np.bool_] | None = None,
    added: bool = False,
    update: Callable[[int, int], None] | None = None,
) -> RoundRobin:
    """Everybody against everybody, and against itself.

    The same table comes out on any engine and number of workers, and whatever part was in the store before.
    No player can know what chance decides (`intent.arena.streams`).
    A pair in which nothing is drawn is played once and stands for all repetitions.

    The matches are played as in `play_matches`, then the policy on faults is applied.

    Parameters
    ----------
    field : sequence of n Entrants with different names
    repetitions : int, R
    salt : Salt, optional
        Gives with the names and the number of the repetition the streams of each match. Default:
        ``Salt.of_field(field, seed)``.
    store : MatchStore, optional
        Takes every match as it ends.
    faults : {"disqualify", "void"}
        ``disqualify``: none of the matches of a player that is ever at fault counts, so that all others met
        the same opponents. ``void``: only the pairs that were spoiled do not count.
    wanted : (n, n, R) bool, optional
        Matches that are needed, at (first, second) with first <= second; default: all.
    added : bool
        Whether repetitions may be added up as they come, so that memory is bounded by the pairs and not by
        the matches. Where code was written that may be at fault, this needs a store: the matches that count
        are then read again.
    update : called with (done, total) matches

    Returns
    -------
    RoundRobin
        Of the whole field: who is disqualified keeps its place, with no matches.

    Raises
    ------
    UsageError
        No entrants, two of one name, or too many matches.
    """
    check_field(field, repetitions)
    salt = salt or Salt.of_field(field, seed)
    n, safe = len(field), all(entrant.automaton is not None for entrant in field)
    added = added and wanted is None and (safe or store is not None)
    tally = PairTally(n, repetitions, rules) if added else Tally(n, repetitions)
    plan = lots(field, rules, repetitions, self_play=self_play, wanted=wanted)

    def play(tally: Tally | PairTally) -> Spoiled:
        return play_matches(
            field, rules, plan, tally.add, salt=salt, engine=engine, store=store, faults=faults, update=update
        )

    spoiled = play(tally)
    if isinstance(tally, PairTally) and spoiled.pairs:
        if store is None:
            tally = Tally(n, repetitions)
            spoiled = play(tally)
        else:
            tally = PairTally(n, repetitions, rules)
            for lot in plan:
                if not spoiled.spoils(lot):
                    take_stored(lot, field, rules, salt, store, tally.add)
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
    *,
    repetitions: int,
    seed: int,
    engine: Engine,
    salt: Salt | None = None,
    store: MatchStore | None = None,
    self_play: bool = True,
    faults: FaultPolicy = "disqualify",
    update: Callable[[int, int], None] | None = None,
) -> LineUp:
    """Every seat against every other, an agent's strategy drawn anew for each match.

    Draws are uniform and depend on the salt, the names of the two seats and the repetition alone. Only the
    matches that were drawn are played. Where a strategy is disqualified, its matches are drawn again from
    the others of its group; all other draws stay.

    Parameters
    ----------
    field : sequence of n Entrants
    seats : sequence of s Seats
    rules, repetitions, seed, engine, salt, store, self_play, faults, update : as `play_round_robin`

    Raises
    ------
    UsageError
        As `play_round_robin`, or two seats of one name.
    """
    entries = tuple(_entry(seat, field) for seat in seats)
    check_field(entries, repetitions)
    salt = salt or Salt.of_field(field, seed)
    barred: frozenset[int] = frozenset()
    all_faults: tuple[Fault, ...] = ()
    while True:
        drawn = _draw(field, seats, repetitions, salt, self_play, barred)
        matches = play_round_robin(
            field,
            rules,
            repetitions=repetitions,
            seed=seed,
            engine=engine,
            salt=salt,
            store=store,
            faults=faults,
            wanted=_wanted(drawn, len(field)),
            update=update,
        )
        all_faults += matches.faults
        if faults == "void" or not matches.faults:
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
    repetitions: int,
    salt: Salt,
    self_play: bool,
    barred: frozenset[int],
) -> NDArray[np.int32]:
    """(s, s, R, 2): who plays; the member of the lowest rank, so that one less moves no other draw."""
    members = [[m for m in seat.members if m not in barred] for seat in seats]
    drawn = np.full((len(seats), len(seats), repetitions, 2), -1, dtype=np.int32)
    for i, j in _pairs(len(seats), self_play):
        for side, at in enumerate((i, j)):
            if len(members[at]) <= 1:
                drawn[i, j, :, side] = members[at][0] if members[at] else -1
                continue
            match = (seats[i].name, seats[j].name, side)
            names = [field[m].name for m in members[at]]
            for r in range(repetitions):
                ranks = [salt.rank(*match, name, r) for name in names]
                drawn[i, j, r, side] = members[at][ranks.index(min(ranks))]
    return drawn


def _pairs(n: int, self_play: bool) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(n) for j in range(i if self_play else i + 1, n))


def _complete(drawn: NDArray[np.int32]) -> tuple[NDArray[np.intp], ...]:
    """Seats, repetition of the matches that both sides have a player for."""
    return np.nonzero((drawn >= 0).all(axis=-1))


def _wanted(drawn: NDArray[np.int32], n: int) -> NDArray[np.bool_]:
    """(n, n, R): matches of strategies, first <= second."""
    wanted = np.zeros((n, n, drawn.shape[2]), dtype=bool)
    i, j, r = _complete(drawn)
    a, b = drawn[i, j, r, 0], drawn[i, j, r, 1]
    wanted[np.minimum(a, b), np.maximum(a, b), r] = True
    return wanted


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
