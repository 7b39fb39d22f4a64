"""Mixtures over strategies with thresholds, against enumeration, plain SFEM, and known shares."""

from __future__ import annotations

import math

import numpy as np
import pytest
from contribution_logs import binary_log, threshold_play

from intent import Trajectories
from intent.estimate.contributions import contributions
from intent.estimate.counts import CountedOthers, count_play
from intent.estimate.mixture import Layout, Mixture, Parameters
from intent.estimate.shares import estimate, select
from intent.strategies.catalogue import strategy
from intent.strategies.likelihood import log_likelihood
from intent.strategies.sets import strategy_set, threshold_strategies


def random_play(rng, n, rounds, others, gaps=0.0):
    own = rng.integers(0, 2, (n, rounds)).astype(np.int8)
    own[rng.random((n, rounds)) < gaps] = -1
    silent = rng.binomial(others, gaps, (n, rounds))
    return CountedOthers(own, rng.binomial(others - silent, 0.5).astype(np.int32), silent.astype(np.int32))


def chance_by_hand(s, k, own, giving, eps):
    """P(own moves), reading the others round by round as the definition says."""
    state, p = s.start, 1.0
    for a, number in zip(own, giving, strict=True):
        q = s.p_cooperate[state] * (1 - eps) + (1 - s.p_cooperate[state]) * eps
        p *= q if a else 1 - q
        state = s.next_code(state, int(a), int(number >= k))
    return p


def test_likelihood_is_that_of_the_definition(rng):
    X, eps = random_play(rng, 6, 5, 3), 0.1
    players = threshold_strategies("TFT,ALLD,GRIM>=2", 3)
    shares = np.array([0.1, 0.2, 0.3, 0.15, 0.25])
    expected = sum(
        math.log(
            sum(
                phi * chance_by_hand(s.strategy, s.k or 1, X.own[i], X.giving[i], eps)
                for phi, s in zip(shares, players, strict=True)
            )
        )
        for i in range(6)
    )
    mixture = Mixture([count_play(X, np.arange(6), players)], Layout(np.zeros(1, int), np.zeros((1, 5), int)))
    at = Parameters(shares[None, None], np.full((1, 1), math.log(eps / (1 - eps))))
    assert mixture.slopes(at, [np.ones((1, 6))]).value[0] == pytest.approx(expected, abs=1e-12)


def test_unknown_others_are_summed_out_by_the_one_likelihood(rng):
    X, eps = random_play(rng, 30, 7, 3, gaps=0.2), 0.07
    players = threshold_strategies("GRIM,GTFT>=2,ALLC", 3)
    found = count_play(X, np.arange(30), players)
    odds = np.full((1, 1), math.log(eps / (1 - eps)))
    mixture = Mixture([found], Layout(np.zeros(1, int), np.zeros((1, len(players)), int)))
    ours = mixture.likelihoods(0, slice(None), odds)[0][0]
    for row, s in zip(ours, players, strict=True):
        read = X.at_least(s.k or 1)
        assert np.allclose(row, log_likelihood(read.own, read.other, None, [s.strategy], eps)[:, 0])


def test_one_other_is_plain_sfem(rng):
    own, other = rng.integers(0, 2, (2, 40, 8)).astype(np.int8)
    counted = CountedOthers(own, other.astype(np.int32), np.zeros_like(other, dtype=np.int32))
    names = "ALLC,ALLD,TFT,WSLS,GRIM"
    plain = estimate(Trajectories(own, other), np.arange(40), strategy_set(names)).groups[0][1]
    ours = estimate(counted, np.arange(40), threshold_strategies(names, 1)).groups[0][1]
    assert ours.names == ("ALLC", "ALLD", "TFT>=1", "WSLS>=1", "GRIM>=1")
    assert ours.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-9)
    assert [s.estimate for s in ours.shares] == pytest.approx([s.estimate for s in plain.shares], abs=1e-6)


def test_known_shares_are_recovered(rng):
    truth = {"ALLD": 0.3, "TFT>=1": 0.2, "TFT>=3": 0.3, "GRIM>=2": 0.2}
    kinds = [("ALLD", 1), ("TFT", 1), ("TFT", 3), ("GRIM", 2)]
    drawn = rng.choice(4, p=list(truth.values()), size=(200, 4))
    seats = [[(strategy(kinds[i][0]), kinds[i][1]) for i in row] for row in drawn]
    X = contributions(binary_log(threshold_play(seats, 15, 0.08, rng))).counted()
    fit = estimate(X, np.arange(len(X)), threshold_strategies("ALLC,ALLD,TFT,GRIM>=2", 3)).groups[0][1]
    assert fit.tremble[0].estimate == pytest.approx(0.08, abs=0.015)
    played = np.bincount(drawn.ravel(), minlength=4) / drawn.size
    for name, share, estimated in zip(fit.names, fit.shares, fit.posterior.mean(axis=0), strict=True):
        place = list(truth).index(name) if name in truth else None
        expected = 0 if place is None else played[place]
        assert share.estimate == pytest.approx(expected, abs=0.06), name
        assert estimated == pytest.approx(share.estimate, abs=1e-6)


def test_what_the_data_do_not_tell_apart_is_named(rng):
    X = random_play(rng, 60, 10, 2)
    always_one = CountedOthers(X.own, np.ones_like(X.giving), X.silent)
    fit = estimate(always_one, np.arange(60), threshold_strategies("ALLC,ALLD,TFT", 2)).groups[0][1]
    assert any({"ALLC", "TFT>=1"} <= set(ridge) for ridge in fit.ridge)


def test_selection_drops_thresholds(rng):
    seats = [[(strategy("TFT"), 2)] * 2 + [(strategy("ALLD"), 1)] for _ in range(40)]
    X = contributions(binary_log(threshold_play(seats, 12, 0.1, rng))).counted()
    found = select(X, np.arange(len(X)), threshold_strategies("ALLC,ALLD,TFT", 2))
    assert "ALLD" in found.steps[-1].names
    assert len(found.steps[-1].names) < 4
