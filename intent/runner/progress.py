"""What is told of a run while it is played, without asking its database each time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from intent.runner.store import RunStore

__all__ = ["Progress", "Ticker"]

_EVERY = 0.1


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Parameters
    ----------
    games : int, planned
    finished, interrupted : int
        Games that are over, and set aside with an error.
    calls : int
        Calls stored, those of earlier sessions included.
    new_calls : int
        Calls stored in this session.
    seconds : float
        Since this session began.
    """

    games: int
    finished: int
    interrupted: int
    calls: int
    new_calls: int
    seconds: float

    @property
    def calls_per_second(self) -> float:
        """New calls per second."""
        return self.new_calls / self.seconds if self.seconds > 0 else 0.0


class Ticker:
    """Tells of progress, at most ten times a second.

    Parameters
    ----------
    store : RunStore
    tell : function
    """

    def __init__(self, store: RunStore, tell: Callable[[Progress], None]) -> None:
        self._tell = tell
        self._games = store.file.count("SELECT count(*) FROM plans")
        self._calls = store.file.count("SELECT count(*) FROM calls")
        self._states = Counter(
            state for (state,) in store.file.rows("SELECT state FROM games WHERE state = 'finished'")
        )
        self._new = 0
        self._began, self._told = time.monotonic(), 0.0

    def call(self) -> None:
        """A call was stored."""
        self._new += 1
        self._tick()

    def game(self, state: str) -> None:
        """A game is over or set aside."""
        self._states[state] += 1
        self._tick()

    def _tick(self) -> None:
        now = time.monotonic()
        if now - self._told >= _EVERY:
            self._told = now
            self.last()

    def last(self) -> None:
        """Tell now."""
        self._tell(
            Progress(
                self._games,
                self._states["finished"],
                self._states["interrupted"],
                self._calls + self._new,
                self._new,
                time.monotonic() - self._began,
            )
        )
