"""A strategy against recorded opponents: what it would have played, had they moved as they did."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.strategies.automaton import Strategy

__all__ = ["replay"]


def replay(
    s: Strategy,
    other: NDArray[np.int8],
    eps: ArrayLike,
    rng: np.random.Generator,
    flipped: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
    """Noisy moves of a strategy against given moves of the other.

    An unknown move of the other counts as a fair coin, as in the likelihood.

    Parameters
    ----------
    s : Strategy
    other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    eps : float or (n,) in [0, .5), probability per move that the intended move is flipped
    rng : numpy Generator
    flipped : (T,) or (n, T) bool, optional
        Rounds in which the game plays the opposite of what is decided.

    Returns
    -------
    own : (n, T) int8, decided moves: those played, but for the rounds that the game flips
    states : (n, T), the state in which each was made
    """
    n, horizon = other.shape
    p, nxt = s.arrays()
    flat, noise = nxt.reshape(-1), np.asarray(eps, dtype=float)
    own = np.empty((n, horizon), dtype=np.int8)
    states = np.empty((n, horizon), dtype=np.intp)
    state = np.full(n, s.start, dtype=np.intp)
    for t in range(horizon):
        states[:, t] = state
        chance = p.take(state)
        if s.observed_path:
            realised = rng.random(n) < chance + noise * (1 - 2 * chance)
            remembered = realised if flipped is None else realised ^ flipped[..., t]
        else:
            remembered = rng.random(n) < chance
            realised = remembered ^ (rng.random(n) < noise)
        own[:, t] = realised
        seen = other[:, t]
        if (seen < 0).any():
            seen = np.where(seen < 0, rng.integers(0, 2, n, dtype=np.int8), seen)
        state = flat.take(state * 4 + 3 - 2 * remembered.astype(np.intp) - seen)
    return own, states
