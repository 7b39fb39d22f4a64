"""Goodness of fit: is the play at least as likely under its best strategy as such play usually is?"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.logs.trajectories import Trajectories
from intent.recognise.quadrature import eps_nodes
from intent.strategies.automaton import Strategy
from intent.strategies.consistency import deviations
from intent.strategies.likelihood import log_likelihood
from intent.strategies.noise import coin_flips
from intent.strategies.step import Stepper

__all__ = ["fit_probability"]

Floats = NDArray[np.float64]
Moves = NDArray[np.int8]


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
    posterior of eps (a polynomial of degree 2T, integrated exactly): a posterior predictive p, which is
    milder than one at a known eps, since play that fits badly makes a large eps likely.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    strategies : sequence of K Strategy
    best : (n,) index of the best strategy
    eps : float in [0, .5), or "integrate"
    rng : numpy Generator
        One number is drawn, from which each distinct history gets a stream of its own.
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
    base = int(rng.integers(1 << 62))
    p = np.empty(len(X))
    for k in np.unique(best):
        rows = np.flatnonzero(best == k)
        part, s = X[rows], strategies[k]
        if s.is_background:
            p[rows] = 1.0
            continue
        by_node = _binomial(part, s, nodes) if s.is_deterministic else _sampled(part, s, nodes, base, samples)
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


def _sampled(X: Trajectories, s: Strategy, nodes: Floats, base: int, samples: int) -> Floats:
    """Monte Carlo p against the recorded opponent, once per distinct history: (n, E).

    Every history has a random stream of its own, so that its p does not depend on the rest of the log.
    """
    packed = np.concatenate([X.own, X.other, X.evidence.astype(np.int8)], axis=1)
    _, first, back = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    out = np.empty((len(first), len(nodes)))
    for i, row in enumerate(first):
        own, other, counts = X.own[row], X.other[row], X.evidence[row]
        last = int(np.flatnonzero((own >= 0) | (other >= 0)).max(initial=-1)) + 1
        own, other, counts = own[None, :last], other[None, :last], counts[None, :last]
        digest = hashlib.blake2b(own.tobytes() + other.tobytes() + counts.tobytes(), digest_size=8).digest()
        rng = np.random.default_rng([base, int.from_bytes(digest, "little")])
        met, mask = np.repeat(other, samples, axis=0), np.repeat(counts, samples, axis=0)
        for e, eps in enumerate(nodes):
            seen = log_likelihood(own, other, counts, [s], eps)[0, 0]
            played = _replay(s, own, met, float(eps), rng)
            drawn = log_likelihood(played, met, mask, [s], eps)[:, 0]
            out[i, e] = (1 + (drawn <= seen + 1e-9).sum()) / (1 + samples)
    return out[back.reshape(-1)]


def _replay(s: Strategy, own: Moves, other: Moves, eps: float, rng: np.random.Generator) -> Moves:
    """Own moves of the strategy against recorded opponents; an unknown opponent move is a fair coin."""
    n, horizon = other.shape
    out = np.empty((n, horizon), dtype=np.int8)
    me = Stepper(s, n)
    for t in range(horizon):
        intended = me.intended(rng)
        realised = intended ^ coin_flips(n, eps, rng)
        out[:, t] = realised
        seen = other[:, t].view(np.uint8)
        if (other[:, t] < 0).any():
            seen = np.where(other[:, t] < 0, rng.integers(0, 2, n, dtype=np.uint8), seen)
        me.advance(realised, seen, intended)
    return np.where(own < 0, np.int8(-1), out)
