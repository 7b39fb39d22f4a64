"""Hidden Markov models of an agent's moves: likelihood, posterior states and expected counts, vectorised.

A state z_t is drawn from pi first and from row z_{t-1} of A afterwards; in it the agent emits symbol x_t
with probability B[z_t, x_t]. Where a symbol is "this move in that situation" and B is a probability of the
move *given* the situation, the product is the conditional likelihood of the agent's own moves:

    P(a_1..a_T | situations) = sum_z pi(z_1) prod_t A(z_{t-1}, z_t) P(a_t | situation_t, z_t)

As the opponent reacts to moves and never to hidden states, its probabilities are a factor that all models
share. So this likelihood compares models whoever the opponent was; that of a joint B does not.

References
----------
Rabiner 1989, Proceedings of the IEEE 77:257, equations 19-25, 27, 37 and 92 (scaling). Bengio & Frasconi
1995, NIPS 7:427 (emissions that depend on an input).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Expected", "HiddenMarkov", "expected_counts", "log_likelihood", "state_posterior"]

Floats = NDArray[np.float64]
Symbols = NDArray[np.int8]

_CHUNK = 1 << 11
"""Trajectories that are in memory at a time."""


@dataclass(frozen=True, eq=False)
class HiddenMarkov:
    """The tables of a model with K states and S symbols.

    Parameters
    ----------
    start : (K,), probability of the state of round 1
    transition : (K, K), rows sum to one
    emission : (K, S), probability of each symbol, or of its move given its situation
    """

    start: Floats
    transition: Floats
    emission: Floats

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.start)


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of the hidden states, given the play: the E step of `baum_welch`.

    Attributes
    ----------
    log_likelihood : float, of all trajectories
    start : (K,), trajectories that begin in each state
    transition : (K, K), moves from state to state while play lasts
    emission : (K, S), symbols emitted in each state
    """

    log_likelihood: float
    start: Floats
    transition: Floats
    emission: Floats


def log_likelihood(model: HiddenMarkov, symbols: Symbols) -> Floats:
    """Log-likelihood of each trajectory.

    Parameters
    ----------
    model : HiddenMarkov
    symbols : (n, T) int8
        -1 where there is no evidence: the state moves on, and nothing is multiplied.

    Returns
    -------
    (n,), -inf where the model rules the play out
    """
    out = np.empty(len(symbols))
    for rows in _chunks(len(symbols)):
        with np.errstate(divide="ignore"):
            out[rows] = np.log(_forward(model, _emitted(model, symbols[rows]))[1]).sum(axis=0)
    return out


def state_posterior(model: HiddenMarkov, symbols: Symbols) -> Floats:
    """Probability (n, T, K) of the state in each round, given the whole trajectory."""
    out = np.empty((*symbols.shape, model.n_states))
    for rows in _chunks(len(symbols)):
        emitted = _emitted(model, symbols[rows])
        alpha, norm = _forward(model, emitted)
        out[rows] = (alpha * _backward(model, emitted, norm)).transpose(1, 0, 2)
    return out


def expected_counts(model: HiddenMarkov, symbols: Symbols, weights: Floats) -> Expected:
    """Expected starts, transitions and emissions.

    Parameters
    ----------
    model : HiddenMarkov
    symbols : (n, T) int8, -1 where there is no evidence
    weights : (n,)
        How often each trajectory occurs.
    """
    k, s = model.emission.shape
    total, start, transition, emission = 0.0, np.zeros(k), np.zeros((k, k)), np.zeros((k, s))
    for rows in _chunks(len(symbols)):
        part, weight = symbols[rows], weights[rows]
        emitted = _emitted(model, part)
        alpha, norm = _forward(model, emitted)
        beta = _backward(model, emitted, norm)
        with np.errstate(divide="ignore"):
            total += float(np.log(norm).sum(axis=0) @ weight)
        gamma = alpha * beta * weight[:, None]
        start += gamma[0].sum(axis=0)
        ahead = emitted[1:] * beta[1:] * (weight * _played(part)[1:] / norm[1:])[:, :, None]
        transition += alpha[:-1].reshape(-1, k).T @ ahead.reshape(-1, k)
        place = part.T.ravel() + 1
        flat = gamma.reshape(-1, k)
        for state in range(k):
            emission[state] += np.bincount(place, weights=flat[:, state], minlength=s + 1)[1:]
    return Expected(total, start, transition * model.transition, emission)


def _chunks(n: int) -> Iterator[slice]:
    for first in range(0, n, _CHUNK):
        yield slice(first, min(first + _CHUNK, n))


def _emitted(model: HiddenMarkov, symbols: Symbols) -> Floats:
    """(T, n, K), probability of what was emitted in each state; 1 where there is no evidence."""
    table = np.concatenate([model.emission, np.ones((model.n_states, 1))], axis=1).T
    found: Floats = np.ascontiguousarray(table)[symbols.T]
    return found


def _forward(model: HiddenMarkov, emitted: Floats) -> tuple[Floats, Floats]:
    """P(state | play so far), (T, n, K), and P(symbol | play before), (T, n)."""
    alpha, norm = np.empty_like(emitted), np.empty(emitted.shape[:2])
    for t in range(len(emitted)):
        np.multiply(model.start if t == 0 else alpha[t - 1] @ model.transition, emitted[t], out=alpha[t])
        norm[t] = alpha[t].sum(axis=1)
        alpha[t] /= np.where(norm[t] > 0, norm[t], 1.0)[:, None]
    return alpha, norm


def _backward(model: HiddenMarkov, emitted: Floats, norm: Floats) -> Floats:
    """(T, n, K), the factor that later play puts on each state."""
    beta = np.ones_like(emitted)
    for t in range(len(emitted) - 2, -1, -1):
        ahead = emitted[t + 1] * beta[t + 1]
        ahead /= np.where(norm[t + 1] > 0, norm[t + 1], 1.0)[:, None]
        beta[t] = ahead @ model.transition.T
    return beta


def _played(symbols: Symbols) -> NDArray[np.bool_]:
    """(T, n), whether evidence comes in this round or later."""
    known = (symbols >= 0).T
    lasts: NDArray[np.bool_] = np.logical_or.accumulate(known[::-1], axis=0)[::-1]
    return lasts
