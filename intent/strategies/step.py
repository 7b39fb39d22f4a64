"""One round of many automata at once: intended moves and next states."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.strategies.automaton import Strategy
from intent.strategies.noise import coin_flips

__all__ = ["Stepper"]


class Stepper:
    """`n` copies of one automaton, stepped together.

    Parameters
    ----------
    strategy : Strategy
    n : int
        Number of trajectories.

    Attributes
    ----------
    state : (n,) uint8, wider where a key of state and outcome does not fit in 8 bits
    """

    def __init__(self, strategy: Strategy, n: int) -> None:
        self.strategy = strategy
        self.n = n
        p, nxt = strategy.arrays()
        self._p = p
        self._certain = p.astype(np.uint8) if strategy.is_deterministic else None
        self._key: Any = np.uint8 if len(p) <= 64 else np.intp
        self._next = nxt.astype(self._key).reshape(-1)
        self._hidden = not strategy.observed_path
        self.state: NDArray[Any] = np.full(n, strategy.start, dtype=self._key)

    def intended(self, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Intended moves of this round, (n,) uint8, 1 = cooperate."""
        if self._certain is not None:
            if len(self._certain) == 1:
                return np.full(self.n, self._certain[0], dtype=np.uint8)
            return self._certain.take(self.state)
        if len(self._p) == 1:
            return coin_flips(self.n, float(self._p[0]), rng)
        return (rng.random(self.n) < self._p.take(self.state)).view(np.uint8)

    def advance(self, own: NDArray[np.uint8], other: NDArray[np.uint8], intended: NDArray[np.uint8]) -> None:
        """Move every state on the round's outcome (realised moves; own intention where remembered)."""
        if len(self._p) == 1:
            return
        mine = intended if self._hidden else own
        key = self.state << 2
        key += 3
        key -= mine << 1
        key -= other
        self.state = self._next.take(key)
