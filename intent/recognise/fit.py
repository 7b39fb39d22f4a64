"""Goodness of fit: is the play at least as likely under its best strategy as such play usually is?"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from intent.logs.trajectories import Trajectories
from intent.recognise.evidence import trajectory_likelihood
from intent.recognise.quadrature import eps_nodes
from intent.strategies.automaton import Strategy
from intent.strategies.consistency import deviations
from intent.strategies.likelihood import complete_rows, composed, cooperation_probability, log_likelihood
from intent.strategies.replay import replay

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
    p = (1 + #{ll* <= ll}) / (1 + samples).

    With eps integrated, a posterior predictive p (Gelman, Meng & Stern 1996): the mean of p over the
    posterior of eps, exact for deterministic strategies (a polynomial of degree 2T); for stochastic ones
    each play is made, and judged, at an eps from that posterior. It is milder than one at a known eps,
    since play that fits badly makes a large eps likely.

    Where the game flips decisions, decisions are judged, and plays that are made are flipped in the same
    rounds; where decisions are not recorded, the moves are judged at eps and the known error together.

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

    References
    ----------
    Gelman, Meng & Stern 1996, Statistica Sinica 6:733.
    """
    if eps == "integrate":
        nodes, weights = eps_nodes(eps_prior, 2 * X.shape[1])
    else:
        nodes, weights = np.array([float(eps)]), np.ones(1)
    base = int(rng.integers(1 << 62))
    p = np.empty(len(X))
    errors = np.zeros(1) if X.implementation_error is None else X.implementation_error
    for k, error in product(np.unique(best), np.unique(errors)):
        rows = np.flatnonzero((best == k) & (errors == error))
        if not len(rows):
            continue
        part, s, noise = X[rows], strategies[k], composed(nodes, error)
        part.implementation_error = None
        if s.is_background:
            p[rows] = 1.0
            continue
        posterior, possible = _posterior(part, s, noise, weights)
        if s.is_deterministic:
            p[rows] = (_binomial(part, s, noise) * posterior).sum(axis=1)
        else:
            p[rows] = _sampled(part, s, noise, posterior, base, samples)
        p[rows[~possible]] = 0.0
    return p


def _posterior(
    X: Trajectories, s: Strategy, nodes: Floats, weights: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Posterior of eps on the nodes (n, E), and whether any node allows the history (n,)."""
    if len(nodes) == 1:
        return np.ones((len(X), 1)), np.ones(len(X), dtype=bool)
    ll = trajectory_likelihood(X, [s], nodes)[:, 0, :]
    top = ll.max(axis=1, keepdims=True)
    possible = np.isfinite(top[:, 0])
    posterior = np.exp(ll - np.where(possible[:, None], top, 0.0)) * weights
    posterior[~possible] = weights
    return posterior / posterior.sum(axis=1, keepdims=True), possible


def _binomial(X: Trajectories, s: Strategy, nodes: Floats) -> Floats:
    """P(M >= m) for M ~ Binomial(n_rounds, eps): (n, E)."""
    from scipy.special import bdtrc

    m = deviations(X.own, X.other, X.evidence_mask, [s], X.decided)[:, 0]
    n = X.n_rounds
    tail = np.where(m[:, None] == 0, 1.0, bdtrc(np.maximum(m - 1, 0)[:, None], n[:, None], nodes[None, :]))
    return np.where((nodes == 0)[None, :] & (m > 0)[:, None], 0.0, tail)


def _sampled(
    X: Trajectories, s: Strategy, nodes: Floats, posterior: Floats, base: int, samples: int
) -> Floats:
    """Monte Carlo p against the recorded opponent, once per distinct history: (n,).

    Every history has a random stream of its own, so that its p does not depend on the rest of the log. The
    plays are shared out among the nodes in proportion to the posterior of eps.
    """
    packed = np.concatenate([X.own, X.other, X.evidence.astype(np.int8), X.decisions], axis=1)
    _, first, back = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    every = X[first]
    seen = trajectory_likelihood(every, [s], nodes)[:, 0]
    known_path = complete_rows(every.own, every.other, every.evidence_mask)[0] & s.observed_path
    places = (np.arange(samples) + 0.5) / samples
    out = np.empty(len(first))
    for i in range(len(first)):
        own, other, counts = every.own[i], every.other[i], every.evidence[i]
        flipped = every.decisions[i] != own
        last = int(np.flatnonzero((own >= 0) | (other >= 0)).max(initial=-1)) + 1
        own, other, counts, flipped = own[:last], other[:last], counts[:last], flipped[:last]
        text = (
            own.tobytes() + other.tobytes() + counts.tobytes() + (flipped.tobytes() if flipped.any() else b"")
        )
        digest = hashlib.blake2b(text, digest_size=8).digest()
        rng = np.random.default_rng([base, int.from_bytes(digest, "little")])
        node = np.minimum(np.searchsorted(posterior[first[i]].cumsum(), places), len(nodes) - 1)
        played, states = replay(s, np.repeat(other[None], samples, axis=0), nodes[node], rng, flipped)
        if known_path[i]:
            drawn = _along_path(s, played, states, counts, nodes, node)
        else:
            drawn = _by_node(s, np.where(own < 0, np.int8(-1), played), other, counts, nodes, node, flipped)
        out[i] = (1 + (drawn <= seen[i, node] + 1e-9).sum()) / (1 + samples)
    return out[back.reshape(-1)]


def _along_path(
    s: Strategy,
    played: Moves,
    states: NDArray[np.intp],
    counts: NDArray[np.bool_],
    nodes: Floats,
    node: NDArray[np.intp],
) -> Floats:
    """Log-likelihood (m,) of plays whose states are known, each at its own eps."""
    q = cooperation_probability(s.arrays()[0], nodes)
    with np.errstate(divide="ignore"):
        table = np.stack([np.log1p(-q), np.log(q)])
    total: Floats = table[played[:, counts], states[:, counts], node[:, None]].sum(axis=1)
    return total


def _by_node(
    s: Strategy,
    played: Moves,
    other: Moves,
    counts: NDArray[np.bool_],
    nodes: Floats,
    node: NDArray[np.intp],
    flipped: NDArray[np.bool_],
) -> Floats:
    """Log-likelihood (m,) of plays with unknown moves or intentions, each at its own eps."""
    out = np.empty(len(played))
    for e in np.unique(node):
        rows = np.flatnonzero(node == e)
        met, mask = np.repeat(other[None], len(rows), axis=0), np.repeat(counts[None], len(rows), axis=0)
        decided = played[rows]
        own = np.where(flipped & (decided >= 0), np.int8(1) - decided, decided)
        out[rows] = log_likelihood(own, met, mask, [s], nodes[e], decided=decided)[:, 0]
    return out
