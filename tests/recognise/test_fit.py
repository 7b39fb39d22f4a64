from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, kstest

from intent import Trajectories, strategy, strategy_set
from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.verdict import fit_probability


def fit_p(own, other, name, eps, rng, **more):
    X = Trajectories.from_strings([own], [other])
    return fit_probability(X, [strategy(name)], np.array([0]), eps, rng, **more)[0]


@pytest.mark.parametrize(("own", "m"), [("CCCCC", 0), ("CDCCC", 1), ("DDCCD", 3)])
def test_deterministic_strategies_use_the_binomial(own, m, rng):
    assert fit_p(own, "CCCCC", "ALLC", 0.05, rng) == pytest.approx(binom.sf(m - 1, 5, 0.05))


def test_without_noise_any_deviation_is_impossible(rng):
    assert fit_p("CCC", "CCC", "TFT", 0.0, rng) == 1.0
    assert fit_p("CDC", "CCC", "TFT", 0.0, rng) == 0.0


def test_missing_moves_do_not_count(rng):
    assert fit_p("C??D", "CCCC", "ALLC", 0.1, rng) == pytest.approx(binom.sf(0, 2, 0.1))


def test_stochastic_strategies_meet_enumeration(rng):
    """Exact p of GTFT over all replies to one opponent sequence."""
    from itertools import product

    from intent.strategies.likelihood import log_likelihood

    other = np.array([[0, 0, 1, 0, 1]])
    every = np.array(list(product([0, 1], repeat=5)))
    ll = log_likelihood(every, np.repeat(other, 32, axis=0), None, [strategy("GTFT")], 0.1)[:, 0]
    for i in (0, 7, 21):
        exact = np.exp(ll[ll <= ll[i] + 1e-9]).sum()
        X = Trajectories(every[[i]], other)
        found = fit_probability(X, [strategy("GTFT")], np.array([0]), 0.1, rng, samples=20_000)[0]
        assert found == pytest.approx(exact, abs=0.015)


def test_true_play_is_rejected_as_often_as_alpha_says():
    corpus = Corpus(strategy_set("TFT"), 20_000, (40, 40), (0.1, 0.1))
    X, y = generate_arrays(corpus, np.random.default_rng(0))
    p = fit_probability(X, corpus.strategies, y, 0.1, np.random.default_rng(0))
    assert (p < 0.05).mean() <= 0.05
    assert (p < 0.05).mean() > 0.02
    assert kstest(p, "uniform", alternative="greater").pvalue > 1e-6


def test_integrated_noise_averages_over_its_posterior(rng):
    X = Trajectories.from_strings(["CCCCCDDCCC"], ["CCCCCCCCCC"])
    grid = np.linspace(0, 0.2, 20_001)
    weight = grid**2 * (1 - grid) ** 8
    exact = np.trapezoid(binom.sf(1, 10, grid) * weight) / np.trapezoid(weight)
    found = fit_probability(X, [strategy("ALLC")], np.array([0]), "integrate", rng)[0]
    assert found == pytest.approx(exact, abs=1e-8)


def test_a_p_value_does_not_depend_on_the_rest_of_the_log():
    corpus = Corpus(strategy_set("GTFT"), 60, (10, 10), (0.1, 0.1))
    X, y = generate_arrays(corpus, np.random.default_rng(0))
    every = fit_probability(X, corpus.strategies, y, 0.1, np.random.default_rng(3), samples=200)
    few = fit_probability(X[20:40], corpus.strategies, y[20:40], 0.1, np.random.default_rng(3), samples=200)
    assert np.array_equal(every[20:40], few)


def test_random_play_always_fits_random(rng):
    assert fit_p("CDDCD", "CCDDC", "RANDOM", 0.05, rng) == 1.0


@pytest.mark.parametrize("gap", [False, True])
def test_integrated_noise_of_a_stochastic_strategy_meets_enumeration(gap, rng):
    """Posterior predictive p of GTFT over all replies to one opponent sequence, on a fine grid over eps."""
    from itertools import product

    from intent.strategies.likelihood import log_likelihood

    gtft, grid = strategy("GTFT"), (np.arange(200) + 0.5) / 1000
    other = np.array([[0, 0, 1, 0, 1, 0]])
    every = np.array(list(product([0, 1], repeat=6)))
    if gap:
        every[:, 2] = -1
        every = every[np.unique(every, axis=0, return_index=True)[1]]
    ll = log_likelihood(every, np.repeat(other, len(every), axis=0), None, [gtft], grid)[:, 0]
    for i in (0, 9, 21):
        posterior = np.exp(ll[i]) / np.exp(ll[i]).sum()
        at_eps = [np.exp(ll[ll[:, e] <= ll[i, e] + 1e-9, e]).sum() for e in range(len(grid))]
        X = Trajectories(every[[i]], other)
        found = fit_probability(X, [gtft], np.array([0]), "integrate", rng, samples=20_000)[0]
        assert found == pytest.approx(posterior @ at_eps, abs=0.015)


def test_play_that_no_noise_allows_has_no_fit(rng):
    assert fit_p("CDC", "CCC", "ALLC", "integrate", rng, eps_prior=(0.0, 0.2)) > 0
    assert fit_p("DCC", "CCC", "EXTORT2", 0.0, rng) < 0.01
