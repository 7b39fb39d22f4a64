"""A forked, confined process: starting it, listening to it, what it may use, and what ended it.

Runs in the zygote, standard library only; no written code runs in this process.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import time
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from intent.arena.sandbox.runtime import Foul, leave
from intent.arena.sandbox.seccomp import READ_FD, WRITE_FD, confine, end_with_parent

__all__ = [
    "Budget",
    "Child",
    "EndedOutside",
    "HostGone",
    "NotConfined",
    "become",
    "confine_here",
    "fork_child",
    "stay_with",
]

_UNCONFINED = signal.SIGUSR1
"""What a child ends itself with that the kernel would not confine; a confined one can send no signal."""


PATIENCE = 10
"""How many times its time on the clock a child may take that has work to do and no processor to do it."""


class HostGone(Exception):
    """Nobody waits for an answer any more."""


class EndedOutside(Exception):
    """Something outside ended a child, as the kernel does when the machine has no memory left."""


class NotConfined(Exception):
    """The kernel refused to confine a child; no player is to blame."""


class Budget(NamedTuple):
    """What a child may use: bytes of memory; seconds of work and on the clock per match; matches.

    The time on the clock holds for a child that sleeps. One that has work and lacks a processor, on a machine
    that is busy otherwise, may take `PATIENCE` times as long.
    """

    memory: int
    cpu: float
    wall: float
    matches: int


class Child:
    """A forked process and the pipes to it.

    Parameters
    ----------
    pid : int, a child of this process
    budget : Budget
        May be set later, before the first match.
    output : int, the descriptor that it is heard on
    input : int, optional
        The one that it is told on.
    """

    def __init__(self, pid: int, budget: Budget, output: int, input: int | None = None) -> None:
        self.pid, self.budget, self.output, self.input = pid, budget, output, input
        self._gone = False
        self._poll = select.poll()
        self._poll.register(output, select.POLLIN)
        self._poll.register(0, 0)
        self.begin_match()

    def begin_match(self) -> None:
        """Count the time of a match from here."""
        self.waited = 0.0
        self.worked = self._clock()
        # no sooner can its time be used up
        self._due = min(self.budget.cpu, self.budget.wall)

    def receive(self, most: int) -> bytes:
        """What the child writes next, at most so many bytes; nothing at its end.

        Raises
        ------
        Foul
            It worked too long, or slept too long.
        HostGone
        """
        cpu, wall = self.budget.cpu, self.budget.wall
        while True:
            begun = time.monotonic()
            ready = self._poll.poll(max(0.0, self._due - self.waited) * 1000 + 1)
            self.waited += time.monotonic() - begun
            for descriptor, _ in ready:
                if descriptor == self.output:
                    return os.read(self.output, most)
                raise HostGone
            used = self._clock() - self.worked
            if used >= cpu:
                raise Foul("time", f"worked longer than {cpu:g} s in a match")
            left = wall - self.waited
            if left <= 0:
                left = PATIENCE * wall - self.waited
                # what it wrote after the poll is taken by the next one
                if left <= 0 or not (self._has_work() or self._poll.poll(0)):
                    raise Foul("time", f"took longer than {self.waited:.1f} s for a match")
                left = min(left, wall / 4)
            self._due = self.waited + min(left, max(cpu - used, 0.005))

    def end(self) -> None:
        """End the child, if it has not ended."""
        if not self._gone:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.wait4(self.pid, 0)
            self._forget()

    def ended(self) -> Foul | None:
        """Wait for a child that has closed its pipe; what ended it, where that is a fault."""
        # the filter forbids closing the pipe, so its end is the end of the process
        _, status, used = os.wait4(self.pid, 0)
        self._forget()
        return self._verdict(status, used.ru_utime + used.ru_stime)

    def _forget(self) -> None:
        self._gone = True
        os.close(self.output)
        if self.input is not None:
            os.close(self.input)

    def _verdict(self, status: int, worked: float) -> Foul | None:
        if os.WIFEXITED(status):
            code = os.WEXITSTATUS(status)
            return None if code == 0 else Foul("killed", f"ended its process with status {code}")
        number = os.WTERMSIG(status)
        limit = self.budget.cpu * self.budget.matches
        if number == _UNCONFINED:
            raise NotConfined
        if number == signal.SIGSYS:
            return Foul("killed", "used a system call that the sandbox forbids")
        if number == signal.SIGXCPU or (number == signal.SIGKILL and worked >= limit):
            return Foul("time", f"worked longer than {limit:g} s")
        if number == signal.SIGKILL:
            # a confined child can send no signal: no player is to blame
            raise EndedOutside
        return Foul("killed", f"its process ended by signal {number}")

    def _has_work(self) -> bool:
        """Whether the child waits for a processor or for memory, and not for an event."""
        try:
            with open(f"/proc/{self.pid}/stat", "rb") as told:
                return told.read().rpartition(b")")[2].split()[0] in (b"R", b"D")
        except OSError:
            return False

    def _clock(self) -> float:
        """Seconds of processor time that the child has used."""
        # the number of another process's clock, as <linux/posix-timers.h> composes it
        try:
            return time.clock_gettime((~self.pid << 3) | 2)
        except OSError:
            return 0.0


def fork_child(task: Callable[[], None], budget: Budget) -> Child:
    """A child that runs a task and is told nothing more.

    Parameters
    ----------
    task : () -> None
        Calls `confine_here` before anything untrusted; writes to `WRITE_FD`.
    budget : Budget
    """
    output, write = os.pipe()
    parent = os.getpid()

    def begin() -> None:
        stay_with(parent)
        task()

    if (pid := os.fork()) == 0:
        become(begin, write)
    os.close(write)
    return Child(pid, budget, output)


def stay_with(parent: int) -> None:
    """Let this process end with its parent, or at once where that has ended."""
    end_with_parent()
    if os.getppid() != parent:
        leave(1)


def confine_here(program: bytes, budget: Budget) -> None:
    """Confine this process, or end it: what is not confined runs nothing.

    Parameters
    ----------
    program : bytes, the filter
    budget : Budget
    """
    try:
        confine(program, budget.memory, int(budget.cpu * budget.matches) + 2)
    except BaseException:  # noqa: BLE001 - whatever the reason
        signal.signal(_UNCONFINED, signal.SIG_DFL)
        os.kill(os.getpid(), _UNCONFINED)
        leave(1)


def become(task: Callable[[], None], write: int, read: int | None = None) -> NoReturn:
    """The rest of a child's life: keep `WRITE_FD` and `READ_FD` and nothing else, do the task."""
    try:
        # the host gave /dev/null for standard error
        os.dup2(2, 0)
        os.dup2(2, 1)
        if read is None:
            os.dup2(write, WRITE_FD)
            os.closerange(WRITE_FD + 1, 1024)
        else:
            read, write = (fcntl.fcntl(end, fcntl.F_DUPFD, 16) for end in (read, write))
            os.dup2(write, WRITE_FD)
            os.dup2(read, READ_FD)
            os.closerange(READ_FD + 1, 1024)
        task()
    except BaseException:  # noqa: BLE001 - told by the status; a replay finds the reason
        leave(1)
    leave(0)
