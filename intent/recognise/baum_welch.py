"""Fitting a hidden Markov model by expectation maximisation, from several random starts.

Repeat: expected starts, transitions and emissions under the model (E); the model whose tables are these
counts, plus `smoothing`, divided by their sums (M). Each step raises

    log P(play) + smoothing * (sum of the logarithms of all table entries),

which for smoothing 0 is the likelihood. Identical trajectories are counted once, with a weight.

References
----------
Baum, Petrie, Soules & Weiss 1970, Annals of Mathematical Statistics 41:164. Rabiner 1989, Proceedings of
the IEEE 77:257, equations 40 and 109.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.recognise.hidden_markov import Expected, Floats, HiddenMarkov, Symbols, expected_counts

__all__ = ["Fit", "baum_welch", "fit_hidden_markov", "random_model", "split_states"]

_SHORT = 30
"""Iterations after which the more promising half of the starts goes on, for twice as many."""

_FOLLOWED = 3
"""Starts that are followed to the end."""

_SAME = 0.5
"""Starts whose log-likelihoods differ by less found the same maximum."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model and how it was found.

    Attributes
    ----------
    model : HiddenMarkov
    log_likelihood : float, of all trajectories
    path : (iterations,), what EM raises, before each step and after the last
    converged : bool
        Whether the last step gained less than the tolerance.
    agreement : (found, tried)
        Of the starts that were followed to the end, those that reached this maximum (within .5).
    """

    model: HiddenMarkov
    log_likelihood: float
    path: Floats
    converged: bool
    agreement: tuple[int, int] = (1, 1)


def fit_hidden_markov(
    symbols: Symbols,
    n_states: int,
    *,
    n_symbols: int,
    group: int,
    smoothing: float,
    n_starts: int,
    n_iter: int,
    tol: float,
    rng: np.random.Generator,
    begin: Sequence[HiddenMarkov] = (),
) -> Fit:
    """The best of several starts of `baum_welch`.

    All starts run for 30 iterations, the better half for another 60, and so on; the last three run to the
    end.

    Parameters
    ----------
    symbols : (n, T) int8, -1 where there is no evidence
    n_states : int
    n_symbols : int, S
    group : int
        So many symbols in a row share a situation, and their probabilities sum to one: 2 for the
        conditional likelihood of C and D in each situation, S for the joint one.
    smoothing : float
        Added to every expected count.
    n_starts, n_iter : int
    tol : float
        EM stops when a step gains less than this (in nats, over all trajectories).
    rng : numpy Generator
    begin : models of `n_states` states
        Further starts, beside the random ones.
    """
    rows, counts = np.unique(symbols, axis=0, return_counts=True)
    weights = counts.astype(float)

    def climb(model: HiddenMarkov, steps: int) -> Fit:
        return baum_welch(model, rows, weights, group=group, smoothing=smoothing, n_iter=steps, tol=tol)

    drawn = [random_model(n_states, n_symbols, group, rng) for _ in range(n_starts if n_states > 1 else 1)]
    steps, left = min(n_iter, _SHORT), n_iter
    pool = [climb(model, steps) for model in (*drawn, *begin)]
    while (left := left - steps) > 0:
        pool.sort(key=lambda fit: -fit.path[-1])
        pool = pool[: max(_FOLLOWED, len(pool) // 2)]
        steps = left if len(pool) <= _FOLLOWED else min(left, 2 * steps)
        pool = [fit if fit.converged else climb(fit.model, steps) for fit in pool]
    best = max(pool, key=lambda fit: fit.path[-1])
    found = sum(bool(fit.path[-1] > best.path[-1] - _SAME) for fit in pool)
    return Fit(best.model, best.log_likelihood, best.path, best.converged, (found, len(pool)))


def baum_welch(
    model: HiddenMarkov,
    symbols: Symbols,
    weights: Floats,
    *,
    group: int,
    smoothing: float,
    n_iter: int,
    tol: float,
) -> Fit:
    """EM from one start.

    Parameters
    ----------
    model : HiddenMarkov to begin with
    symbols : (n, T) int8, -1 where there is no evidence
    weights : (n,), how often each trajectory occurs
    group, smoothing, n_iter, tol
        As `fit_hidden_markov`.
    """
    expected = expected_counts(model, symbols, weights)
    path = [expected.log_likelihood + smoothing * _log_entries(model, smoothing)]
    converged = False
    for _ in range(n_iter):
        model = _maximised(expected, group, smoothing)
        expected = expected_counts(model, symbols, weights)
        path.append(expected.log_likelihood + smoothing * _log_entries(model, smoothing))
        if path[-1] - path[-2] < tol:
            converged = True
            break
    return Fit(model, expected.log_likelihood, np.array(path), converged)


def random_model(n_states: int, n_symbols: int, group: int, rng: np.random.Generator) -> HiddenMarkov:
    """A model to begin with: emissions at random, states that last for two to twenty rounds or so."""
    stay = rng.uniform(0.5, 0.95)
    transition = stay * np.eye(n_states) + (1 - stay) * rng.dirichlet(np.ones(n_states), size=n_states)
    emission = rng.dirichlet(np.ones(group), size=(n_states, n_symbols // group))
    return HiddenMarkov(
        rng.dirichlet(np.full(n_states, 5.0)), transition, emission.reshape(n_states, n_symbols)
    )


def split_states(model: HiddenMarkov, group: int, rng: np.random.Generator) -> list[HiddenMarkov]:
    """Models of one state more: each state in turn halved, the halves made to differ."""
    k, s = model.emission.shape
    made = []
    for state in range(k):
        origin, halves = np.array([*range(k), state]), np.ones(k + 1)
        halves[[state, k]] = 0.5
        emission = model.emission[origin].reshape(k + 1, s // group, group)
        emission[[state, k]] += rng.uniform(0.0, 0.3, size=(2, s // group, group))
        made.append(
            HiddenMarkov(
                model.start[origin] * halves,
                model.transition[np.ix_(origin, origin)] * halves,
                _shares(emission, 0.0).reshape(k + 1, s),
            )
        )
    return made


def _maximised(expected: Expected, group: int, smoothing: float) -> HiddenMarkov:
    k, s = expected.emission.shape
    emission = _shares(expected.emission.reshape(k, s // group, group), smoothing).reshape(k, s)
    return HiddenMarkov(_shares(expected.start, smoothing), _shares(expected.transition, smoothing), emission)


def _shares(counts: NDArray[np.float64], smoothing: float) -> Floats:
    """Counts plus smoothing over their sum along the last axis; equal shares where nothing was counted."""
    raised = counts + smoothing
    total = raised.sum(axis=-1, keepdims=True)
    empty = np.full_like(raised, 1 / counts.shape[-1])
    shares: Floats = np.divide(raised, total, out=empty, where=total > 0)
    return shares


def _log_entries(model: HiddenMarkov, smoothing: float) -> float:
    """Sum of the logarithms of all table entries; 0 where nothing is smoothed, as some may be zero."""
    if not smoothing:
        return 0.0
    with np.errstate(divide="ignore"):
        return float(sum(np.log(part).sum() for part in (model.start, model.transition, model.emission)))
