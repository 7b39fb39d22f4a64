"""The trusted side of a table with a process per player.

Runs in the zygote, standard library only; no written code runs in this process.

The trusted process that forks the players' processes of a table apart; standard library only.

A forked process has all that its parent knew, and the zygote has read the sources of all pairs so far. So it
forks this one before its first job. It is never told anything: there is nothing to find in its children.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from intent.arena.sandbox.process import (
    READ_FD,
    WRITE_FD,
    Budget,
    Child,
    adopt_orphans,
    become,
    confine_here,
    stay_with,
)
from intent.arena.sandbox.runtime import (
    BEGIN,
    FAULT,
    KINDS,
    Foul,
    Rules,
    automaton_seat,
    flip_codes,
    leave,
    serve_player,
)
from intent.arena.sandbox.values import C, D

__all__ = ["Nursery", "Remote", "Spoiled", "play_apart", "wait_for_player"]


_READY = 2
"""Children that wait: one for each seat."""


class Nursery:
    """Children that wait for a player, each to be had once; they are children of this process.

    Parameters
    ----------
    task : int -> None
        What a child does, given the number of this process. It reads from `READ_FD` first, which ends where
        this process does; then it calls `stay_with`, and `confine_here` before anything untrusted.
    """

    def __init__(self, task: Callable[[int], None]) -> None:
        adopt_orphans()
        parent = os.getpid()
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ordered = 0
        if os.fork() == 0:
            self._ours.close()
            _serve(theirs, parent, task)
        theirs.close()

    def fill(self) -> None:
        """Ask for as many as there are seats; does not wait for them."""
        while self._ordered < _READY:
            self._ours.send(b"+")
            self._ordered += 1

    def take(self) -> Child:
        """A child that nobody has."""
        self.fill()
        packed, ends, _, _ = socket.recv_fds(self._ours, 4, 2)
        if len(ends) != 2:
            raise BrokenPipeError("the nursery has ended")
        self._ordered -= 1
        return Child(struct.unpack("<i", packed)[0], Budget(0, 0.0, 0.0, 0), *ends)

    def close(self) -> None:
        """End it and those that still wait; to be called when no other child is left."""
        self._ours.close()
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait()


def _serve(theirs: socket.socket, parent: int, task: Callable[[int], None]) -> NoReturn:
    try:
        stay_with(parent)
        # the channels of the host are the zygote's; standard error is /dev/null
        os.dup2(2, 0)
        os.dup2(2, 1)
        numbers = os.pipe()
        while theirs.recv(1):
            commands, answers = os.pipe(), os.pipe()
            middle = os.fork()
            if middle == 0:
                # its child is an orphan at once, and the zygote its new parent
                if (pid := os.fork()) == 0:
                    become(lambda: task(parent), answers[1], commands[0])
                os.write(numbers[1], struct.pack("<i", pid))
                leave(0)
            os.waitpid(middle, 0)
            socket.send_fds(theirs, [os.read(numbers[0], 4)], [answers[0], commands[1]])
            for end in (*commands, *answers):
                os.close(end)
    finally:
        leave(0)


def wait_for_player(program: bytes, parent: int) -> None:
    """The task of a child of the nursery: it is told its player, and confined before it reads the source.

    Parameters
    ----------
    program : bytes, the filter, which lets it read
    parent : int, the process of the referee
    """
    head = _exactly(4)
    if len(head) < 4:
        return
    stay_with(parent)
    spec, rules, late, budget = json.loads(_exactly(struct.unpack("<I", head)[0]))
    confine_here(program, Budget(*budget))
    serve_player(spec, Rules(*rules), late, READ_FD, WRITE_FD)


def _exactly(n: int) -> bytes:
    got = b""
    while len(got) < n and (data := os.read(READ_FD, n - len(got))):
        got += data
    return got


class Remote:
    """A player of written code in a process of its own, one move at a time.

    Parameters
    ----------
    child : Child, of the nursery
    spec : dict, the player
    late : bool
        Whether it sees the other's score one round late.
    """

    def __init__(self, child: Child, spec: dict[str, Any], rules: Rules, late: bool, budget: Budget) -> None:
        self._child = child
        child.budget = budget
        text = json.dumps([spec, rules, late, budget]).encode()
        assert child.input is not None
        self._send(struct.pack("<I", len(text)) + text)
        # who answers without reading would fill the pipe, and the referee would wait for ever
        os.set_blocking(child.input, False)

    def begin(self, seed: int) -> None:
        """Ask for the first move of a match."""
        self._child.begin_match()
        self._send(bytes((BEGIN,)) + seed.to_bytes(16, "little"))

    def tell(self, own: int, other: int) -> None:
        """Say what both did (1 = defect) and ask for the next move."""
        self._send(bytes((own * 2 + other,)))

    def answer(self) -> int:
        """The move that was asked for, 1 = defect.

        Raises
        ------
        Foul
        HostGone
        """
        reply = self._child.receive(4096)
        if reply in (b"\x00", b"\x01"):
            return reply[0]
        if not reply:
            raise self._child.ended() or Foul("killed", "ended its process")
        if reply[0] == FAULT and len(reply) > 1 and reply[1] < len(KINDS):
            raise Foul(KINDS[reply[1]], reply[2:].decode("utf-8", "replace"))
        raise Foul("output", "wrote on the channel of results")

    def close(self) -> None:
        """End the process."""
        self._child.end()

    def _send(self, command: bytes) -> None:
        assert self._child.input is not None
        view = memoryview(command)
        with contextlib.suppress(BrokenPipeError, BlockingIOError):  # the answer tells why
            while view:
                view = view[os.write(self._child.input, view) :]


class Local:
    """An automaton, played by the referee itself, with the methods of `Remote`."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self._spec = spec

    def begin(self, seed: int) -> None:
        self._seat = automaton_seat(self._spec, seed)

    def tell(self, own: int, other: int) -> None:
        self._seat.see((C, D)[own], (C, D)[other])

    def answer(self) -> int:
        return int(self._seat.play(None, None) is D)

    def close(self) -> None:
        """Nothing to end."""


class Spoiled(Exception):
    """Whose foul spoiled a job, and where."""

    def __init__(self, seat: int, foul: Foul, repetition: int, turn: int) -> None:
        super().__init__(foul.reason)
        self.seat, self.foul, self.repetition, self.turn = seat, foul, repetition, turn


def play_apart(
    specs: Sequence[dict[str, Any]],
    rules: Rules,
    matches: Sequence[tuple[Sequence[int], str]],
    nursery: Nursery,
    budget: Budget,
) -> bytes:
    """The matches of a pair with a process per player: the bytes of `runtime.play_match`, one after another.

    The matches are given by the players' seeds and the flips of noise.

    Raises
    ------
    Spoiled
    HostGone
    """
    late = rules.late and all(spec.get("scored") for spec in specs)
    players: list[Remote | Local] = []
    try:
        for i, spec in enumerate(specs):
            written = "source" in spec
            players.append(
                Remote(nursery.take(), spec, rules, late and i == 0, budget) if written else Local(spec)
            )
        played = bytearray()
        for repetition, (seeds, flips) in enumerate(matches):
            played += _one_match(players, rules, seeds, flips, repetition)
        return bytes(played)
    finally:
        for player in players:
            player.close()


def _one_match(
    players: Sequence[Remote | Local], rules: Rules, seeds: Sequence[int], flips: str, repetition: int
) -> bytearray:
    for player, seed in zip(players, seeds, strict=True):
        player.begin(seed)
    first, second = players
    played = bytearray()
    a = b = 0
    for turn, flip in enumerate(flip_codes(flips, rules.turns)):
        if turn:
            first.tell(a, b)
            second.tell(b, a)
        seat = 0
        try:
            a = first.answer()
            seat = 1
            b = second.answer()
        except Foul as foul:
            raise Spoiled(seat, foul, repetition, turn) from None
        a ^= flip >> 1
        b ^= flip & 1
        played.append(a * 2 + b)
    return played
