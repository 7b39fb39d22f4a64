"""The filter, read by a small interpreter of classic BPF, on every machine that it is set up for."""

import struct

import pytest

from intent.arena.sandbox.process import READ_FD, WRITE_FD, filter_program

KILL, ALLOW = 0x80000000, 0x7FFF0000
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# from the kernel's asm/unistd_64.h and asm-generic/unistd.h
CALLS = {
    "x86_64": {"read": 0, "write": 1, "mmap": 9, "mprotect": 10, "brk": 12, "exit_group": 231}
    | {"futex": 202},
    "aarch64": {"read": 63, "write": 64, "mmap": 222, "mprotect": 226, "brk": 214, "exit_group": 94}
    | {"futex": 98},
}
FORBIDDEN = {
    "x86_64": {"open": 2, "openat": 257, "socket": 41, "fork": 57, "clone": 56, "clone3": 435, "execve": 59}
    | {
        "kill": 62,
        "ptrace": 101,
        "nanosleep": 35,
        "clock_nanosleep": 230,
        "close": 3,
        "dup": 32,
        "prctl": 157,
    }
    | {"ioctl": 16, "pwrite64": 18, "writev": 20, "sendmsg": 46, "prlimit64": 302, "io_uring_setup": 425},
    "aarch64": {"openat": 56, "socket": 198, "clone": 220, "clone3": 435, "execve": 221, "kill": 129}
    | {"ptrace": 117, "nanosleep": 101, "close": 57, "dup": 23, "prctl": 167, "ioctl": 29, "pwrite64": 68},
}
MACHINES = pytest.mark.parametrize("machine", sorted(AUDIT))


def verdict(program, audit, number, *arguments):
    """What the filter says of a system call."""
    data = struct.pack("<IIQ6Q", number, audit, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = list(struct.iter_unpack("=HBBI", program))
    at = held = 0
    while True:
        code, yes, no, k = steps[at]
        at += 1
        if code == 0x06:
            return k
        if code == 0x20:
            (held,) = struct.unpack_from("<I", data, k)
        elif code == 0x54:
            held &= k
        else:
            holds = {0x15: held == k, 0x35: held >= k, 0x45: bool(held & k)}[code]
            at += yes if holds else no


@MACHINES
def test_what_playing_needs_is_allowed(machine):
    program, audit, calls = filter_program(machine, reads=True), AUDIT[machine], CALLS[machine]
    assert verdict(program, audit, calls["brk"]) == ALLOW
    assert verdict(program, audit, calls["exit_group"], 0) == ALLOW
    assert verdict(program, audit, calls["mmap"], 0, 4096, 3) == ALLOW
    assert verdict(program, audit, calls["write"], WRITE_FD) == ALLOW
    assert verdict(program, audit, calls["read"], READ_FD) == ALLOW


@MACHINES
@pytest.mark.parametrize("reads", [True, False])
def test_everything_else_ends_the_process(machine, reads):
    program, audit, calls = filter_program(machine, reads), AUDIT[machine], CALLS[machine]
    for number in FORBIDDEN[machine].values():
        assert verdict(program, audit, number, WRITE_FD) == KILL
    for name in ("mmap", "mprotect"):
        assert verdict(program, audit, calls[name], 0, 4096, 3 | 4) == KILL
    for descriptor in (0, 1, 2, READ_FD, 5):
        assert verdict(program, audit, calls["write"], descriptor) == KILL
    for descriptor in (0, WRITE_FD, 5):
        assert verdict(program, audit, calls["read"], descriptor) == KILL
    assert reads or verdict(program, audit, calls["read"], READ_FD) == KILL


@MACHINES
def test_a_futex_may_only_wait_and_wake(machine):
    program, audit, futex = filter_program(machine, reads=False), AUDIT[machine], CALLS[machine]["futex"]
    for flags in (0, 128, 256, 128 | 256):
        allowed = [c for c in range(128) if verdict(program, audit, futex, 0, c | flags) == ALLOW]
        assert allowed == [0, 1, 9, 10]
    for unknown in (512, 1 << 31):
        assert verdict(program, audit, futex, 0, unknown) == KILL


@MACHINES
def test_calls_of_another_machine_end_the_process(machine):
    program, calls = filter_program(machine, reads=False), CALLS[machine]
    other = {"x86_64": 0x40000003, "aarch64": 0x40000028}[machine]
    assert verdict(program, other, calls["brk"]) == KILL
    assert verdict(program, AUDIT[machine], 0x40000000 | calls["brk"]) == KILL


@MACHINES
def test_few_calls_are_allowed_at_all(machine):
    program, audit = filter_program(machine, reads=False), AUDIT[machine]
    allowed = [n for n in range(1024) if verdict(program, audit, n, WRITE_FD) == ALLOW]
    assert len(allowed) == 13
