"""Play the matches of a round robin through an engine, with what is stored already, and hand each over."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, MatchRules, MatchSeed, Played
from intent.arena.streams import Salt
from intent.arena.tournament.schedule import Lot, cover_first
from intent.arena.tournament.store import MatchStore, match_keys
from intent.errors import UsageError

__all__ = ["Add", "FaultPolicy", "Spoiled", "check_field", "lot_keys", "play_matches", "take_stored"]

FaultPolicy = Literal["disqualify", "void"]

Add = Callable[[Lot, tuple[int, ...], NDArray[np.uint8]], None]
"""Told of matches: their lot, their repetitions, moves (R, 2, T)."""

_WRITTEN_TOGETHER = 200
"""Matches of one transaction: what a killed tournament may lose."""


@dataclass(frozen=True)
class Spoiled:
    """What must not count.

    Attributes
    ----------
    pairs : (first, second) -> Fault
        Pairs of which a match was spoiled.
    barred : frozenset of int
        Places of those of whom nothing counts.
    """

    pairs: dict[tuple[int, int], Fault]
    barred: frozenset[int]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The first of each pair, in the order of the pairs."""
        return tuple(self.pairs[pair] for pair in sorted(self.pairs))

    def spoils(self, lot: Lot) -> bool:
        """Whether the matches of a lot must not count."""
        return bool({lot.first, lot.second} & self.barred) or (lot.first, lot.second) in self.pairs


def play_matches(
    field: Sequence[Entrant],
    rules: MatchRules,
    plan: Sequence[Lot],
    add: Add,
    *,
    salt: Salt,
    engine: Engine,
    store: MatchStore | None = None,
    faults: FaultPolicy = "disqualify",
    update: Callable[[int, int], None] | None = None,
) -> Spoiled:
    """Play what is not stored; every match is added as it is known, spoiled or not.

    1. Matches in the store are added.
    2. Of the others, those that show each player once are played; who is at fault there is disqualified at
       once. The choice depends on the field alone, not on the store.
    3. All others are played.

    Parameters
    ----------
    field : sequence of n Entrants
    rules : MatchRules
    plan : sequence of Lot
    add : as `Add`
    salt : Salt, of all streams
    engine, store, faults, update
        As `intent.arena.tournament.round_robin.play_round_robin`.
    """
    tell = update or (lambda done, total: None)
    total = _matches(plan)
    stages = [
        [rest for lot in stage if (rest := take_stored(lot, field, rules, salt, store, add)) is not None]
        for stage in cover_first(plan)
    ]
    done = total - _matches(stages[0]) - _matches(stages[1])
    tell(done, total)
    spoiled: dict[tuple[int, int], Fault] = {}
    barred: frozenset[int] = frozenset()
    for stage in stages:
        open_lots = [lot for lot in stage if not {lot.first, lot.second} & barred]
        total -= _matches(stage) - _matches(open_lots)
        with closing(_play(open_lots, field, rules, salt, engine, store)) as results:
            for lot, result in results:
                if isinstance(result, Fault):
                    _note(spoiled, lot, result)
                else:
                    add(lot, lot.repetitions, result.moves)
                done += len(lot.repetitions)
                tell(done, total)
        if faults == "disqualify":
            barred = frozenset(fault.player for fault in spoiled.values())
    return Spoiled(spoiled, barred)


def check_field(field: Sequence[Entrant], repetitions: int) -> None:
    """Refuse what is no field of a tournament.

    Raises
    ------
    UsageError
        No entrants, two of one name, no repetitions.
    """
    if not field:
        raise UsageError("no strategies to play, expected at least one")
    if repetitions < 1:
        raise UsageError(f"{repetitions} repetitions, expected at least 1")
    names = [entrant.name for entrant in field]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise UsageError(f"two strategies are named {twice!r}, expected different names")


def _matches(some: Sequence[Lot]) -> int:
    return sum(len(lot.repetitions) for lot in some)


def lot_keys(lot: Lot, field: Sequence[Entrant], rules: MatchRules, salt: Salt) -> list[bytes]:
    """Keys in the store of the matches of a lot."""
    seeds: Sequence[MatchSeed | None] = _streams(lot, field, salt) if lot.varies else (None,)
    return list(match_keys(field[lot.first], field[lot.second], rules, seeds))


def _streams(lot: Lot, field: Sequence[Entrant], salt: Salt) -> tuple[MatchSeed, ...]:
    first, second = field[lot.first].name, field[lot.second].name
    return tuple(salt.match(first, second, r) for r in lot.repetitions)


def take_stored(
    lot: Lot,
    field: Sequence[Entrant],
    rules: MatchRules,
    salt: Salt,
    store: MatchStore | None,
    add: Add,
) -> Lot | None:
    """Add what is in the store; what is left to play, None where nothing is."""
    if store is None:
        return lot
    keys = lot_keys(lot, field, rules, salt)
    stored = store.get(keys, rules.turns)
    if rules.reuse_instances and len(stored) < len(keys):
        return lot
    have = [r for r, key in zip(lot.repetitions, keys, strict=True) if key in stored]
    if have:
        moves = np.stack([stored[key] for key in keys if key in stored])
        add(lot, tuple(have), moves)
    left = tuple(r for r in lot.repetitions if r not in set(have))
    return replace(lot, repetitions=left) if left else None


def _play(
    wanted: Sequence[Lot],
    field: Sequence[Entrant],
    rules: MatchRules,
    salt: Salt,
    engine: Engine,
    store: MatchStore | None,
) -> Generator[tuple[Lot, Played | Fault]]:
    """What became of each lot, in the order in which they end."""
    given: dict[Job, Lot] = {}

    def jobs() -> Iterator[Job]:
        for lot in wanted:
            job = Job(lot.first, lot.second, _streams(lot, field, salt))
            given[job] = lot
            yield job

    kept: list[tuple[bytes, NDArray[np.uint8]]] = []
    try:
        for result in engine.play(field, jobs(), rules):
            lot = given.pop(result.job)
            if isinstance(result, Played):
                _check_moves(result, rules)
                kept += zip(lot_keys(lot, field, rules, salt), result.moves, strict=True)
            if store is not None and len(kept) >= _WRITTEN_TOGETHER:
                store.put(kept)
                kept = []
            elif store is None:
                kept = []
            yield lot, result
    finally:
        if store is not None:
            store.put(kept)


def _check_moves(played: Played, rules: MatchRules) -> None:
    expected = (len(played.job.seeds), 2, rules.turns)
    if played.moves.shape != expected:
        raise UsageError(f"an engine gave moves of shape {played.moves.shape}, expected {expected}")


def _note(spoiled: dict[tuple[int, int], Fault], lot: Lot, fault: Fault) -> None:
    """Keep the first fault of each pair, with the tournament's number of the repetition."""
    at = None if fault.repetition is None else lot.repetitions[fault.repetition]
    fault = replace(fault, repetition=at)
    pair = (lot.first, lot.second)
    known = spoiled.get(pair)
    if known is None or (at or 0) < (known.repetition or 0):
        spoiled[pair] = fault
