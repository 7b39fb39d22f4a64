"""Ctrl-C once ends a run cleanly, twice at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["on_signals"]


@contextmanager
def on_signals(act: Callable[[str], None]) -> Iterator[None]:
    """Call `act` with the name of each SIGINT or SIGTERM that comes while the block lasts.

    Where that cannot be (another thread than the main one, Windows), signals do what they do otherwise:
    asyncio cancels the task that waits.
    """
    loop = asyncio.get_running_loop()
    taken = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, act, number.name)
        except (NotImplementedError, ValueError, RuntimeError):
            break
        taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            loop.remove_signal_handler(number)
