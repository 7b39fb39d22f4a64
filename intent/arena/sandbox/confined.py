"""Engines ``seccomp`` and ``strict``: processes that the Linux kernel confines."""

from __future__ import annotations

import platform
import queue
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from intent.arena.entrant import Entrant
from intent.arena.match import Fault, Job, MatchRules, Played
from intent.arena.sandbox.host import Zygote, player_spec, request, told_fault, unpack_moves
from intent.arena.sandbox.job_check import check_job
from intent.arena.sandbox.limits import Limits
from intent.errors import IntentError, RunError, UsageError, shorten
from intent.processors import usable_processors

__all__ = ["ConfinedEngine", "confinement"]

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


class ConfinedEngine:
    """Plays each pair in confined processes; `Engine`'s contract.

    A pair plays in one fresh child, or with a process per player where `apart`. Where the child of a pair
    does not end well or says too much, its matches are played again apart, which names the culprit: what
    the child itself says of a fault is not believed.

    Parameters
    ----------
    workers : int, optional
        Zygotes that play at a time; by default one per usable processor.
    limits : Limits
    apart : bool

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

    def __enter__(self) -> ConfinedEngine:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

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
                    result = self._asked(zygote, job)
                except RunError:
                    zygote.close()
                    zygote = None if self._ending.is_set() else self._engine.borrow()
                    if zygote is None:
                        return
                    result = self._asked(zygote, job)
                self._results.put(result)
        except BaseException as error:  # noqa: BLE001 - raised where the results are read
            if zygote is not None:
                zygote.close()
                zygote = None
            self._results.put(error)
        finally:
            if zygote is not None:
                self._engine.give_back(zygote)

    def _asked(self, zygote: Zygote, job: Job) -> Played | Fault:
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
            return told_fault(job, body)
        return Played(job, unpack_moves(body, len(job.seeds), rules.turns))

    def _spec(self, place: int) -> dict[str, Any]:
        if place not in self._specs:
            self._specs[place] = player_spec(self._field[place])
        return self._specs[place]
