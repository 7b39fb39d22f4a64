"""The moves of a tournament, read back from its store match by match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.round_robin import RoundRobin
from intent.arena.streams import Salt
from intent.arena.tournament.agents import LineUp
from intent.arena.tournament.matches import lot_keys
from intent.arena.tournament.schedule import Lot, lots, varies
from intent.arena.tournament.store import MatchStore

__all__ = ["StoredMatch", "Which", "line_up_matches", "round_robin_matches"]

Which = Literal["first", "all"]


@dataclass(frozen=True, eq=False)
class StoredMatch:
    """One match.

    Parameters
    ----------
    players : (str, str)
        Names of the seats: a strategy's, or an agent's.
    strategies : (Entrant, Entrant)
    repetition : int from 0
    moves : (2, T) uint8, 1 = cooperate
    """

    players: tuple[str, str]
    strategies: tuple[Entrant, Entrant]
    repetition: int
    moves: NDArray[np.uint8]


def round_robin_matches(
    table: RoundRobin, salt: Salt, store: MatchStore, which: Which = "first"
) -> Iterator[StoredMatch]:
    """The matches that count, in the order of the schedule; of pairs that cannot differ, one.

    Parameters
    ----------
    table : RoundRobin
    salt : Salt, of the tournament
    store : MatchStore
    which : {"first", "all"}, repetitions
    """
    played, added = table.played, table.added is not None
    for lot in lots(table.field, table.rules, table.repetitions):
        there = played[lot.first, lot.second]
        numbers = [r for r in lot.repetitions if there[0 if added else r] and (which == "all" or r == 0)]
        if numbers:
            yield from _of_lot(lot, numbers, table, salt, store)


def line_up_matches(
    line_up: LineUp, salt: Salt, store: MatchStore, which: Which = "first"
) -> Iterator[StoredMatch]:
    """The matches of a line-up, seats in order; the first move is the first seat's.

    Parameters
    ----------
    line_up : LineUp
    salt, store, which : as `round_robin_matches`
    """
    base, seats = line_up.matches, line_up.table.field
    played = line_up.table.played
    repetitions = played.shape[2] if which == "all" else 1
    for i in range(len(seats)):
        for j in range(i, len(seats)):
            for r in map(int, np.flatnonzero(played[i, j, :repetitions])):
                a, b = map(int, line_up.drawn[i, j, r])
                first, second = min(a, b), max(a, b)
                differ = varies(base.field[first], base.field[second], base.rules)
                numbers = tuple(range(played.shape[2])) if base.rules.reuse_instances else (r,)
                lot = Lot(first, second, numbers, differ)
                for match in _of_lot(lot, [r], base, salt, store):
                    yield StoredMatch(
                        (seats[i].name, seats[j].name),
                        (base.field[a], base.field[b]),
                        r,
                        match.moves if a <= b else match.moves[::-1],
                    )


def _of_lot(
    lot: Lot, numbers: Sequence[int], table: RoundRobin, salt: Salt, store: MatchStore
) -> Iterator[StoredMatch]:
    pair = (table.field[lot.first], table.field[lot.second])
    keys = dict(zip(lot.repetitions, lot_keys(lot, table.field, table.rules, salt), strict=True))
    found = store.get([keys[r] for r in numbers], table.rules.turns)
    for r in numbers:
        yield StoredMatch((pair[0].name, pair[1].name), pair, r, found[keys[r]])
