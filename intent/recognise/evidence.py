"""What histories tell: their probability under each strategy, the posterior, the noise of their players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.logs.trajectories import Trajectories
from intent.recognise.base import summed_by
from intent.recognise.line_search import lowest_point
from intent.recognise.quadrature import eps_nodes
from intent.strategies.automaton import Strategy
from intent.strategies.likelihood import log_likelihood

__all__ = ["estimate_eps", "log_evidence", "normalise", "trajectory_likelihood"]

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
