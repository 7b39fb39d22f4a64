"""Forward, backward and EM against enumeration of all paths and against hmmlearn."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from intent.recognise.hmm import (
    Climb,
    baum_welch,
    expected_counts,
    fit_hidden_markov,
    log_likelihood,
    random_model,
    split_states,
    state_posterior,
)

CategoricalHMM = pytest.importorskip("hmmlearn.hmm", reason="no wheels for this Python").CategoricalHMM


@pytest.fixture
def model(rng):
    return random_model(2, 10, 2, rng)


@pytest.fixture
def symbols(rng):
    return rng.integers(0, 10, size=(60, 5)).astype(np.int8)


def paths(model, row):
    """Every path of states with its probability together with the symbols of one trajectory."""
    for path in product(range(model.n_states), repeat=len(row)):
        p = model.start[path[0]]
        for before, after in pairwise(path):
            p *= model.transition[before, after]
        for state, symbol in zip(path, row, strict=True):
            p *= model.emission[state, symbol] if symbol >= 0 else 1.0
        yield path, p


def test_likelihood_sums_over_all_paths(model, symbols):
    symbols[::2, 2] = -1
    expected = [np.log(sum(p for _, p in paths(model, row))) for row in symbols]
    assert np.allclose(log_likelihood(model, symbols), expected, atol=1e-12)


def test_state_posterior_is_the_share_of_paths(model, symbols):
    symbols[0, 1] = -1
    total = np.zeros((5, 2))
    for path, p in paths(model, symbols[0]):
        total[range(5), path] += p
    assert np.allclose(state_posterior(model, symbols[:1])[0], total / total[0].sum())


def test_rounds_without_evidence_at_the_end_change_nothing(model, symbols):
    padded = np.pad(symbols, ((0, 0), (0, 3)), constant_values=-1)
    ones = np.ones(len(symbols))
    assert np.allclose(log_likelihood(model, padded), log_likelihood(model, symbols))
    short, long = expected_counts(model, symbols, ones), expected_counts(model, padded, ones)
    assert np.allclose(short.transition, long.transition)
    assert np.allclose(short.emission, long.emission)


def test_weights_count_repeats(model, symbols):
    repeated = expected_counts(model, np.repeat(symbols, 3, axis=0), np.ones(180))
    weighted = expected_counts(model, symbols, np.full(60, 3.0))
    assert np.allclose(repeated.emission, weighted.emission)
    assert np.isclose(repeated.log_likelihood, weighted.log_likelihood)


def test_joint_em_is_that_of_hmmlearn(symbols, rng):
    begin = random_model(3, 10, 10, rng)
    oracle = CategoricalHMM(3, n_iter=10, tol=-np.inf, init_params="", n_features=10)
    oracle.startprob_, oracle.transmat_ = begin.start.copy(), begin.transition.copy()
    oracle.emissionprob_ = begin.emission.copy()
    oracle.fit(symbols.reshape(-1, 1).astype(int), [5] * 60)
    ours = baum_welch(begin, symbols, np.ones(60), Climb(10, 0, 10, -np.inf))
    assert np.allclose(ours.model.emission, oracle.emissionprob_, atol=1e-10)
    assert np.allclose(ours.model.transition, oracle.transmat_, atol=1e-10)
    assert np.allclose(ours.path[:10], oracle.monitor_.history, atol=1e-8)


def test_joint_likelihood_is_that_of_hmmlearn(symbols, rng):
    model = random_model(3, 10, 10, rng)
    oracle = CategoricalHMM(3, n_features=10)
    oracle.startprob_, oracle.transmat_, oracle.emissionprob_ = model.start, model.transition, model.emission
    expected = [oracle.score(row.reshape(-1, 1).astype(int)) for row in symbols]
    assert np.allclose(log_likelihood(model, symbols), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
@pytest.mark.parametrize("group", [2, 10])
def test_every_step_climbs(symbols, rng, smoothing, group):
    begin = random_model(3, 10, group, rng)
    fit = baum_welch(begin, symbols, np.ones(60), Climb(group, smoothing, 40, -np.inf))
    assert (np.diff(fit.path) > -1e-9).all()


def test_one_state_is_counting(symbols, rng):
    climb = Climb(group=2, smoothing=0.0, n_iter=5, tol=1e-6)
    model = fit_hidden_markov(symbols, 1, climb, n_symbols=10, n_starts=3, rng=rng).model
    counts = np.bincount(symbols.ravel(), minlength=10).reshape(5, 2)
    assert np.allclose(model.emission.reshape(5, 2), counts / counts.sum(axis=1, keepdims=True))


def test_nothing_seen_means_nothing_known(rng):
    climb = Climb(group=2, smoothing=0.0, n_iter=5, tol=1e-6)
    nothing = np.full((4, 3), -1, dtype=np.int8)
    model = fit_hidden_markov(nothing, 2, climb, n_symbols=10, n_starts=3, rng=rng).model
    assert np.isfinite(model.emission).all()
    assert np.allclose(log_likelihood(model, nothing), 0)


def test_planted_tables_are_recovered(rng):
    """500 trajectories of 20 rounds from two states that are far apart."""
    transition, emission = np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.9, 0.1], [0.15, 0.85]])
    state = (rng.random(500) > 0.7).astype(int)
    symbols = np.empty((500, 20), dtype=np.int8)
    for t in range(20):
        symbols[:, t] = rng.random(500) > emission[state, 0]
        state = (rng.random(500) > transition[state, 0]).astype(int)
    climb = Climb(group=2, smoothing=0.0, n_iter=100, tol=0.01)
    model = fit_hidden_markov(symbols, 2, climb, n_symbols=2, n_starts=2, rng=rng).model
    order = np.argsort(-model.emission[:, 0])
    assert np.allclose(model.emission[order], emission, atol=0.03)
    assert np.allclose(model.transition[np.ix_(order, order)], transition, atol=0.03)
    assert np.allclose(model.start[order], [0.7, 0.3], atol=0.05)


def test_split_states_are_models_of_one_state_more(model, rng):
    for made in split_states(model, 2, rng):
        assert made.n_states == 3
        assert np.allclose(made.start.sum(), 1)
        assert np.allclose(made.transition.sum(axis=1), 1)
        assert np.allclose(made.emission.reshape(3, 5, 2).sum(axis=2), 1)
