"""One terminal for all humans at the table, asked without holding up the games of others."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TypeVar

__all__ = ["Terminal", "standard_terminal"]

T = TypeVar("T")
_LONGEST_LINE = 100_000


class Terminal:
    """Where humans read and type. One question at a time, whoever asks.

    Parameters
    ----------
    read_line : callable
        Waits for a line and returns it without its end; raises EOFError at the end of input.
    write : callable
        Shows a text.
    """

    def __init__(self, read_line: Callable[[], str], write: Callable[[str], object]) -> None:
        self._read_line = read_line
        self._write = write
        self._turn = threading.Lock()

    async def ask(
        self, question: str, understand: Callable[[str], T | None], hint: str | Callable[[str], str]
    ) -> T:
        """Show a question until a line is understood.

        The wait is in a thread of its own, which does not keep the program from ending.

        Parameters
        ----------
        question : str
        understand : callable
            The value of a line, None where it makes no sense.
        hint : str, or callable from the line to it
            What is shown before the next attempt.

        Raises
        ------
        EOFError
            The input has ended.
        """
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[T] = loop.create_future()

        def settle(value: T | None, error: BaseException | None) -> None:
            if answered.done():
                return
            if error is None:
                answered.set_result(value)  # type: ignore[arg-type]
            else:
                answered.set_exception(error)

        def talk() -> None:
            value, error = None, None
            try:
                value = self._until_understood(question, understand, hint, answered.cancelled)
            except Exception as caught:  # noqa: BLE001  (whatever it is, it belongs to whoever asked)
                error = caught
            with suppress(RuntimeError):  # the loop is closed: nobody waits any longer
                loop.call_soon_threadsafe(settle, value, error)

        threading.Thread(target=talk, name="terminal", daemon=True).start()
        return await answered

    def _until_understood(
        self,
        question: str,
        understand: Callable[[str], T | None],
        hint: str | Callable[[str], str],
        given_up: Callable[[], bool],
    ) -> T | None:
        with self._turn:
            if given_up():
                return None
            self._write(question)
            while True:
                line = self._read_line()
                value = understand(line)
                if value is not None or given_up():
                    return value
                self._write(hint if isinstance(hint, str) else hint(line))


@cache
def standard_terminal() -> Terminal:
    """Standard input and, so that results can be piped on, standard error; the same one every time."""
    return Terminal(_Lines(0).next_line, _show)


def _show(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


class _Lines:
    """Lines of a file descriptor.

    Read without Python's buffer of standard input, whose lock a waiting thread would hold when the
    program ends.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._kept = b""

    def next_line(self) -> str:
        while b"\n" not in self._kept and len(self._kept) < _LONGEST_LINE:
            data = os.read(self._descriptor, 4096)
            if not data:
                break
            self._kept += data
        if not self._kept:
            raise EOFError
        line, _, self._kept = self._kept.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")
