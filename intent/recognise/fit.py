"""Goodness of fit: is the play at least as likely under its best strategy as such play usually is?"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from intent.logs.trajectories import Trajectories
from intent.recognise.base import summed_by
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
    subjects: NDArray[np.intp] | None = None,
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
    rounds; where decisions are not recorded, the moves are judged at eps and the known error together (of
    several games of a subject, at the mean of their errors).

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
    subjects : (n,) int, 0 .. S - 1, optional
        Whose histories each are: those of one subject are judged together, and `best` is (S,).

    Returns
    -------
    (n,) or (S,), in [0, 1]

    References
    ----------
    Gelman, Meng & Stern 1996, Statistica Sinica 6:733.
    """
    owners = np.arange(len(X)) if subjects is None else subjects
    if eps == "integrate":
        most = X.shape[1] if subjects is None else np.bincount(owners, weights=X.n_rounds).max(initial=1)
        nodes, weights = eps_nodes(eps_prior, 2 * int(most))
    else:
        nodes, weights = np.array([float(eps)]), np.ones(1)
    base = int(rng.integers(1 << 62))
    p = np.empty(len(best))
    errors = np.zeros(len(best))
    if X.implementation_error is not None:
        errors = summed_by(X.implementation_error, owners) / np.bincount(owners, minlength=len(best))
    for k, error in product(np.unique(best), np.unique(errors)):
        whose, s = np.flatnonzero((best == k) & (errors == error)), strategies[k]
        if not len(whose):
            continue
        if s.is_background:
            p[whose] = 1.0
            continue
        rows = whose if subjects is None else np.flatnonzero(np.isin(owners, whose))
        part, noise = X[rows], composed(nodes, error)
        part.implementation_error = None
        codes = None if subjects is None else np.searchsorted(whose, owners[rows])
        posterior, possible = _posterior(part, s, noise, weights, codes)
        if s.is_deterministic:
            p[whose] = (_binomial(part, s, noise, codes) * posterior).sum(axis=1)
        elif codes is None:
            p[whose] = _sampled(part, s, noise, posterior, base, samples)
        else:
            p[whose] = _sampled_together(part, s, noise, posterior, base, samples, codes)
        p[whose[~possible]] = 0.0
    return p


def _posterior(
    X: Trajectories, s: Strategy, nodes: Floats, weights: Floats, codes: NDArray[np.intp] | None
) -> tuple[Floats, NDArray[np.bool_]]:
    """Posterior of eps on the nodes (n, E), and whether any node allows the history (n,)."""
    if len(nodes) == 1:
        n = len(X) if codes is None else int(codes.max(initial=-1)) + 1
        return np.ones((n, 1)), np.ones(n, dtype=bool)
    ll = trajectory_likelihood(X, [s], nodes)[:, 0, :]
    if codes is not None:
        ll = summed_by(ll, codes)
    top = ll.max(axis=1, keepdims=True)
    possible = np.isfinite(top[:, 0])
    posterior = np.exp(ll - np.where(possible[:, None], top, 0.0)) * weights
    posterior[~possible] = weights
    return posterior / posterior.sum(axis=1, keepdims=True), possible


def _binomial(X: Trajectories, s: Strategy, nodes: Floats, codes: NDArray[np.intp] | None) -> Floats:
    """P(M >= m) for M ~ Binomial(n_rounds, eps): (n, E)."""
    from scipy.special import bdtrc

    m = deviations(X.own, X.other, X.evidence_mask, [s], X.decided)[:, 0]
    n = X.n_rounds
    if codes is not None:
        m, n = summed_by(m, codes), summed_by(n, codes)
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
        node = np.minimum(np.searchsorted(posterior[first[i]].cumsum(), places), len(nodes) - 1)
        drawn = _drawn(every, i, s, nodes, node, [base], bool(known_path[i]))
        out[i] = (1 + (drawn <= seen[i, node] + 1e-9).sum()) / (1 + samples)
    return out[back.reshape(-1)]


def _sampled_together(
    X: Trajectories,
    s: Strategy,
    nodes: Floats,
    posterior: Floats,
    base: int,
    samples: int,
    codes: NDArray[np.intp],
) -> Floats:
    """As `_sampled`, of all histories of each subject: in a draw its games are played anew at one eps."""
    seen = summed_by(trajectory_likelihood(X, [s], nodes)[:, 0], codes)
    known_path = complete_rows(X.own, X.other, X.evidence_mask)[0] & s.observed_path
    places = (np.arange(samples) + 0.5) / samples
    out = np.empty(len(seen))
    rows_of = np.split(np.argsort(codes, kind="stable"), np.bincount(codes).cumsum()[:-1])
    for g, rows in enumerate(rows_of):
        node = np.minimum(np.searchsorted(posterior[g].cumsum(), places), len(nodes) - 1)
        # Equal histories of one subject are different games: their number tells their streams apart.
        drawn = np.zeros(samples)
        for number, i in enumerate(rows.tolist()):
            drawn += _drawn(X, i, s, nodes, node, [base, number], bool(known_path[i]))
        out[g] = (1 + (drawn <= seen[g, node] + 1e-9).sum()) / (1 + samples)
    return out


def _drawn(
    X: Trajectories,
    i: int,
    s: Strategy,
    nodes: Floats,
    node: NDArray[np.intp],
    seed: list[int],
    known_path: bool,
) -> Floats:
    """Log-likelihoods (m,) of plays of a strategy against the opponent of history i, each at its own eps."""
    own, other, counts = X.own[i], X.other[i], X.evidence[i]
    last = int(np.flatnonzero((own >= 0) | (other >= 0)).max(initial=-1)) + 1
    flipped = (X.decisions[i] != X.own[i])[:last]
    own, other, counts = own[:last], other[:last], counts[:last]
    text = own.tobytes() + other.tobytes() + counts.tobytes() + (flipped.tobytes() if flipped.any() else b"")
    digest = hashlib.blake2b(text, digest_size=8).digest()
    rng = np.random.default_rng([*seed, int.from_bytes(digest, "little")])
    played, states = replay(s, np.repeat(other[None], len(node), axis=0), nodes[node], rng, flipped)
    if known_path:
        return _along_path(s, played, states, counts, nodes, node)
    return _by_node(s, np.where(own < 0, np.int8(-1), played), other, counts, nodes, node, flipped)


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
