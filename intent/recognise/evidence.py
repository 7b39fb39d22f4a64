"""What histories tell: their probability under each strategy, the posterior, the noise of their players.

Nodes and weights that integrate a likelihood over the noise exactly.

Minimising a function of one number that may have several valleys.

The exact posterior after every round, as a target to learn from.

Learning from labels, a network meets the label of each history with its probability; learning from the
posterior it meets the mean of those labels. Both have the same expected gradient, the second has less
variance (Rao-Blackwell), and histories that no class would play can be learned from too.

References
----------
Rao 1945; Blackwell 1947. Hinton, Vinyals & Dean 2015 (arXiv:1503.02531) for soft targets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import RecogniserError
from intent.logs.trajectories import Trajectories
from intent.recognise.recogniser import summed_by
from intent.strategies.automaton import Strategy
from intent.strategies.likelihood import log_likelihood, log_likelihood_paths

__all__ = [
    "SMALLEST_EPS",
    "eps_nodes",
    "estimate_eps",
    "log_evidence",
    "lowest_point",
    "normalise",
    "posterior_paths",
    "trajectory_likelihood",
]


_FEWEST_NODES = 64


def eps_nodes(prior: tuple[float, ...], rounds: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss nodes and weights of a prior over eps.

    The likelihood of T moves is a polynomial of degree T in eps, so T // 2 + 1 Gauss nodes integrate it
    exactly. For T > 126 the number grows with the square root of T, as the peak gets narrower.

    Parameters
    ----------
    prior : (low, high) of a uniform on [low, high], or (a, b, scale) of a Beta(a, b) on [0, scale]
        All within [0, .5].
    rounds : int
        T, at least 1.

    Returns
    -------
    nodes, weights : (m,) float64; weights sum to one

    Raises
    ------
    RecogniserError
        The prior is neither.
    """
    m = min(max(rounds, 1) // 2 + 1, max(_FEWEST_NODES, int(4 * rounds**0.5)))
    if len(prior) == 2:
        low, high = prior
        if not 0 <= low < high <= 0.5:
            raise RecogniserError(
                f"eps prior {tuple(prior)}, expected (low, high) with 0 <= low < high <= .5"
            )
        x, w = np.polynomial.legendre.leggauss(m)
        return low + (x + 1) * (high - low) / 2, w / w.sum()
    if len(prior) == 3 and prior[0] > 0 and prior[1] > 0 and 0 < prior[2] <= 0.5:
        from scipy.special import roots_jacobi

        a, b, scale = prior
        x, w = roots_jacobi(m, b - 1, a - 1)
        return (x + 1) / 2 * scale, w / w.sum()
    raise RecogniserError(
        f"eps prior {tuple(prior)}, expected (low, high) or Beta (a > 0, b > 0, scale <= .5)"
    )


def lowest_point(loss: Callable[[float], float], grid: NDArray[np.float64], tol: float) -> float:
    """Where a function is least: the best point of a grid, refined between its neighbours.

    Parameters
    ----------
    loss : float -> float
    grid : (m,) rising
        Fine enough that the lowest valley holds a point of it.
    tol : float
        Distance from the minimum at which the refinement (Brent's, bounded) stops.

    Returns
    -------
    float, the point of the grid itself where the refinement finds nothing lower

    References
    ----------
    Brent 1973, Algorithms for Minimization without Derivatives, chapter 5.
    """
    from scipy.optimize import minimize_scalar

    losses = [loss(float(x)) for x in grid]
    at = int(np.argmin(losses))
    bounds = (grid[max(0, at - 1)], grid[min(len(grid) - 1, at + 1)])
    minimum = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": tol})
    return float(minimum.x if minimum.fun < losses[at] else grid[at])


Floats = NDArray[np.float64]


def trajectory_likelihood(X: Trajectories, strategies: Sequence[Strategy], eps: ArrayLike) -> Floats:
    """`log_likelihood` of trajectories: of decisions, or of moves given the known error of the game.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    strategies : sequence of K Strategy
    eps : float or (E,) in [0, .5), probability per decision that the intended one is flipped

    Returns
    -------
    (n, K) float64 for one eps, (n, K, E) for several
    """
    return log_likelihood(
        X.own,
        X.other,
        X.evidence_mask,
        strategies,
        eps,
        decided=X.decided,
        implementation_error=X.implementation_error,
    )


def log_evidence(
    X: Trajectories,
    strategies: Sequence[Strategy],
    eps: float | Literal["integrate"],
    eps_prior: tuple[float, ...] = (0.0, 0.2),
    *,
    subjects: NDArray[np.intp] | None = None,
) -> Floats:
    """Log-probability of each history under each strategy, eps given or integrated out.

    With `subjects`, of all histories of each subject: one strategy and one eps for all of them.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    strategies : sequence of K Strategy
    eps : float in [0, .5), or "integrate"
    eps_prior : (low, high) of a uniform, or (a, b, scale) of a Beta(a, b) on [0, scale]
    subjects : (n,) int, 0 .. S - 1, optional

    Returns
    -------
    (n, K) float64, or (S, K)
    """
    if subjects is not None:
        return _pooled(X, strategies, eps, eps_prior, subjects)
    if eps != "integrate":
        return trajectory_likelihood(X, strategies, float(eps))
    nodes, weights = eps_nodes(eps_prior, X.shape[1])
    out = np.empty((len(X), len(strategies)))
    step = max(1, (1 << 21) // (len(nodes) * len(strategies)))
    for a in range(0, len(X), step):
        rows = X[a : a + step]
        grid = trajectory_likelihood(rows, strategies, nodes)
        top = grid.max(axis=2, keepdims=True)
        top[~np.isfinite(top)] = 0.0
        with np.errstate(divide="ignore"):
            out[a : a + step] = np.log(np.exp(grid - top) @ weights) + top[:, :, 0]
    return out


def _pooled(
    X: Trajectories,
    strategies: Sequence[Strategy],
    eps: float | Literal["integrate"],
    eps_prior: tuple[float, ...],
    subjects: NDArray[np.intp],
) -> Floats:
    """Log-probability (S, K) of all play of each subject."""
    if eps != "integrate":
        return summed_by(trajectory_likelihood(X, strategies, float(eps)), subjects)
    moves = np.bincount(subjects, weights=X.n_rounds)
    nodes, weights = eps_nodes(eps_prior, int(moves.max(initial=1)))
    out = np.empty((len(moves), len(strategies)))
    together = max(1, (1 << 21) // (len(nodes) * len(strategies)))
    order = np.argsort(subjects, kind="stable")
    ends = np.searchsorted(subjects[order], np.arange(len(moves)), side="right")
    first = 0
    while first < len(moves):
        start = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, start + together, side="right")))
        rows = order[start : ends[last - 1]]
        part = X[rows]
        grid = trajectory_likelihood(part, strategies, nodes)
        total = summed_by(grid, subjects[rows] - first)
        top = total.max(axis=2, keepdims=True)
        top[~np.isfinite(top)] = 0.0
        with np.errstate(divide="ignore"):
            out[first:last] = np.log(np.exp(total - top) @ weights) + top[:, :, 0]
        first = last
    return out


def normalise(log_weights: Floats, prior: Floats) -> Floats:
    """Posterior (n, K) of log-likelihoods and a prior (K,); a history that no class allows gets the prior."""
    with np.errstate(divide="ignore"):
        proba = log_weights + np.log(prior)
    top = proba.max(axis=1, keepdims=True)
    impossible = ~np.isfinite(top)
    np.copyto(top, 0.0, where=impossible)
    proba -= top
    np.exp(proba, out=proba)
    total = proba.sum(axis=1, keepdims=True)
    if impossible.any():
        rows = impossible[:, 0]
        proba[rows] = prior
        total[rows] = prior.sum()
    proba /= total
    return proba


def estimate_eps(X: Trajectories, strategies: Sequence[Strategy], prior: Floats) -> float:
    """The eps in [0, .49] that maximises the likelihood of all trajectories together.

    sum_i log sum_k prior_k P(play_i | k, eps), searched on a grid and refined by bounded minimisation.
    """

    def loss(eps: float) -> float:
        ll = trajectory_likelihood(X, strategies, eps)[:, prior > 0]
        top = ll.max(axis=1, keepdims=True)
        if not np.isfinite(top).all():
            return np.inf
        return -float((np.log(np.exp(ll - top) @ prior[prior > 0]) + top[:, 0]).sum())

    return lowest_point(loss, np.concatenate([[0.0], np.geomspace(1e-4, 0.49, 25)]), 1e-7)


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
