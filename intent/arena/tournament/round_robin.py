"""Play a round robin through an engine, with what is stored already, into the table of its counts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, MatchRules, Played, match_seed
from intent.arena.round_robin import RoundRobin
from intent.arena.tournament.schedule import Lot, cover_first, lots
from intent.arena.tournament.store import MatchStore, match_keys
from intent.arena.tournament.tally import Tally
from intent.errors import UsageError

__all__ = ["FaultPolicy", "check_field", "lot_keys", "play_round_robin"]

FaultPolicy = Literal["disqualify", "void"]

_WRITTEN_TOGETHER = 200
"""Matches of one transaction: what a killed tournament may lose."""


def play_round_robin(
    field: Sequence[Entrant],
    rules: MatchRules,
    *,
    repetitions: int,
    seed: int,
    engine: Engine,
    store: MatchStore | None = None,
    self_play: bool = True,
    faults: FaultPolicy = "disqualify",
    wanted: NDArray[np.bool_] | None = None,
    update: Callable[[int, int], None] | None = None,
) -> RoundRobin:
    """Everybody against everybody, and against itself.

    The same table comes out on any engine and number of workers, and whatever part was in the store before.
    A pair in which nothing is drawn is played once and stands for all repetitions.

    1. Matches in the store are counted.
    2. Of the others, those that show each player once are played; who is at fault there is disqualified at
       once. The choice depends on the field alone, not on the store.
    3. All others are played.
    4. The policy on faults is applied.

    Parameters
    ----------
    field : sequence of n Entrants with different names
    rules : MatchRules
    repetitions : int, R
    seed : int
        With the names and the number of the repetition it gives the seed of each match.
    engine : Engine
    store : MatchStore, optional
        Takes every match as it ends.
    self_play : bool
    faults : {"disqualify", "void"}
        ``disqualify``: none of the matches of a player that is ever at fault counts, so that all others met
        the same opponents. ``void``: only the pairs that were spoiled do not count.
    wanted : (n, n, R) bool, optional
        Matches that are needed, at (first, second) with first <= second; default: all.
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
    tally = Tally(len(field), repetitions)
    tell = update or (lambda done, total: None)
    plan = lots(field, rules, repetitions, self_play=self_play, wanted=wanted)
    total = _matches(plan)
    stages = [
        [rest for lot in stage if (rest := _take_stored(lot, field, rules, seed, store, tally)) is not None]
        for stage in cover_first(plan)
    ]
    done = total - _matches(stages[0]) - _matches(stages[1])
    tell(done, total)
    spoiled: dict[tuple[int, int], Fault] = {}
    barred: frozenset[int] = frozenset()
    for stage in stages:
        open_lots = [lot for lot in stage if not {lot.first, lot.second} & barred]
        total -= _matches(stage) - _matches(open_lots)
        with closing(_play(open_lots, field, rules, seed, engine, store)) as results:
            for lot, result in results:
                if isinstance(result, Fault):
                    _note(spoiled, lot, result)
                else:
                    tally.add(lot, lot.repetitions, result.moves)
                done += len(lot.repetitions)
                tell(done, total)
        if faults == "disqualify":
            barred = frozenset(fault.player for fault in spoiled.values())
    for pair in spoiled:
        tally.void(*pair)
    for player in barred:
        tally.disqualify(player)
    ordered = tuple(spoiled[pair] for pair in sorted(spoiled))
    return tally.table(tuple(field), rules, ordered)


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


def lot_keys(lot: Lot, field: Sequence[Entrant], rules: MatchRules, seed: int) -> list[bytes]:
    """Keys in the store of the matches of a lot."""
    first, second = field[lot.first], field[lot.second]
    seeds: list[int | None] = [None]
    if lot.varies:
        seeds = [match_seed(seed, first.name, second.name, r) for r in lot.repetitions]
    return list(match_keys(first, second, rules, seeds))


def _take_stored(
    lot: Lot,
    field: Sequence[Entrant],
    rules: MatchRules,
    seed: int,
    store: MatchStore | None,
    tally: Tally,
) -> Lot | None:
    """Count what is in the store; what is left to play, None where nothing is."""
    if store is None:
        return lot
    keys = lot_keys(lot, field, rules, seed)
    stored = store.get(keys, rules.turns)
    if rules.reuse_instances and len(stored) < len(keys):
        return lot
    have = [r for r, key in zip(lot.repetitions, keys, strict=True) if key in stored]
    if have:
        moves = np.stack([stored[key] for key in keys if key in stored])
        tally.add(lot, tuple(have), moves)
    left = tuple(r for r in lot.repetitions if r not in set(have))
    return replace(lot, repetitions=left) if left else None


def _play(
    wanted: Sequence[Lot],
    field: Sequence[Entrant],
    rules: MatchRules,
    seed: int,
    engine: Engine,
    store: MatchStore | None,
) -> Generator[tuple[Lot, Played | Fault]]:
    """What became of each lot, in the order in which they end."""
    given: dict[Job, Lot] = {}

    def jobs() -> Iterator[Job]:
        for lot in wanted:
            first, second = field[lot.first].name, field[lot.second].name
            job = Job(
                lot.first,
                lot.second,
                tuple(match_seed(seed, first, second, r) for r in lot.repetitions),
            )
            given[job] = lot
            yield job

    kept: list[tuple[bytes, NDArray[np.uint8]]] = []
    try:
        for result in engine.play(field, jobs(), rules):
            lot = given.pop(result.job)
            if isinstance(result, Played):
                _check_moves(result, rules)
                kept += zip(lot_keys(lot, field, rules, seed), result.moves, strict=True)
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
