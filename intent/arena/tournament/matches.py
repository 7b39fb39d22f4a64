"""The matches of a round robin: which there are, those played before, and playing the others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, MatchRules, MatchSeed, Played
from intent.arena.streams import MatchStreams, Salt
from intent.base.caches import SharedFile
from intent.base.errors import DataError, UsageError, located

__all__ = [
    "MOVES_VERSION",
    "Add",
    "Contest",
    "FaultPolicy",
    "Lot",
    "MatchStore",
    "Spoiled",
    "check_field",
    "lot_keys",
    "lots",
    "match_keys",
    "play_matches",
    "take_stored",
    "varies",
]


_ROUNDS_PER_LOT = 50_000
"""Rounds that are played in one child: long beside its start, short beside a tournament."""


@dataclass(frozen=True, slots=True)
class Lot:
    """Some matches of one pair.

    Parameters
    ----------
    first, second : int, places in the field
    repetitions : tuple of int from 0
    varies : bool
        Whether repetitions can differ; else one match stands for all.
    """

    first: int
    second: int
    repetitions: tuple[int, ...]
    varies: bool


def varies(first: Entrant, second: Entrant, rules: MatchRules) -> bool:
    """Whether two matches of a pair can differ: by noise, draws, or attributes that live on."""
    return bool(rules.noise) or first.draws or second.draws or rules.reuse_instances


def lots(
    field: Sequence[Entrant],
    rules: MatchRules,
    repetitions: int,
    *,
    self_play: bool = True,
    matches: NDArray[np.bool_] | None = None,
) -> list[Lot]:
    """All matches, self-play first, then neighbours in the field, then those two apart, and so on.

    Parameters
    ----------
    field : sequence of n Entrants
    repetitions : int, R
    matches : (n, n, R) bool, optional
        Those to play, at places (first, second) with first <= second; default: all.

    Returns
    -------
    list of Lot
    """
    n = len(field)
    size = repetitions if rules.reuse_instances else max(1, _ROUNDS_PER_LOT // rules.turns)
    every = tuple(range(repetitions))
    cut = [every[start : start + size] for start in range(0, repetitions, size)]
    planned = []
    for apart in range(0 if self_play else 1, n):
        for first in range(n - apart):
            second = first + apart
            own = every if matches is None else tuple(int(r) for r in np.flatnonzero(matches[first, second]))
            if not own:
                continue
            if not varies(field[first], field[second], rules):
                planned.append(Lot(first, second, (0,), varies=False))
                continue
            parts = cut
            if len(own) < repetitions and not rules.reuse_instances:
                parts = [own[start : start + size] for start in range(0, len(own), size)]
            planned += [Lot(first, second, part, varies=True) for part in parts]
    return planned


def cover_first(planned: Sequence[Lot]) -> tuple[list[Lot], list[Lot]]:
    """Lots that show each player once, and all others.

    A player that always fails is found in the first part, so that its other matches need not be waited for.
    """
    players: set[int] = set()
    cover: list[Lot] = []
    rest: list[Lot] = []
    for lot in planned:
        new = {lot.first, lot.second} - players
        (cover if new else rest).append(lot)
        players |= new
    return cover, rest


MOVES_VERSION = 1
"""Raised where the same source, streams and rules would give other moves than before."""

_SCHEMA = "CREATE TABLE matches (key BLOB PRIMARY KEY, moves BLOB NOT NULL) WITHOUT ROWID"
_LONGEST_QUERY = 500


class MatchStore:
    """Key -> the moves of one match, a bit each; whole transactions only.

    Keys say what decides the moves, so that a store may serve any number of tournaments. Faults are not
    kept: they depend on the machine (time, memory) and on the engine, and are found again.

    Parameters
    ----------
    path : Path or None
        None keeps it in memory.

    Raises
    ------
    OutputError
        The file cannot be made.
    DataError
        It is damaged, of another version, or no such store.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.path = None if path is None else Path(path)
        self._file = SharedFile(self.path, _SCHEMA, version=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def put(self, matches: Iterable[tuple[bytes, NDArray[np.uint8]]]) -> None:
        """Keep matches in one transaction.

        Parameters
        ----------
        matches : iterable of (key, moves (2, T) uint8, 1 = cooperate)
        """
        rows = [(key, np.packbits(moves.reshape(-1)).tobytes()) for key, moves in matches]
        if rows:
            with self._file.transaction() as connection:
                connection.executemany("INSERT OR REPLACE INTO matches VALUES (?, ?)", rows)

    def get(self, keys: Sequence[bytes], turns: int) -> dict[bytes, NDArray[np.uint8]]:
        """Those of the keys that are there, with their moves (2, turns).

        Raises
        ------
        DataError
            The moves of a key are not so many.
        """
        stored: dict[bytes, NDArray[np.uint8]] = {}
        for start in range(0, len(keys), _LONGEST_QUERY):
            part = list(keys[start : start + _LONGEST_QUERY])
            marks = ",".join("?" * len(part))
            query = f"SELECT key, moves FROM matches WHERE key IN ({marks})"
            with self._file.explained():
                rows = self._file.connection.execute(query, part).fetchall()
            stored |= {key: self._unpacked(packed, turns) for key, packed in rows}
        return stored

    def __len__(self) -> int:
        with self._file.explained():
            (n,) = self._file.connection.execute("SELECT count(*) FROM matches").fetchone()
        return int(n)

    def close(self) -> None:
        """Release the file."""
        self._file.close()

    def _unpacked(self, packed: bytes, turns: int) -> NDArray[np.uint8]:
        if not isinstance(packed, bytes) or len(packed) != (2 * turns + 7) // 8:
            raise DataError(
                located(self.path or "memory", f"a match that is not of {turns} turns; delete it")
            )
        bits = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=2 * turns)
        return np.asarray(bits.reshape(2, turns))


def match_keys(
    first: Entrant, second: Entrant, rules: MatchRules, seeds: Iterable[MatchSeed | None]
) -> Iterator[bytes]:
    """The key of each match of a pair: what it is that decides the moves, and nothing else.

    Parameters
    ----------
    first, second : Entrants, whose names play no part beyond the streams
    seeds : per match; None where nothing is drawn. Under ``reuse_instances`` a match depends on those
        before it, which must be given, too.
    """
    what = json.dumps([MOVES_VERSION, first.digest, second.digest, asdict(rules)], sort_keys=True)
    running = hashlib.sha256(what.encode())
    for seed in seeds:
        each = running.copy()
        each.update(f"\x1f{seed.key.hex() if isinstance(seed, MatchStreams) else seed}".encode())
        if rules.reuse_instances:
            running = each
        yield each.digest()[:16]


FaultPolicy = Literal["disqualify", "void"]


@dataclass(frozen=True)
class Contest:
    """How the matches of a field are played.

    Parameters
    ----------
    repetitions : int, R
    salt : Salt
        Gives with the names and the number of the repetition the streams of each match.
    store : MatchStore, optional
        Takes every match as it ends; those that it has are not played again.
    self_play : bool
        Whether everybody meets itself, too.
    faults : {"disqualify", "void"}
        ``disqualify``: none of the matches of a player that is ever at fault counts, so that all others met
        the same opponents. ``void``: only the pairs that were spoiled do not count.
    added : bool
        Whether repetitions may be added up as they come, so that memory is bounded by the pairs and not by
        the matches. Where code was written that may be at fault, this needs a store: the matches that count
        are then read again.
    update : called with (done, total) matches
    """

    repetitions: int
    salt: Salt
    engine: Engine
    store: MatchStore | None = None
    self_play: bool = True
    faults: FaultPolicy = "disqualify"
    added: bool = False
    update: Callable[[int, int], None] | None = None


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
    contest: Contest,
) -> Spoiled:
    """Play what is not stored; every match is added as it is known, spoiled or not.

    1. Matches in the store are added.
    2. Of the others, those that show each player once are played; who is at fault there is disqualified at
       once. The choice depends on the field alone, not on the store.
    3. All others are played.

    Parameters
    ----------
    field : sequence of n Entrants
    add : as `Add`
    """
    tell = contest.update or (lambda done, total: None)
    total = _matches(plan)
    stages = [
        [rest for lot in stage if (rest := take_stored(lot, field, rules, contest, add)) is not None]
        for stage in cover_first(plan)
    ]
    done = total - _matches(stages[0]) - _matches(stages[1])
    tell(done, total)
    spoiled: dict[tuple[int, int], Fault] = {}
    barred: frozenset[int] = frozenset()
    for stage in stages:
        open_lots = [lot for lot in stage if not {lot.first, lot.second} & barred]
        total -= _matches(stage) - _matches(open_lots)
        with closing(_play(open_lots, field, rules, contest)) as results:
            for lot, result in results:
                if isinstance(result, Fault):
                    _note(spoiled, lot, result)
                else:
                    add(lot, lot.repetitions, result.moves)
                done += len(lot.repetitions)
                tell(done, total)
        if contest.faults == "disqualify":
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
    lot: Lot, field: Sequence[Entrant], rules: MatchRules, contest: Contest, add: Add
) -> Lot | None:
    """Add what is in the store; what is left to play, None where nothing is."""
    if contest.store is None:
        return lot
    keys = lot_keys(lot, field, rules, contest.salt)
    stored = contest.store.get(keys, rules.turns)
    if rules.reuse_instances and len(stored) < len(keys):
        return lot
    have = [r for r, key in zip(lot.repetitions, keys, strict=True) if key in stored]
    if have:
        moves = np.stack([stored[key] for key in keys if key in stored])
        add(lot, tuple(have), moves)
    rest = tuple(r for r in lot.repetitions if r not in set(have))
    return replace(lot, repetitions=rest) if rest else None


def _play(
    plan: Sequence[Lot], field: Sequence[Entrant], rules: MatchRules, contest: Contest
) -> Generator[tuple[Lot, Played | Fault]]:
    """What became of each lot, in the order in which they end."""
    open_lots: dict[Job, Lot] = {}
    store = contest.store

    def jobs() -> Iterator[Job]:
        for lot in plan:
            job = Job(lot.first, lot.second, _streams(lot, field, contest.salt))
            open_lots[job] = lot
            yield job

    unwritten: list[tuple[bytes, NDArray[np.uint8]]] = []
    try:
        for result in contest.engine.play(field, jobs(), rules):
            lot = open_lots.pop(result.job)
            if isinstance(result, Played):
                _check_moves(result, rules)
                unwritten += zip(lot_keys(lot, field, rules, contest.salt), result.moves, strict=True)
            if store is not None and len(unwritten) >= _WRITTEN_TOGETHER:
                store.put(unwritten)
                unwritten = []
            elif store is None:
                unwritten = []
            yield lot, result
    finally:
        if store is not None:
            store.put(unwritten)


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
