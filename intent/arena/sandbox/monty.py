"""The engine ``monty``: an interpreter of its own, for machines where seccomp is missing.

Written code runs in Pydantic's Monty, a Python interpreter in Rust without files, network or modules of the
host, in worker processes; a fresh session per pair. The loop over rounds runs inside (`monty_session.py`) and
moves come back as two texts. Random words are drawn by numpy on this side: the moves are those of the other
engines. What Monty cannot end by itself (squaring huge integers) the time-out of its pool ends.

One monty session: what is fed to it, what ends it, and the random numbers of a match.

A pair with a session of Monty for each player and a referee between: what each does, it does alone.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import (
    Engine,
    Fault,
    FaultKind,
    Job,
    Limits,
    MatchRules,
    MatchSeed,
    Played,
    check_job,
    legacy_generator,
    match_draws,
)
from intent.arena.sandbox.confined import player_spec
from intent.arena.sandbox.monty_source import factory
from intent.arena.sandbox.names import OWN_METHODS, PARTS
from intent.arena.sandbox.runtime import DEEPEST, automaton_seat
from intent.arena.sandbox.values import C, D
from intent.base.errors import StrategyError, UsageError, one_line
from intent.base.registry import require
from intent.base.workers import usable_processors

__all__ = [
    "Draws",
    "Entering",
    "MontyEngine",
    "Table",
    "entering",
    "play_apart",
    "spread",
]


WORDS = 2048
"""32-bit words that a player's generator is given at a time at first; twice as many each time after."""

MOST_WORDS = 1 << 16

SESSION = ("monty_generator", "plain", "monty_world", "monty_session")
"""Modules of this folder whose text is fed to a session, in this order."""


class Broken(Exception):
    """A session that cannot go on: `kind` of fault and one line that says why."""

    def __init__(self, kind: FaultKind, reason: str) -> None:
        super().__init__(reason)
        self.kind, self.reason = kind, reason


@dataclass(frozen=True, eq=False)
class Draws:
    """The random numbers of one match.

    Parameters
    ----------
    flips : (turns, 2) bool, which realised moves noise flips; (0, 2) without noise
    seeds : pair of int, of each player's own generator
    """

    flips: NDArray[np.bool_]
    seeds: tuple[int, int]

    @classmethod
    def of(cls, seed: MatchSeed, pair: Sequence[Entrant], rules: MatchRules) -> Draws:
        """As `match_draws`."""
        (first, second), flips = match_draws(seed, [e.seeded for e in pair], rules)
        return cls(flips, (first, second))

    def more(self) -> Callable[[int], list[int]]:
        """What a session calls for the next words of a player's generator."""
        sizes = [WORDS, WORDS]
        generators: list[RandomState | None] = [None, None]

        def words(player: int) -> list[int]:
            generator = generators[player] or legacy_generator(self.seeds[player])
            generators[player] = generator
            n = sizes[player]
            sizes[player] = min(2 * n, MOST_WORDS)
            drawn: list[int] = generator.randint(0, 2**32, size=n, dtype=np.uint32).tolist()
            return drawn

        return words


class Table:
    """A session and the way to feed it.

    Parameters
    ----------
    client : module `pydantic_monty`
    session : MontySession, open
    output : int, bytes that may be printed in a match
    wall : float, seconds on the clock that a match may take in this session
    """

    def __init__(self, client: Any, session: Any, output: int, wall: float) -> None:
        self._client, self._session, self._output, self._wall = client, session, output, wall
        self.begin_match()

    def begin_match(self) -> None:
        """Count time and output of a match from here."""
        self._worked = 0.0
        self._printed = self._client.CollectString(max_bytes=self._output)

    def enter(self, seat: int, player: Entering) -> None:
        """Seat a player.

        Raises
        ------
        StrategyError
            The interpreter has no such syntax.
        Broken
        """
        try:
            self.feed(f"{player.code}\nzz_enter_{seat} = {player.made}")
        except Broken as broken:
            if broken.kind == "error":
                raise StrategyError(f"monty: {broken.reason}") from None
            raise

    def feed(self, code: str, more: Callable[[int], list[int]] | None = None, **inputs: object) -> object:
        """What the last expression of `code` is.

        Raises
        ------
        Broken
            Nothing came back: no time or memory left, too much written, or the interpreter died.
        """
        client = self._client
        external = {} if more is None else {"zz_more": more}
        begun = time.monotonic()
        try:
            answer = self._session.feed_run(
                code, inputs=inputs, external_lookup=external, print_callback=self._printed
            )
        except client.MontyCrashedError as error:
            if error.timed_out:
                raise Broken("time", "took too long, and its interpreter had to be ended") from None
            raise Broken("killed", f"its interpreter ended: {one_line(error)}") from None
        except client.MontyError as error:
            raise Broken(*self._ended(error)) from None
        self._worked += time.monotonic() - begun
        if self._worked > self._wall:
            raise Broken("time", f"took longer than {self._wall:g} s for a match")
        return answer

    def _ended(self, error: Any) -> tuple[FaultKind, str]:
        inner = error.exception()
        message = one_line(f"{type(inner).__name__}: {inner}")
        if isinstance(inner, TimeoutError):
            return "time", f"worked too long: {message}"
        if isinstance(inner, MemoryError):
            if f"> {self._output} bytes" in message:
                return "output", f"printed more than {self._output} bytes"
            return "memory", f"asked for more memory than it may have: {message}"
        if "suspension limit" in message:
            return "time", "turned to the host too often"
        return "error", message


@cache
def session_text() -> str:
    """The code that every session begins with."""
    folder = files("intent.arena.sandbox")
    names = f"zz_readable = {sorted(PARTS | OWN_METHODS)!r}\nzz_slices_hash = {sys.version_info >= (3, 12)}\n"
    return names + "\n".join(folder.joinpath(f"{name}.py").read_text(encoding="utf-8") for name in SESSION)


class Entering(NamedTuple):
    """What is fed for a player: code, and the expression that then stands for it."""

    code: str
    made: str


def entering(entrant: Entrant) -> Entering:
    """What is fed for a player.

    Raises
    ------
    StrategyError
    """
    a = entrant.automaton
    if a is None:
        return Entering(factory(entrant.source), "zz_written(zz_make)")
    table = f"{a.p_cooperate!r}, {a.next_state!r}, {a.start}, {a.memory == 'realised'}"
    return Entering("", f"zz_automaton({table})")


def all_current(pair: Sequence[Entrant], rules: MatchRules) -> bool:
    """Whether the player called first, too, sees the other's score without delay."""
    return rules.fidelity == "clean" or not all(entrant.keeps_score for entrant in pair)


def rules_text(rules: MatchRules) -> str:
    """Rules as arguments: turns, told length, noise, payoffs; whole payoffs as int, as they print."""
    pay = tuple(int(x) if float(x).is_integer() else float(x) for x in rules.payoffs)
    return f"{rules.turns}, {rules.turns if rules.known_length else -1}, {rules.noise!r}, {pay!r}"


class _Foul(Exception):
    def __init__(self, seat: int, turn: int | None, kind: FaultKind, reason: str) -> None:
        super().__init__(reason)
        self.seat, self.turn, self.kind, self.reason = seat, turn, kind, reason


def play_apart(
    job: Job, pair: Sequence[Entrant], rules: MatchRules, tables: Mapping[int, Table]
) -> Played | Fault:
    """The matches of a job, or the fault of the player that could not go on by itself.

    Automata are played here: a table cannot be at fault.

    Parameters
    ----------
    pair : two Entrants
    tables : seat -> Table, a fresh one for each player of written code, who has entered
    """
    moves = np.empty((len(job.seeds), 2, rules.turns), dtype=np.uint8)
    for repetition, seed in enumerate(job.seeds):
        draws = Draws.of(seed, pair, rules)
        seats = [
            _Written(tables[seat], seat, rules, draws) if seat in tables else _Local(pair[seat], draws, seat)
            for seat in (0, 1)
        ]
        try:
            _one_match(seats, pair, rules, draws, moves[repetition])
        except _Foul as foul:
            place = (job.first, job.second)[foul.seat]
            return Fault(job, place, foul.kind, foul.reason, repetition, foul.turn)
    return Played(job, moves)


class _Written:
    """A player of written code in a session of its own."""

    def __init__(self, table: Table, seat: int, rules: MatchRules, draws: Draws) -> None:
        self._table, self._seat, self._more = table, seat, draws.more()
        terms = rules_text(rules).split(", ", 1)[1]
        self._sit = f"zz_seat({seat}, zz_enter_{seat}, {terms}, {rules.reuse_instances})"

    def sit_down(self) -> None:
        """Begin a match."""
        self._table.begin_match()
        answer = self._ask(self._sit, None)
        if isinstance(answer, tuple):
            raise _Foul(self._seat, None, "error", one_line(answer[-1]))

    def move(self, turn: int, last: tuple[int, int], own: float, others: float) -> int:
        """The move (1 = cooperate) after the realised moves of the last round, own first, and both scores."""
        step = f"{last[0]}, {last[1]}, {_number(own)}, {_number(others)}"
        answer = self._ask(f"zz_step({self._seat}, {step})", turn)
        if isinstance(answer, tuple):
            kind, reason = answer[2], one_line(answer[3])
            if kind == "value":
                reason = f"returned {reason}, expected axl.Action.C or axl.Action.D"
            raise _Foul(self._seat, turn, kind, reason)
        if answer not in (0, 1):
            raise _Foul(self._seat, turn, "killed", "its session gave no move")
        return int(answer == 1)

    def _ask(self, code: str, turn: int | None) -> object:
        try:
            return self._table.feed(code, self._more)
        except Broken as broken:
            raise _Foul(self._seat, turn, broken.kind, broken.reason) from None


class _Local:
    """An automaton, with the methods of `_Written`."""

    def __init__(self, entrant: Entrant, draws: Draws, seat: int) -> None:
        self._spec, self._seed = player_spec(entrant), draws.seeds[seat]

    def sit_down(self) -> None:
        """Begin a match."""
        self._seat = automaton_seat(self._spec, self._seed)

    def move(self, turn: int, last: tuple[int, int], own: float, others: float) -> int:
        """As `_Written.move`."""
        if turn:
            self._seat.see(*((D, C)[move] for move in last))
        return int(self._seat.play(None, None) is C)


def _one_match(
    seats: Sequence[_Written | _Local],
    pair: Sequence[Entrant],
    rules: MatchRules,
    draws: Draws,
    moves: np.ndarray,
) -> None:
    """Fill the moves (2, turns) of one match."""
    late, pay = not all_current(pair, rules), rules.payoffs
    last, scores, shown = (-1, -1), (0.0, 0.0), 0.0
    for seat in seats:
        seat.sit_down()
    first, second = seats
    for turn in range(rules.turns):
        a = first.move(turn, last, scores[0], shown if late else scores[1])
        b = second.move(turn, last[::-1], scores[1], scores[0])
        if rules.noise:
            flip_a, flip_b = draws.flips[turn]
            a, b = a ^ int(flip_a), b ^ int(flip_b)
        shown = scores[1]
        scores = scores[0] + pay[3 - 2 * a - b], scores[1] + pay[3 - 2 * b - a]
        last = a, b
        moves[:, turn] = last


def _number(score: float) -> str:
    """As the session writes it: whole scores are int."""
    return repr(int(score) if float(score).is_integer() else float(score))


PATIENCE = 10.0
"""Seconds on the clock per second of `Limits.cpu`: Monty is slower, and the clock also runs for others."""


class MontyEngine(Engine):
    """Plays pairs in sessions of Monty, on as many worker processes as asked for.

    Parameters
    ----------
    workers : int, optional
        By default as many as there are usable processors.
    limits : Limits
        `memory` is that of a session's objects, `output` what may be printed per match, as Monty counts them;
        of the times that on the clock holds, since Monty knows no other.
    apart : bool
        Whether each player has a session of its own from the start, not only where a pair does not end
        well.

    Raises
    ------
    MissingExtraError
        pydantic-monty is not installed.
    UsageError
        No worker.
    """

    name = "monty"

    def __init__(
        self, workers: int | None = None, limits: Limits | None = None, *, apart: bool = False
    ) -> None:
        if workers is not None and workers < 1:
            raise UsageError(f"{workers} workers, expected at least 1")
        self._client = _client()
        self._workers = workers or usable_processors()
        self._limits = limits or Limits()
        self._apart = apart
        self._closed = False

    def play(
        self, field: Sequence[Entrant], jobs: Iterable[Job], rules: MatchRules
    ) -> Iterator[Played | Fault]:
        """What became of each job, as they end.

        Raises
        ------
        UsageError
            The engine is closed, its interpreter does not start, or a job is none.
        """
        if self._closed:
            raise UsageError("the engine is closed")
        with self._pool(rules) as pool:
            room = _Room(self._client, pool, self._limits, rules, tuple(field), self._apart)
            yield from spread(jobs, room.play, self._workers)

    @contextmanager
    def _pool(self, rules: MatchRules) -> Iterator[Any]:
        """Worker processes; as many more as workers, for those that play a match again apart."""
        _, wall = self._limits.per_match(rules.turns, PATIENCE)
        try:
            pool = self._client.Monty(
                min_processes=self._workers,
                max_processes=2 * self._workers,
                request_timeout=1.25 * wall,
                feed_duration_limit_grace=None,
                turn_duration_limit_grace=None,
            )
            pool.__enter__()
        except (OSError, RuntimeError) as error:
            raise UsageError(f"engine 'monty' does not start: {one_line(error)}") from None
        try:
            yield pool
        finally:
            pool.__exit__(None, None, None)

    def close(self) -> None:
        """Take no more jobs; the workers of a `play` end with it."""
        self._closed = True


class _Room:
    """Where the jobs of one `play` are played; used by several threads."""

    def __init__(
        self, client: Any, pool: Any, limits: Limits, rules: MatchRules, field: Sequence[Entrant], apart: bool
    ) -> None:
        self.client, self.pool, self.limits, self.rules, self.field = client, pool, limits, rules, field
        self.apart = apart
        _, self._wall = limits.per_match(rules.turns, PATIENCE)
        self._players: dict[int, Entering | StrategyError] = {}
        with self.pool.checkout(**self._settings()) as session:
            session.feed_run(session_text())
            self._begun: bytes = session.dump()

    def play(self, job: Job) -> Played | Fault:
        """All matches of a pair, in one session; where that does not end well, with a session per player.

        What the one session says of a fault is not believed: what is too much together may be the doing of
        one, and is no fault where both play it alone.
        """
        check_job(job, len(self.field), self.rules, self.limits)
        pair = [self.field[place] for place in (job.first, job.second)]
        entering: list[Entering] = []
        for place in (job.first, job.second):
            player = self._player(place)
            if isinstance(player, StrategyError):
                return Fault(job, place, "refused", one_line(player))
            entering.append(player)
        if not self.apart:
            try:
                return Played(job, self._together(job, pair, entering))
            except (Broken, StrategyError):
                pass
        return self._apart(job, pair, entering)

    def _together(self, job: Job, pair: Sequence[Entrant], entering: Sequence[Entering]) -> NDArray[np.uint8]:
        """Moves (repetitions, 2, turns) of both players in one session."""
        moves = np.empty((len(job.seeds), 2, self.rules.turns), dtype=np.uint8)
        settings = f"{rules_text(self.rules)}, {all_current(pair, self.rules)}, {self.rules.reuse_instances}"
        match = f"zz_match(zz_enter_0, zz_enter_1, {settings}, zz_flips)"
        with self._table() as table:
            for seat, player in enumerate(entering):
                table.enter(seat, player)
            for repetition, seed in enumerate(job.seeds):
                draws = Draws.of(seed, pair, self.rules)
                table.begin_match()
                texts = table.feed(match, draws.more(), zz_flips=draws.flips.tobytes())
                moves[repetition] = _moves(texts, self.rules.turns)
        return moves

    def _apart(self, job: Job, pair: Sequence[Entrant], entering: Sequence[Entering]) -> Played | Fault:
        """The job with a session for each player of written code."""
        with ExitStack() as open_tables:
            tables: dict[int, Table] = {}
            for seat, place in enumerate((job.first, job.second)):
                if pair[seat].automaton is not None:
                    continue
                tables[seat] = open_tables.enter_context(self._table())
                try:
                    tables[seat].enter(seat, entering[seat])
                except StrategyError as error:
                    return Fault(job, place, "refused", one_line(error))
                except Broken as broken:
                    return Fault(job, place, broken.kind, broken.reason)
            return play_apart(job, pair, self.rules, tables)

    def _player(self, place: int) -> Entering | StrategyError:
        if place not in self._players:
            try:
                self._players[place] = entering(self.field[place])
            except StrategyError as error:
                self._players[place] = error
        return self._players[place]

    def _settings(self) -> dict[str, Any]:
        bounds = {
            "max_feed_duration_secs": self._wall,
            "max_memory": self.limits.memory,
            "max_suspensions": 1_000_000,
            "max_recursion_depth": DEEPEST,
        }
        return {"limits": bounds, "os_policy": {"sleep": "zero"}}

    @contextmanager
    def _table(self) -> Iterator[Table]:
        with self.pool.checkout(**self._settings()) as session:
            session.load_session(self._begun)
            yield Table(self.client, session, self.limits.output, self._wall)


def _moves(texts: object, turns: int) -> NDArray[np.uint8]:
    """(2, turns) moves from the two texts of a session, which are not trusted."""
    if not (isinstance(texts, tuple) and len(texts) == 2):
        raise Broken("killed", "its session gave no moves")
    rows = []
    for text in texts:
        if not isinstance(text, str) or len(text) != turns or text.strip("01"):
            raise Broken("killed", "its session gave no moves")
        rows.append(np.frombuffer(text.encode(), dtype=np.uint8) - ord("0"))
    return np.stack(rows)


def _client() -> Any:
    require("pydantic_monty")
    import pydantic_monty

    return pydantic_monty


W = TypeVar("W")
R = TypeVar("R")


def spread(work: Iterable[W], do: Callable[[W], R], workers: int) -> Iterator[R]:
    """``do(item)`` of every item, in the order in which they end.

    Items are drawn as threads get free, and at most ``2 * workers`` results wait to be taken. Closing the
    iterator, or an error in it or in `do`, lets each thread end what it is at and no more.

    Parameters
    ----------
    work : iterable; drawn from by one thread at a time
    do : callable that lets other threads run while it waits
    """
    items = iter(work)
    drawing = threading.Lock()
    stopped = threading.Event()
    results: queue.Queue[tuple[bool, R | BaseException | None]] = queue.Queue(2 * workers)

    def put(last: bool, result: R | BaseException | None) -> None:
        while not stopped.is_set():
            try:
                results.put((last, result), timeout=0.1)
                return
            except queue.Full:
                continue

    def labour() -> None:
        try:
            while not stopped.is_set():
                with drawing:
                    item = next(items)
                put(False, do(item))
        except StopIteration:
            put(True, None)
        except BaseException as error:  # noqa: BLE001 - raised again where the results are taken
            put(True, error)

    threads = [threading.Thread(target=labour, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    try:
        left = workers
        while left:
            last, result = results.get()
            if isinstance(result, BaseException):
                raise result
            if last:
                left -= 1
            else:
                yield result  # type: ignore[misc]
    finally:
        stopped.set()
        for thread in threads:
            thread.join()
