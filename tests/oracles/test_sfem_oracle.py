"""The mixture against enumeration in plain Python and against a general optimiser of the same likelihood."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from intent import Trajectories
from intent.estimate.counts import count_moves
from intent.estimate.mixture import Layout, Mixture, Parameters
from intent.estimate.shares import estimate
from intent.recognise.bayes import trajectory_likelihood
from intent.strategies.catalogue import strategy
from intent.strategies.likelihood import log_likelihood
from intent.strategies.sets import strategy_set


def random_play(rng, n, rounds, gaps=0.0):
    own, other = rng.integers(0, 2, (2, n, rounds))
    own[rng.random((n, rounds)) < gaps] = -1
    other[rng.random((n, rounds)) < gaps] = -1
    return Trajectories(own, other, evidence=rng.random((n, rounds)) >= gaps / 2)


def mixture_of(X, subjects, strategies, tremble="common"):
    k = len(strategies)
    index = np.arange(k) if tremble == "strategy" else np.zeros(k, dtype=int)
    return Mixture([count_moves(X, subjects, strategies)], Layout(np.zeros(1, dtype=int), index[None]))


def chance_by_hand(s, own, other, eps):
    """P(own moves | other's moves) over every sequence of intentions, and of moves that are unknown."""
    unknown = [t for t, a in enumerate(own) if a < 0]
    hidden = [t for t, b in enumerate(other) if b < 0]
    total = 0.0
    for mine in itertools.product((0, 1), repeat=len(unknown)):
        for theirs in itertools.product((0, 1), repeat=len(hidden)):
            a, b = list(own), list(other)
            for t, move in zip(unknown, mine, strict=True):
                a[t] = move
            for t, move in zip(hidden, theirs, strict=True):
                b[t] = move
            for intents in itertools.product((0, 1), repeat=len(a)):
                state, p = s.start, 0.5 ** len(hidden)
                for intent, realised, heard in zip(intents, a, b, strict=True):
                    p *= s.p_cooperate[state] if intent else 1 - s.p_cooperate[state]
                    p *= eps if intent != realised else 1 - eps
                    state = s.next_code(state, intent if s.memory == "intended" else realised, heard)
                total += p
    return total


@pytest.mark.parametrize("memory", ["realised", "intended"])
def test_likelihood_is_the_sum_over_all_that_is_unknown(memory, rng):
    strategies = [s.with_memory(memory) for s in strategy_set("TFT,GRIM,GTFT,EXTORT2")]
    X, subjects = random_play(rng, 8, 4, gaps=0.2), np.array([0, 0, 1, 1, 1, 2, 3, 3])
    X = Trajectories(X.own, X.other)
    shares, eps = np.array([0.1, 0.2, 0.3, 0.4]), 0.07
    expected = 0.0
    for subject in range(4):
        games = [
            math.prod(
                chance_by_hand(s, X.own[i], X.other[i], eps) for i in np.flatnonzero(subjects == subject)
            )
            for s in strategies
        ]
        expected += math.log(shares @ games)
    at = Parameters(shares[None, None], np.full((1, 1), math.log(eps / (1 - eps))))
    found = mixture_of(X, subjects, strategies).slopes(at, [np.ones((1, 4))])
    assert found.value[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("names", ["canonical6", "ALLC,EXTORT2,ZDGTFT2,FBF,RANDOM", "rr20"])
@pytest.mark.parametrize("memory", ["realised", "intended"])
@pytest.mark.parametrize("eps", [1e-6, 0.07, 0.4])
def test_counts_and_gaps_score_as_the_exact_likelihood(names, memory, eps, rng):
    strategies = [s.with_memory(memory) for s in strategy_set(names)]
    X, subjects = random_play(rng, 40, 8, gaps=0.15), np.repeat(np.arange(10), 4)
    by_row = log_likelihood(X.own, X.other, X.evidence_mask, strategies, eps)
    odds = np.full((1, 1), np.log(eps / (1 - eps)))
    found = mixture_of(X, subjects, strategies).likelihoods(0, slice(None), odds)[0][0]
    assert np.allclose(found.T, np.add.reduceat(by_row, np.arange(0, 40, 4)), atol=1e-9)


@pytest.mark.parametrize("names", ["canonical6", "rr20"])
@pytest.mark.parametrize("memory", ["realised", "intended"])
@pytest.mark.parametrize("gaps", [0.0, 0.15])
def test_decisions_and_unseen_errors_score_as_the_exact_likelihood(names, memory, gaps, rng):
    strategies = [s.with_memory(memory) for s in strategy_set(names)]
    X, subjects = random_play(rng, 40, 8, gaps), np.repeat(np.arange(10), 4)
    X = Trajectories(
        X.own,
        X.other,
        decided=rng.integers(0, 2, X.shape),
        evidence=X.evidence,
        implementation_error=rng.choice([0.0, 0.0625, 0.125], 40),
    )
    by_row = trajectory_likelihood(X, strategies, 0.07)
    odds = np.full((1, 1), np.log(0.07 / 0.93))
    found = mixture_of(X, subjects, strategies).likelihoods(0, slice(None), odds)[0][0]
    assert np.allclose(found.T, np.add.reduceat(by_row, np.arange(0, 40, 4)), atol=1e-9)


@pytest.mark.parametrize("tremble", ["common", "strategy"])
def test_derivatives_are_those_of_the_likelihood(tremble, rng):
    strategies = strategy_set("TFT,GTFT,WSLS")
    X, weights = random_play(rng, 30, 6, gaps=0.1), [np.ones((1, 10))]
    mixture = mixture_of(X, np.repeat(np.arange(10), 3), strategies, tremble)
    j = mixture.layout.n_trembles
    theta = np.concatenate([[0.5, 0.3, 0.2], rng.uniform(-3, -1, j)])

    def slopes(v):
        return mixture.slopes(Parameters(v[None, None, :3], v[None, 3:]), weights)

    def gradient(v):
        found = slopes(v)
        return np.concatenate([found.shares[0, 0], found.log_odds[0]])

    steps = 1e-5 * np.eye(3 + j)
    value = [(slopes(theta + d).value[0] - slopes(theta - d).value[0]) / 2e-5 for d in steps]
    curve = [(gradient(theta + d) - gradient(theta - d)) / 2e-5 for d in steps]
    assert np.allclose(gradient(theta), value, atol=1e-6)
    assert np.allclose(-slopes(theta).information[0], curve, atol=1e-4)


def direct_optimum(mixture, n, starts=4):
    """The highest log-likelihood that SLSQP finds from several random starts."""
    from scipy.optimize import minimize

    k, j = mixture.n_strategies, mixture.layout.n_trembles
    rng, best = np.random.default_rng(0), -np.inf

    def loss(v):
        at = Parameters(np.clip(v[None, None, :k], 0, None), v[None, k:])
        found = mixture.slopes(at, [np.ones((1, n))])
        return -found.value[0], -np.concatenate([found.shares[0, 0], found.log_odds[0]])

    for _ in range(starts):
        start = np.concatenate([rng.dirichlet(np.ones(k)), rng.uniform(-5, -0.3, j)])
        found = minimize(
            loss,
            start,
            jac=True,
            method="SLSQP",
            bounds=[(1e-12, 1)] * k + [(-29, -1e-9)] * j,
            constraints={"type": "eq", "fun": lambda v: v[:k].sum() - 1},
            options={"ftol": 1e-14, "maxiter": 300},
        )
        if abs(found.x[:k].sum() - 1) < 1e-9:
            best = max(best, -found.fun)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("names", ["canonical4", "canonical6", "df2011"])
@pytest.mark.parametrize("tremble", ["common", "strategy"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_optimum_is_that_of_a_direct_optimiser(names, tremble, seed):
    rng, strategies = np.random.default_rng(seed), strategy_set(names)
    X, subjects = random_play(rng, 90, 5), np.repeat(np.arange(30), 3)
    if seed == 0:
        X = Trajectories((rng.random((90, 5)) < 0.85).astype(int), X.other)
    fit = estimate(X, subjects, strategies, tremble=tremble).groups[0][1]
    assert fit.converged
    assert fit.log_likelihood >= direct_optimum(mixture_of(X, subjects, strategies, tremble), 30) - 1e-6


def test_one_strategy_has_its_tremble_in_closed_form(rng):
    X = random_play(rng, 20, 10)
    X = Trajectories((rng.random((20, 10)) < 0.9).astype(int), X.other)
    fit = estimate(X, np.arange(20), [strategy("ALLC")]).groups[0][1]
    b = (X.own == 0).mean()
    assert fit.tremble[0].estimate == pytest.approx(b, abs=1e-9)
    assert fit.tremble[0].se == pytest.approx(np.sqrt(b * (1 - b) / 200), rel=1e-6)
    assert fit.log_likelihood == pytest.approx(200 * (b * np.log(b) + (1 - b) * np.log(1 - b)))
    assert fit.match == pytest.approx(1 - b)


def test_perfect_play_is_counted(rng):
    own = np.repeat([1, 0], [30, 70])[:, None] * np.ones((1, 6), dtype=int)
    X = Trajectories(own, rng.integers(0, 2, (100, 6)))
    fit = estimate(X, np.arange(100), strategy_set("ALLC,ALLD")).groups[0][1]
    assert [s.estimate for s in fit.shares] == pytest.approx([0.3, 0.7], abs=1e-9)
    assert [s.se for s in fit.shares] == pytest.approx([np.sqrt(0.21 / 100)] * 2, rel=1e-6)
    assert fit.tremble[0].estimate == 0
    assert fit.tremble[0].se is None
    assert fit.log_likelihood == pytest.approx(30 * np.log(0.3) + 70 * np.log(0.7), abs=1e-8)
