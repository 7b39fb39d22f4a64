"""A forked, confined process: starting it, listening to it, what it may use, and what ended it.

Runs in the zygote, standard library only; no written code runs in this process.

Confinement of a process by the Linux kernel: the few system calls that playing needs, and no other.

Standard library only. The filter is classic BPF, loaded through ``prctl``; a call that is not listed ends the
process at once. Numbers are those of the kernel's tables for x86_64 and aarch64.

References
----------
Linux man-pages, seccomp(2), prctl(2); Documentation/userspace-api/seccomp_filter.rst.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import resource
import select
import signal
import struct
import time
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from intent.arena.sandbox.runtime import Foul, leave

__all__ = [
    "READ_FD",
    "WRITE_FD",
    "Budget",
    "Child",
    "EndedOutside",
    "HostGone",
    "NotConfined",
    "adopt_orphans",
    "be_private",
    "become",
    "confine",
    "confine_here",
    "filter_program",
    "fork_child",
    "stay_with",
]


WRITE_FD = 3
"""The only descriptor that a player's process may write to."""

READ_FD = 4
"""The only one that it may read from, where it may read at all."""

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP = 1, 4, 22
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_MODE_FILTER = 2
_KILL_PROCESS, _ALLOW = 0x80000000, 0x7FFF0000
_LOAD, _AND, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_PROT_EXEC = 4
_FUTEX_COMMAND = 0xFFFFFFFF & ~(128 | 256)  # without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME
_WAIT, _WAKE, _WAIT_BITSET, _WAKE_BITSET = 0, 1, 9, 10

_FREE = (
    *("munmap", "brk", "mremap", "madvise", "clock_gettime"),
    *("sched_yield", "rt_sigreturn", "exit", "exit_group"),
)

_TABLES: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "read": 0,
            "write": 1,
            "mmap": 9,
            "mprotect": 10,
            "munmap": 11,
            "brk": 12,
            "rt_sigreturn": 15,
            "sched_yield": 24,
            "mremap": 25,
            "madvise": 28,
            "exit": 60,
            "futex": 202,
            "clock_gettime": 228,
            "exit_group": 231,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "read": 63,
            "write": 64,
            "exit": 93,
            "exit_group": 94,
            "futex": 98,
            "clock_gettime": 113,
            "sched_yield": 124,
            "rt_sigreturn": 139,
            "brk": 214,
            "munmap": 215,
            "mremap": 216,
            "mmap": 222,
            "mprotect": 226,
            "madvise": 233,
        },
    ),
}
"""Machine -> its audit number and the numbers of the calls."""


def filter_program(machine: str, reads: bool) -> bytes:
    """The filter as an array of ``struct sock_filter``.

    Parameters
    ----------
    machine : {"x86_64", "aarch64"}
    reads : bool
        Whether the process may read from `READ_FD`.
    """
    audit, calls = _TABLES[machine]
    code: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, audit),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
        # the 32-bit calls of x86_64 carry this bit
        (_JUMP_AT_LEAST, 0, 1, 0x40000000),
        (_RETURN, 0, 0, _KILL_PROCESS),
    ]
    for name in _FREE:
        code += [(_JUMP_EQUAL, 0, 1, calls[name]), (_RETURN, 0, 0, _ALLOW)]
    for name in ("mmap", "mprotect"):
        code += [
            (_JUMP_EQUAL, 0, 4, calls[name]),
            (_LOAD, 0, 0, _ARGUMENTS + 2 * 8),
            (_JUMP_SET, 0, 1, _PROT_EXEC),
            (_RETURN, 0, 0, _KILL_PROCESS),
            (_RETURN, 0, 0, _ALLOW),
        ]
    # what the locks of the interpreter need; moving waiters and lending priority are left out
    code += [
        (_JUMP_EQUAL, 0, 8, calls["futex"]),
        (_LOAD, 0, 0, _ARGUMENTS + 8),
        (_AND, 0, 0, _FUTEX_COMMAND),
        (_JUMP_EQUAL, 4, 0, _WAIT),
        (_JUMP_EQUAL, 3, 0, _WAKE),
        (_JUMP_EQUAL, 2, 0, _WAIT_BITSET),
        (_JUMP_EQUAL, 1, 0, _WAKE_BITSET),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_RETURN, 0, 0, _ALLOW),
    ]
    channels = [("write", WRITE_FD), *([("read", READ_FD)] if reads else [])]
    for name, descriptor in channels:
        code += [
            (_JUMP_EQUAL, 0, 4, calls[name]),
            (_LOAD, 0, 0, _ARGUMENTS),
            (_JUMP_EQUAL, 1, 0, descriptor),
            (_RETURN, 0, 0, _KILL_PROCESS),
            (_RETURN, 0, 0, _ALLOW),
        ]
    code.append((_RETURN, 0, 0, _KILL_PROCESS))
    return b"".join(struct.pack("=HBBI", *step) for step in code)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)


def _prctl(option: int, first: int, second: int = 0) -> None:
    if _libc.prctl(option, first, second, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def end_with_parent() -> None:
    """Let the kernel end this process when its parent ends."""
    _prctl(_PR_SET_PDEATHSIG, 9)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends.

    Raises
    ------
    OSError
    """
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def be_private() -> None:
    """Let no process of the same user read or trace this one.

    Raises
    ------
    OSError
    """
    _prctl(_PR_SET_DUMPABLE, 0)


def confine(program: bytes, memory: int, seconds: int) -> None:
    """Give up everything but playing; for a forked child, which can never take it back.

    Parameters
    ----------
    program : bytes, from `filter_program`
    memory : int, bytes of address space
    seconds : int of processor time, after which the kernel ends the process

    Raises
    ------
    OSError
        The kernel refused; nothing untrusted may run then.
    """
    limits = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
    )
    for what, most in limits:
        _, bound = resource.getrlimit(what)
        # a hard limit that the machine sets already, as with ulimit -t, can only be lowered
        most = most if bound == resource.RLIM_INFINITY else min(most, bound)
        resource.setrlimit(what, (most, most))
    be_private()
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    steps = _Program(len(program) // 8, program)
    _prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(steps))


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
            with open(f"/proc/{self.pid}/stat", "rb") as status:
                return status.read().rpartition(b")")[2].split()[0] in (b"R", b"D")
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
