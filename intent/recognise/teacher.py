"""The exact posterior after every round, as a target to learn from.

Learning from labels, a network meets the label of each history with its probability; learning from the
posterior it meets the mean of those labels. Both have the same expected gradient, the second has less
variance (Rao-Blackwell), and histories that no class would play can be learned from too.

References
----------
Rao 1945; Blackwell 1947. Hinton, Vinyals & Dean 2015 (arXiv:1503.02531) for soft targets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.recognise.quadrature import eps_nodes
from intent.strategies.automaton import Strategy
from intent.strategies.paths import log_likelihood_paths

__all__ = ["SMALLEST_EPS", "posterior_paths"]

SMALLEST_EPS = 0.002
"""Noise below this is learned as this: at eps 0 a single slip would make a class impossible."""

_NODE_ROUNDS = 40


def posterior_paths(
    own: NDArray[np.int8],
    other: NDArray[np.int8],
    strategies: Sequence[Strategy],
    *,
    eps: NDArray[np.float64] | None = None,
    eps_prior: tuple[float, ...] = (0.0, 0.2),
) -> NDArray[np.float32]:
    """P(strategy | first t rounds) for every t, equally probable strategies.

    Parameters
    ----------
    own, other : (n, T) int8, complete
    strategies : sequence of K Strategy
    eps : (n,) float, optional
        Noise that the rule knows of each trajectory; default: integrated over the prior.
    eps_prior : (low, high) of a uniform, or (a, b, scale) of a Beta(a, b) on [0, scale]

    Returns
    -------
    (n, T, K) float32
    """
    if eps is None:
        nodes, weights = eps_nodes(eps_prior, min(own.shape[1], _NODE_ROUNDS))
        grid = log_likelihood_paths(own, other, None, strategies, nodes).astype(np.float32)
        grid -= grid.max(axis=(2, 3), keepdims=True)
        likelihood = np.exp(grid) @ weights.astype(np.float32)
    else:
        likelihood = np.empty((*own.shape, len(strategies)), dtype=np.float32)
        for value in np.unique(eps):
            rows = eps == value
            ll = log_likelihood_paths(own[rows], other[rows], None, strategies, max(value, SMALLEST_EPS))
            likelihood[rows] = np.exp(ll - ll.max(axis=2, keepdims=True))
    posterior: NDArray[np.float32] = likelihood / likelihood.sum(axis=2, keepdims=True)
    return posterior
