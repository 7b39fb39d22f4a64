"""Decisions and what was played: the decision is the evidence, the state moves on what was played."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from intent.base.errors import DataError, StrategyError
from intent.logs.gamelog import Trajectories
from intent.recognise.bayes import trajectory_likelihood
from intent.recognise.verdict import fit_probability, play_keys, satisfied_rules
from intent.strategies.catalogue import CATALOGUE, strategy
from intent.strategies.likelihood import deviations, log_likelihood
from intent.strategies.sets import strategy_set
from tests.rules_in_words import RULES, probability


def spelled(moves, counts=None):
    """A row as letters: unknown is ?, no evidence lower case."""
    letters = "".join("DC?"[m] if m >= 0 else "?" for m in moves)
    return (
        "".join(c if ok else c.lower() for c, ok in zip(letters, counts, strict=True))
        if counts is not None
        else letters
    )


def random_play(rng, n=12, rounds=4, gaps=0.0):
    own, other, decided = rng.integers(0, 2, (3, n, rounds)).astype(np.int8)
    own[rng.random(own.shape) < gaps] = -1
    other[rng.random(own.shape) < gaps] = -1
    return Trajectories(own, other, decided=decided, evidence=rng.random(own.shape) >= gaps / 2)


@pytest.mark.parametrize("memory", ["realised", "intended"])
@pytest.mark.parametrize("gaps", [0.0, 0.25])
def test_likelihood_is_that_of_rules_in_words(memory, gaps, rng):
    X = random_play(rng, gaps=gaps)
    strategies = [s.with_memory(memory) for s in CATALOGUE.values()]
    found = np.exp(trajectory_likelihood(X, strategies, 0.1))
    for i in range(len(X)):
        own, other, decided = spelled(X.own[i], X.evidence[i]), spelled(X.other[i]), spelled(X.decisions[i])
        expected = [probability(RULES[s.name], own, other, 0.1, memory, decided) for s in strategies]
        assert np.allclose(found[i], expected, atol=1e-12)


@pytest.mark.parametrize("memory", ["realised", "intended"])
def test_an_unseen_error_is_the_sum_over_all_decisions(memory, rng):
    own, other = rng.integers(0, 2, (2, 6, 4)).astype(np.int8)
    strategies = [s.with_memory(memory) for s in strategy_set("TFT,GRIM2,WSLS,GTFT,EXTORT2,DGRIM2")]
    error = np.array([0.0, 0.0, 0.125, 0.125, 0.25, 0.25])
    total = np.zeros((6, len(strategies)))
    for choice in product((0, 1), repeat=4):
        decided = np.tile(np.array(choice, dtype=np.int8), (6, 1))
        flips = (decided != own).sum(axis=1)
        weight = error**flips * (1 - error) ** (4 - flips)
        total += weight[:, None] * np.exp(log_likelihood(own, other, None, strategies, 0.07, decided=decided))
    found = log_likelihood(own, other, None, strategies, 0.07, implementation_error=error)
    assert np.allclose(np.exp(found), total, atol=1e-13)


def test_decisions_that_were_all_played_change_no_digit(rng):
    own, other = rng.integers(0, 2, (2, 50, 12)).astype(np.int8)
    strategies = strategy_set("all")
    plain = log_likelihood(own, other, None, strategies, [0.0, 0.05])
    assert (log_likelihood(own, other, None, strategies, [0.0, 0.05], decided=own) == plain).all()
    assert Trajectories(own, other, decided=own).decided is None


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_deviations_are_decisions_against_the_strategy(gaps, rng):
    X = random_play(rng, n=40, gaps=gaps)
    strategies = [s for s in CATALOGUE.values() if s.is_deterministic]
    found = deviations(X.own, X.other, X.evidence_mask, strategies, X.decided)
    tiny = trajectory_likelihood(X, strategies, 1e-9)
    assert (found == np.round(tiny / np.log(1e-9))).all()


def test_a_flipped_decision_is_no_deviation():
    X = Trajectories([[1, 0, 1, 1]], [[1, 1, 1, 1]], decided=[[1, 1, 1, 1]])
    assert deviations(X.own, X.other, None, [strategy("TFT")], X.decided).item() == 0
    assert deviations(X.own, X.other, None, [strategy("TFT")]).item() == 1
    assert satisfied_rules(X)[0].tolist() == [True, False, True, False]
    p = fit_probability(X, [strategy("TFT"), strategy("GTFT")], np.array([0]), 0.05, np.random.default_rng(0))
    assert p.item() == 1


def test_fit_of_a_stochastic_strategy_is_uniform_under_it(rng):
    from intent.strategies.catalogue import replay

    s, other = strategy("EXTORT2"), rng.integers(0, 2, (300, 12)).astype(np.int8)
    flipped = rng.random(other.shape) < 0.125
    decided, _ = replay(s, other, 0.05, rng, flipped)
    X = Trajectories(np.where(flipped, 1 - decided, decided), other, decided=decided)
    p = fit_probability(X, [s], np.zeros(300, dtype=int), 0.05, rng, samples=200)
    assert abs(p.mean() - 0.5) < 0.07
    assert 0.02 < (p <= 0.1).mean() < 0.18


def test_indexing_padding_and_joining_keep_decisions(rng):
    X = random_play(rng)
    X.implementation_error = np.linspace(0, 0.2, len(X))
    assert (X[[3, 1]].decided == X.decided[[3, 1]]).all()
    assert (X.truncated(2).decided == X.decided[:, :2]).all()
    joined = Trajectories.concatenated([X.truncated(2), X])
    assert (joined.decided[12:] == X.decided).all()
    assert joined.decided[:12, 2:].max() == -1
    assert joined.implementation_error[12:].tolist() == X.implementation_error.tolist()


def test_plays_are_the_same_only_where_decisions_are():
    own, other = [[1, 0]] * 3, [[1, 1]] * 3
    keys = play_keys(Trajectories(own, other, decided=[[1, 0], [1, 1], [1, 1]]))
    assert len(np.unique(keys, axis=0)) == 2
    keys = play_keys(Trajectories(own, other, implementation_error=[0.1, 0.1, 0.2]))
    assert len(np.unique(keys, axis=0)) == 2


def test_what_is_no_decision_is_refused():
    with pytest.raises(DataError, match=r"decided has shape \(1, 1\), expected \(1, 2\)"):
        Trajectories([[1, 0]], [[1, 1]], decided=[[1]])
    with pytest.raises(DataError, match=r"implementation_error is outside \[0, .5\)"):
        Trajectories([[1, 0]], [[1, 1]], implementation_error=0.5)
    with pytest.raises(StrategyError, match="decided has shape"):
        log_likelihood(
            *np.ones((2, 1, 2), np.int8), None, [strategy("TFT")], 0.1, decided=np.ones((1, 1), np.int8)
        )
