"""Confinement of a process by the Linux kernel: the few system calls that playing needs, and no other.

Standard library only. The filter is classic BPF, loaded through ``prctl``; a call that is not listed ends the
process at once. Numbers are those of the kernel's tables for x86_64 and aarch64.

References
----------
Linux man-pages, seccomp(2), prctl(2); Documentation/userspace-api/seccomp_filter.rst.
"""

from __future__ import annotations

import ctypes
import resource
import struct

__all__ = [
    "READ_FD",
    "WRITE_FD",
    "adopt_orphans",
    "be_private",
    "confine",
    "end_with_parent",
    "filter_program",
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
    """Let the kernel end this process when its parent ends.

    Raises
    ------
    OSError
    """
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
