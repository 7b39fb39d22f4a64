"""Engines ``seccomp`` and ``strict``: processes that the Linux kernel confines.

The host's end of a zygote: starting it, asking it, ending it.

One player in a process of its own, move by move: for games that somebody else runs.
"""

from __future__ import annotations

import contextlib
import json
import platform
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import (
    INTERPRETER,
    Engine,
    Fault,
    FaultKind,
    Job,
    Limits,
    MatchRules,
    MatchSeed,
    Played,
    check_job,
    flips_text,
    match_draws,
)
from intent.base.errors import IntentError, RunError, StrategyError, UsageError, one_line, shorten
from intent.base.workers import usable_processors

__all__ = [
    "ConfinedEngine",
    "ConfinedPlayer",
    "PlayerFault",
    "Zygote",
    "confinement",
    "player_spec",
    "request",
    "unpack_moves",
]


_BOOT = """
import sys, types
for name in ("intent", "intent.arena", "intent.arena.sandbox"):
    module = sys.modules[name] = types.ModuleType(name)
    module.__path__ = []
module.__path__ = [sys.argv.pop()]
from intent.arena.sandbox.zygote import main
main()
"""


class Zygote:
    """A trusted process that forks confined children; requests and answers go through pipes.

    Raises
    ------
    RunError
        It does not start.
    """

    def __init__(self) -> None:
        # -S leaves out the site packages; the seed of hashes makes the order of sets the same in every run
        command = [
            sys.executable,
            "-S",
            "-s",
            "-B",
            "-P",
            "-W",
            "ignore",
            "-c",
            _BOOT,
            str(Path(__file__).parent),
        ]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PYTHONHASHSEED": "0"},
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise RunError(f"the sandbox does not start: {error.strerror}") from None
        word = self._receive()
        if word[:1] != b"K" or word[1:]:
            self.close()
            raise RunError(f"the sandbox does not start: {word[1:].decode() or 'its process ended'}")

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def ask(self, request: dict[str, Any]) -> tuple[str, bytes]:
        """Kind and body of the answer.

        Raises
        ------
        RunError
            The process has ended.
        """
        data = json.dumps(request).encode()
        try:
            self._send(struct.pack("<I", len(data)) + data)
            answer = self._receive()
        except (OSError, ValueError):
            answer = b""
        if not answer:
            raise RunError("a process of the sandbox has ended")
        if answer[:1] == b"E":
            raise RunError(answer[1:].decode())
        return chr(answer[0]), answer[1:]

    def hang_up(self) -> None:
        """Tell the process to end, whatever it does; for another thread than the one that asks."""
        self._process.kill()

    def close(self) -> None:
        """End the process and its children."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self._process.stdin.write(view) or 0 :]

    def _receive(self) -> bytes:
        head = self._exactly(4)
        return self._exactly(struct.unpack("<I", head)[0]) if head else b""

    def _exactly(self, n: int) -> bytes:
        assert self._process.stdout is not None
        reply = bytearray()
        while len(reply) < n:
            data = self._process.stdout.read(n - len(reply))
            if not data:
                return b""
            reply += data
        return bytes(reply)


def player_spec(entrant: Entrant) -> dict[str, Any]:
    """What a zygote is told of an entrant: how it plays, and not its name."""
    if entrant.automaton is None:
        return {"source": entrant.source, "seeded": entrant.seeded, "scored": entrant.keeps_score}
    a = entrant.automaton
    return {
        "p": a.p_cooperate,
        "next": a.next_state,
        "start": a.start,
        "intended": a.memory == "intended",
        "seeded": entrant.seeded,
    }


def request(
    what: str, players: list[dict[str, Any]], seeds: Sequence[MatchSeed], rules: MatchRules, limits: Limits
) -> dict[str, Any]:
    """A job as a zygote takes it: ``pair``, ``apart``, or ``live`` with one player and its own seed.

    Of the seed of a match it is told only what is drawn from it: the players' seeds and the flips of noise.
    """
    late = rules.fidelity == "axelrod"
    terms = (rules.payoffs, rules.turns, rules.noise, late, rules.known_length, rules.reuse_instances)
    budget = (limits.memory + INTERPRETER, *limits.per_match(rules.turns), len(seeds))
    if what == "live":
        matches = [([seed for seed in seeds if isinstance(seed, int)], "")]
    else:
        seeded = [player["seeded"] for player in players]
        drawn = [match_draws(seed, seeded, rules) for seed in seeds]
        matches = [(own, flips_text(flips) if rules.noise else "") for own, flips in drawn]
    return {"op": what, "players": players, "matches": matches, "rules": terms, "budget": budget}


def unpack_moves(body: bytes, repetitions: int, turns: int) -> NDArray[np.uint8]:
    """Moves (repetitions, 2, turns) uint8, 1 = cooperate, of a byte per round: 0 to 3 for CC, CD, DC, DD.

    Raises
    ------
    RunError
        Not as many rounds, or another byte; nothing that a sandbox says is taken on trust.
    """
    codes = np.frombuffer(body, np.uint8)
    if codes.size != repetitions * turns or (codes > 3).any():
        raise RunError(f"the sandbox gave {codes.size} rounds, expected {repetitions * turns} of 0 to 3")
    codes = codes.reshape(repetitions, turns)
    return np.stack([1 - (codes >> 1), 1 - (codes & 1)], axis=1)


def read_fault(job: Job, body: bytes) -> Fault:
    """The fault that a referee tells."""
    words = json.loads(body)
    return Fault(
        job,
        job.second if words["seat"] else job.first,
        words["kind"],
        one_line(words["reason"], 300),
        words["repetition"],
        words["turn"],
    )


MACHINES = ("x86_64", "aarch64")
"""Machines whose system calls the filter knows."""


@cache
def confinement() -> str | None:
    """Why this machine cannot confine processes, or None; found out once, by trying."""
    if (why_not := unsupported(sys.platform, platform.machine())) is not None:
        return why_not
    try:
        zygote = Zygote()
        try:
            _, why = zygote.ask({"op": "probe", "budget": (Limits().memory, 10.0, 20.0, 1)})
        finally:
            zygote.close()
    except (IntentError, OSError) as error:
        return shorten(error)
    return why.decode() or None


def unsupported(system: str, machine: str) -> str | None:
    """Why there is no filter for such a machine, or None."""
    if system != "linux":
        return f"it needs Linux, this is {system}"
    if machine not in MACHINES:
        return f"it is set up for {' and '.join(MACHINES)}, this is {machine}"
    return None


class ConfinedEngine(Engine):
    """Plays each pair in confined processes; `Engine`'s contract.

    A pair plays in one fresh child, or with a process per player where `apart`. Where the child of a pair
    does not end well or says too much, its matches are played again apart, which names the culprit: what
    the child itself says of a fault is not believed.

    Parameters
    ----------
    workers : int, optional
        Zygotes that play at a time; by default one per usable processor.

    Raises
    ------
    UsageError
    """

    def __init__(
        self, workers: int | None = None, limits: Limits | None = None, *, apart: bool = False
    ) -> None:
        if workers is not None and not 1 <= workers <= 1024:
            raise UsageError(f"{workers} workers, expected 1 to 1024")
        self.workers = workers or usable_processors()
        self.limits = limits or Limits()
        self.apart = apart
        self._idle: list[Zygote] = []
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """``seccomp`` or ``strict``."""
        return "strict" if self.apart else "seccomp"

    def close(self) -> None:
        """End the processes; a later play starts new ones."""
        with self._lock:
            idle, self._idle = self._idle, []
        for zygote in idle:
            zygote.close()

    def play(
        self, field: Sequence[Entrant], jobs: Iterable[Job], rules: MatchRules
    ) -> Iterator[Played | Fault]:
        """What became of each job, as they end; one job per worker waits beside those that are played.

        Raises
        ------
        UsageError
            A job is longer than `limits.output`, or a player is not in the field.
        RunError
            The sandbox does not start, or its processes end again and again.
        """
        table = _Table(self, field, rules)
        try:
            yield from table.results(iter(jobs))
        finally:
            table.clear()

    def borrow(self) -> Zygote:
        """A zygote that nobody uses."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return Zygote()

    def give_back(self, zygote: Zygote) -> None:
        """Keep it for the next who plays."""
        with self._lock:
            self._idle.append(zygote)


class _Table:
    """The workers of one `play`: threads that each drive a zygote."""

    def __init__(self, engine: ConfinedEngine, field: Sequence[Entrant], rules: MatchRules) -> None:
        self._engine, self._field, self._rules = engine, field, rules
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[Played | Fault | BaseException] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._busy: dict[int, Zygote] = {}
        self._ending = threading.Event()
        self._specs: dict[int, dict[str, Any]] = {}

    def results(self, jobs: Iterator[Job]) -> Iterator[Played | Fault]:
        workers = self._engine.workers
        waiting = 0
        more = True
        while more or waiting:
            while more and waiting < 2 * workers:
                job = next(jobs, None)
                if job is None:
                    more = False
                    break
                check_job(job, len(self._field), self._rules, self._engine.limits)
                self._jobs.put(job)
                waiting += 1
                if len(self._threads) < min(workers, waiting):
                    self._start()
            if waiting:
                result = self._results.get()
                waiting -= 1
                if isinstance(result, BaseException):
                    raise result
                yield result

    def clear(self) -> None:
        """End the threads; what is still played is broken off."""
        self._ending.set()
        for _ in self._threads:
            self._jobs.put(None)
        for zygote in list(self._busy.values()):
            zygote.hang_up()
        for thread in self._threads:
            thread.join()

    def _start(self) -> None:
        thread = threading.Thread(target=self._work, name="intent-sandbox", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        zygote: Zygote | None = None
        try:
            while (job := self._jobs.get()) is not None and not self._ending.is_set():
                zygote = zygote or self._engine.borrow()
                try:
                    result = self._answer(zygote, job)
                except RunError:
                    zygote.close()
                    zygote = None if self._ending.is_set() else self._engine.borrow()
                    if zygote is None:
                        return
                    result = self._answer(zygote, job)
                self._results.put(result)
        except BaseException as error:  # noqa: BLE001 - raised where the results are read
            if zygote is not None:
                zygote.close()
                zygote = None
            self._results.put(error)
        finally:
            if zygote is not None:
                self._engine.give_back(zygote)

    def _answer(self, zygote: Zygote, job: Job) -> Played | Fault:
        """As `_played`, while `clear` knows which zygote to break off."""
        key = threading.get_ident()
        self._busy[key] = zygote
        try:
            if self._ending.is_set():
                raise RunError("the play was broken off")
            return self._played(zygote, job)
        finally:
            del self._busy[key]

    def _played(self, zygote: Zygote, job: Job) -> Played | Fault:
        rules, limits = self._rules, self._engine.limits
        players = [self._spec(job.first), self._spec(job.second)]
        kind = "S"
        if not self._engine.apart:
            kind, body = zygote.ask(request("pair", players, job.seeds, rules, limits))
        if kind == "S":
            kind, body = zygote.ask(request("apart", players, job.seeds, rules, limits))
        if kind == "F":
            return read_fault(job, body)
        return Played(job, unpack_moves(body, len(job.seeds), rules.turns))

    def _spec(self, place: int) -> dict[str, Any]:
        if place not in self._specs:
            self._specs[place] = player_spec(self._field[place])
        return self._specs[place]


class PlayerFault(StrategyError):
    """A confined player cannot go on."""

    def __init__(self, name: str, kind: FaultKind, reason: str) -> None:
        super().__init__(f"strategy {name}: {kind}: {reason}")
        self.kind: FaultKind = kind


class ConfinedPlayer:
    """A strategy at a table where the opponent is no other written code; a context manager.

    Both scores are current, as against an automaton.

    Parameters
    ----------
    rules : MatchRules
        Noise is the table's: `move` is told what was realised.
    seed : int in [0, 2**128)
        Of the player's own generator.

    Raises
    ------
    UsageError
        Processes cannot be confined here.
    """

    def __init__(self, entrant: Entrant, rules: MatchRules, seed: int, limits: Limits | None = None) -> None:
        if (why := confinement()) is not None:
            raise UsageError(f"a written strategy cannot join a live game here: {why}")
        if not 0 <= seed < 2**128:
            raise UsageError(f"seed {seed}, expected 0 to 2**128 - 1")
        self._entrant, self._rules, self._seed = entrant, rules, seed
        self._limits = limits or Limits()
        self._zygote: Zygote | None = None

    def __enter__(self) -> ConfinedPlayer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def move(self, own_last: int | None = None, other_last: int | None = None) -> int:
        """The next move, 1 = cooperate.

        Parameters
        ----------
        own_last, other_last : int, 1 = cooperate
            What was realised in the last round; None in the first.

        Raises
        ------
        PlayerFault
        UsageError
            The first round has no last moves, and a later one needs them.
        RunError
        """
        if (own_last is None) != (self._zygote is None) or (other_last is None) != (self._zygote is None):
            raise UsageError("the first move follows no round, and every later one the last round's moves")
        if self._zygote is None or own_last is None or other_last is None:
            self._zygote = Zygote()
            players = [player_spec(self._entrant)]
            message = request("live", players, (self._seed,), self._rules, self._limits)
        else:
            message = {"op": "tell", "own": int(own_last == 0), "other": int(other_last == 0)}
        kind, body = self._zygote.ask(message)
        if kind == "F":
            words = json.loads(body)
            raise PlayerFault(self._entrant.name, words["kind"], one_line(words["reason"], 300))
        return 1 - body[0]

    def close(self) -> None:
        """End the player's process; a player that was closed begins anew."""
        if self._zygote is not None:
            self._zygote.close()
            self._zygote = None
