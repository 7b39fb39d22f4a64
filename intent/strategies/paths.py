"""Exact likelihood after every round, for many noises at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.strategies.automaton import Strategy
from intent.strategies.forward import forward_path
from intent.strategies.likelihood import checked_moves, cooperation_probability

__all__ = ["log_likelihood_paths"]

Moves = NDArray[np.int8]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]


def log_likelihood_paths(
    own: Moves, other: Moves, mask: Mask | None, strategies: Sequence[Strategy], eps: ArrayLike
) -> Floats:
    """Log-likelihood of the first t moves, for every t.

    Parameters
    ----------
    own, other, mask, strategies, eps
        As `intent.strategies.likelihood.log_likelihood`.

    Returns
    -------
    (n, T, K) float64 for one eps, (n, T, K, E) for several

    Raises
    ------
    StrategyError
        Arrays of different shape.

    Notes
    -----
    Where all moves are known the state path is followed and logs are added up along it; else, and where
    intentions are hidden, the forward pass carries the distribution over states.
    """
    own, other, mask = checked_moves(own, other, mask)
    grid = np.atleast_1d(np.asarray(eps, dtype=float))
    complete = mask is None and (own.size == 0 or min(own.min(), other.min()) >= 0)
    outcome = (3 - 2 * own - other).astype(np.intp) if complete else None
    out = np.empty((*own.shape, len(strategies), len(grid)))
    for k, s in enumerate(strategies):
        if outcome is not None and s.observed_path:
            np.cumsum(_along_the_path(own, outcome, s, grid), axis=1, out=out[:, :, k])
        else:
            out[:, :, k] = forward_path(own, other, mask, s, grid)
    return out[:, :, :, 0] if np.ndim(eps) == 0 else out


def _along_the_path(own: Moves, outcome: NDArray[np.intp], s: Strategy, grid: Floats) -> Floats:
    """Log-probability of each move (n, T, E) of complete histories."""
    p, nxt = s.arrays()
    q = cooperation_probability(p, grid)
    with np.errstate(divide="ignore"):
        log_q = np.concatenate([np.log1p(-q), np.log(q)])
    n, horizon = own.shape
    code = np.empty((n, horizon), dtype=np.intp)
    state = np.full(n, s.start, dtype=np.intp)
    flat = nxt.reshape(-1)
    for t in range(horizon):
        code[:, t] = own[:, t].astype(np.intp) * len(p) + state
        if s.n_states > 1:
            state = flat.take(state * 4 + outcome[:, t])
    return log_q.take(code, axis=0)
