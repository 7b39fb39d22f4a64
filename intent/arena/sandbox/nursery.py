"""The trusted process that forks the players' processes of a table apart; standard library only.

A forked process has all that its parent knew, and the zygote has read the sources of all pairs so far. So it
forks this one before its first job. It is never told anything: there is nothing to find in its children.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from collections.abc import Callable
from typing import NoReturn

from intent.arena.sandbox.child import Budget, Child, become, stay_with
from intent.arena.sandbox.runtime import leave
from intent.arena.sandbox.seccomp import adopt_orphans

__all__ = ["Nursery"]

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
        self._asked = 0
        if os.fork() == 0:
            self._ours.close()
            _serve(theirs, parent, task)
        theirs.close()

    def fill(self) -> None:
        """Ask for as many as there are seats; does not wait for them."""
        while self._asked < _READY:
            self._ours.send(b"+")
            self._asked += 1

    def take(self) -> Child:
        """A child that nobody has."""
        self.fill()
        told, ends, _, _ = socket.recv_fds(self._ours, 4, 2)
        if len(ends) != 2:
            raise BrokenPipeError("the nursery has ended")
        self._asked -= 1
        return Child(struct.unpack("<i", told)[0], Budget(0, 0.0, 0.0, 0), *ends)

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
