"""Goodness of fit: is the play at least as likely under its best strategy as such play usually is?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.logs.trajectories import Trajectories
from intent.recognise.quadrature import eps_nodes
from intent.strategies.automaton import Strategy
from intent.strategies.likelihood import deviations, log_likelihood
from intent.strategies.step import Stepper

__all__ = ["fit_probability"]

Floats = NDArray[np.float64]


def fit_probability(
    X: Trajectories,
    strategies: Sequence[Strategy],
    best: NDArray[np.intp],
    eps: float | str,
    rng: np.random.Generator,
    *,
    eps_prior: tuple[float, ...] = (0.0, 0.2),
    samples: int = 2000,
) -> Floats:
    """Probability, under the best strategy and eps, of play at least as unlikely as seen.

    Deterministic strategies: the number of deviations m is Binomial(n_rounds, eps), so P(M >= m), exact.
    Stochastic ones: the log-likelihood of `samples` plays of the strategy against the same opponent moves,
    p = (1 + #{ll* <= ll}) / (1 + samples). With eps integrated, the mean of p over the
    posterior of eps (a polynomial of degree 2T, integrated exactly).

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    strategies : sequence of K Strategy
    best : (n,) index of the best strategy
    eps : float in [0, .5), or "integrate"
    rng : numpy Generator, used for stochastic strategies only
    eps_prior : as `eps_nodes`
    samples : int

    Returns
    -------
    (n,) in [0, 1]
    """
    if eps == "integrate":
        nodes, weights = eps_nodes(eps_prior, 2 * X.shape[1])
    else:
        nodes, weights = np.array([float(eps)]), np.ones(1)
    p = np.empty(len(X))
    for k in np.unique(best):
        rows = np.flatnonzero(best == k)
        part, s = X[rows], strategies[k]
        by_node = _binomial(part, s, nodes) if s.is_deterministic else _sampled(part, s, nodes, rng, samples)
        if len(nodes) == 1:
            p[rows] = by_node[:, 0]
            continue
        ll = log_likelihood(part.own, part.other, part.evidence_mask, [s], nodes)[:, 0, :]
        top = ll.max(axis=1, keepdims=True)
        posterior = np.exp(ll - np.where(np.isfinite(top), top, 0.0)) * weights
        total = posterior.sum(axis=1, keepdims=True)
        p[rows] = np.where(
            total[:, 0] > 0, (by_node * posterior).sum(axis=1) / np.where(total > 0, total, 1)[:, 0], 0
        )
    return p


def _binomial(X: Trajectories, s: Strategy, nodes: Floats) -> Floats:
    """P(M >= m) for M ~ Binomial(n_rounds, eps): (n, E)."""
    from scipy.special import bdtrc

    m = deviations(X.own, X.other, X.evidence_mask, [s])[:, 0]
    n = X.n_rounds
    tail = np.where(m[:, None] == 0, 1.0, bdtrc(np.maximum(m - 1, 0)[:, None], n[:, None], nodes[None, :]))
    return np.where((nodes == 0)[None, :] & (m > 0)[:, None], 0.0, tail)


def _sampled(X: Trajectories, s: Strategy, nodes: Floats, rng: np.random.Generator, samples: int) -> Floats:
    """Monte Carlo p against the recorded opponent, once per distinct history: (n, E)."""
    packed = np.concatenate([X.own, X.other, X.evidence.astype(np.int8)], axis=1)
    _, first, back = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    distinct = X[first]
    out = np.empty((len(first), len(nodes)))
    for e, eps in enumerate(nodes):
        seen = log_likelihood(distinct.own, distinct.other, distinct.evidence_mask, [s], eps)[:, 0]
        for i in range(len(first)):
            row = distinct[[i] * samples]
            own = _replay(s, row, float(eps), rng)
            drawn = log_likelihood(own, row.other, row.evidence_mask, [s], eps)[:, 0]
            out[i, e] = (1 + (drawn <= seen[i] + 1e-9).sum()) / (1 + samples)
    return out[back.reshape(-1)]


def _replay(s: Strategy, X: Trajectories, eps: float, rng: np.random.Generator) -> NDArray[np.int8]:
    """Own moves of the strategy against recorded opponents; an unknown opponent move is a fair coin."""
    n, horizon = X.shape
    own = np.empty((n, horizon), dtype=np.int8)
    me = Stepper(s, n)
    for t in range(horizon):
        intended = me.intended(rng)
        realised = intended ^ (rng.random(n) < eps).view(np.uint8)
        own[:, t] = realised
        coin = rng.integers(0, 2, n, dtype=np.uint8)
        seen = np.where(X.other[:, t] < 0, coin, X.other[:, t].view(np.uint8))
        me.advance(realised, seen, intended)
    return np.where(X.own < 0, np.int8(-1), own)
