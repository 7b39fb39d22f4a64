"""An event loop whose clock jumps to the next thing that is due, so that a day of waiting takes no time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class _Selector(selectors.DefaultSelector):
    now = 0.0

    def select(self, timeout=None):
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "everything waits, and nothing is due"
            self.now += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def run_virtually(main: Coroutine[Any, Any, Any]) -> Any:
    """`asyncio.run` in virtual time; the loop begins at 0 s."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(main)


def now() -> float:
    """Seconds of virtual time; to be given to whatever takes a clock."""
    return asyncio.get_running_loop().time()
