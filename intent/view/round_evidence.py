"""What play says round by round: the posterior after each, and the moves that a strategy would not make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.logs.trajectories import Trajectories
from intent.recognise.base import Recogniser
from intent.strategies.automaton import Strategy
from intent.strategies.forward import forward_path

__all__ = ["MOST_POINTS", "PrefixPosterior", "move_probabilities", "prefix_posterior"]

Floats = NDArray[np.float64]

MOST_POINTS = 401
"""Most numbers of rounds after which a posterior is computed."""

_LEAST_POINTS, _WORK = 51, 2_000_000
"""Fewest numbers of rounds in a very long game; rounds that are scored for one game beyond these."""

_CELLS = 1 << 22
_TREMBLE = 1e-9
"""So small a noise that a probability is the one without, and play goes on after an impossible move."""


@dataclass(frozen=True, eq=False)
class PrefixPosterior:
    """The posterior after more and more rounds.

    Attributes
    ----------
    after : (P,) numbers of rounds, 0 first and T last
    proba : (P, K)
    """

    after: NDArray[np.intp]
    proba: Floats


def prefix_posterior(
    X: Trajectories, recogniser: Recogniser, between: tuple[int, int] | None = None
) -> tuple[PrefixPosterior, ...]:
    """The posterior of each trajectory after 0, 1, ..., T rounds, evenly spread ones if there are many.

    Row t is ``recogniser.predict_proba`` of the first t rounds, so the last is that of the label. All are
    asked for at once: in a long game it is the rounds that cost, and not how many histories are scored.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    recogniser : fitted Recogniser
    between : (first, last) numbers of rounds, optional
        Only after so many; play that comes later costs nothing.

    Returns
    -------
    tuple of n PrefixPosterior
    """
    if between is not None:
        X = X.truncated(between[1])
    horizon = X.shape[1]
    afters = [_points(mask, 0 if between is None else between[0]) for mask in X.mask]
    after, whose = np.concatenate(afters), np.repeat(np.arange(len(X)), [len(one) for one in afters])
    step = max(1, _CELLS // max(horizon, 1))
    parts = []
    for a in range(0, len(after), step):
        rows = whose[a : a + step]
        seen = np.arange(horizon) < after[a : a + step, None]
        shortened = Trajectories(
            np.where(seen, X.own[rows], np.int8(-1)),
            np.where(seen, X.other[rows], np.int8(-1)),
            decided=None if X.decided is None else X.decided[rows],
            evidence=None if X.evidence_mask is None else seen & X.evidence[rows],
            implementation_error=None if X.implementation_error is None else X.implementation_error[rows],
        )
        parts.append(recogniser.predict_proba(shortened))
    proba = np.split(np.concatenate(parts), np.cumsum([len(one) for one in afters])[:-1])
    return tuple(PrefixPosterior(*one) for one in zip(afters, proba, strict=True))


def _points(mask: NDArray[np.bool_], first: int) -> NDArray[np.intp]:
    """Numbers of rounds, from a first one on, after which the posterior of a trajectory is asked for."""
    last = int(np.flatnonzero(mask).max(initial=-1)) + 1
    first = min(first, last)
    points = min(last - first + 1, MOST_POINTS, max(_LEAST_POINTS, _WORK // max(last, 1)))
    return np.unique(np.linspace(first, last, points).round().astype(np.intp))


def move_probabilities(X: Trajectories, strategies: Sequence[Strategy]) -> Floats:
    """Probability of each decision under each strategy without noise, given all that was played before.

    P(own_t | own_1..t-1, other_1..t-1, k) = exp(l_t - l_{t-1}), the steps of the forward pass. Where the path
    of states is known it is the chance of the move in its state: 1 or 0 for a deterministic strategy, and the
    zeros are the moves that contradict it. After such a move the strategy goes on from what was played.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    strategies : sequence of K Strategy

    Returns
    -------
    (n, T, K), NaN where the own move is unknown or no evidence
    """
    n, horizon = X.shape
    out = np.full((n, horizon, len(strategies)), np.nan)
    known = (X.own >= 0) & (X.other >= 0)
    before = np.logical_and.accumulate(known, axis=1)[:, :-1]
    direct = np.logical_not(((X.own[:, 1:] >= 0) & ~before).any(axis=1))
    visible = [k for k, s in enumerate(strategies) if s.observed_path]
    if direct.any() and visible:
        on_path = np.full((int(direct.sum()), horizon, len(strategies)), np.nan)
        on_path[:, :, visible] = _on_path(X[direct], [strategies[k] for k in visible])
        out[direct] = on_path
    for k, strategy in enumerate(strategies):
        rows = np.flatnonzero(~direct) if k in visible else np.arange(n)
        if len(rows):
            out[rows, :, k] = _summed_out(X[rows], strategy)
    out[~X.evidence] = np.nan
    return out


def _on_path(X: Trajectories, strategies: Sequence[Strategy]) -> Floats:
    """The chance of each move where all that was played before is known, all strategies side by side."""
    n, horizon = X.shape
    width, kinds = max(s.n_states for s in strategies), np.arange(len(strategies))
    p, nxt = np.zeros((len(strategies), width)), np.zeros((len(strategies), width, 4), dtype=np.intp)
    for k, strategy in enumerate(strategies):
        p[k, : strategy.n_states], nxt[k, : strategy.n_states] = strategy.arrays()
    state = np.tile(np.array([s.start for s in strategies]), (n, 1))
    own, other = np.maximum(X.own, 0).astype(np.intp), np.maximum(X.other, 0).astype(np.intp)
    chance = np.empty((n, horizon, len(strategies)))
    for t in range(horizon):
        chance[:, t] = p[kinds, state]
        state = nxt[kinds, state, (3 - 2 * own[:, t] - other[:, t])[:, None]]
    return np.where(X.decisions[:, :, None] == 1, chance, 1 - chance)


def _summed_out(X: Trajectories, strategy: Strategy) -> Floats:
    """The chance of each move where earlier moves or intentions are unknown, (n, T)."""
    noise = np.array([_TREMBLE])
    path = forward_path(X.own, X.other, X.evidence_mask, strategy, noise, decided=X.decided)[:, :, 0]
    chance = np.exp(np.diff(path, axis=1, prepend=0.0))
    return np.where(chance < 2 * _TREMBLE, 0.0, np.minimum(np.round(chance, 6), 1.0))
