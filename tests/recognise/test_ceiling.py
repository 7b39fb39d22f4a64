from __future__ import annotations

import numpy as np
import pytest

from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.bayes import BayesRecogniser, log_evidence
from intent.recognise.ceiling import all_histories, exact_ceiling, sampled_ceiling
from intent.strategies.catalogue import strategy
from intent.strategies.likelihood import log_likelihood
from intent.strategies.sets import strategy_set

PUBLISHED = {
    ("canonical4", 5): (0.9531, 0.9417, 0.8931, 0.8265, 0.6803),
    ("canonical4", 10): (0.9985, 0.9966, 0.9836, 0.9527, 0.8349),
    ("canonical5", 10): (0.9534, 0.9362, 0.8850, 0.8279, 0.6958),
    ("canonical6", 10): (0.9553, 0.9370, 0.8774, 0.8068, 0.6515),
}
LONG = {
    ("canonical4", 20): (1.000, 1.000, 0.9995, 0.9960, 0.9520),
    ("canonical5", 50): (1.000, 0.9985, 0.9918, 0.9793, 0.9359),
    ("canonical6", 100): (1.000, 0.9975, 0.9866, 0.9698, 0.9224),
}
NOISES = (0.0, 0.01, 0.05, 0.1, 0.2)


@pytest.mark.parametrize(("names", "rounds"), PUBLISHED)
def test_exact_ceilings(names, rounds):
    coin = strategy("RANDOM")
    found = [exact_ceiling(strategy_set(names), rounds, eps, opponent=coin) for eps in NOISES]
    assert [round(x, 4) for x in found] == list(PUBLISHED[names, rounds])


@pytest.mark.parametrize(("names", "rounds"), LONG)
def test_sampled_ceilings(names, rounds):
    for eps, expected in zip(NOISES, LONG[names, rounds], strict=True):
        corpus = Corpus(strategy_set(names), 30_000, (rounds, rounds), (eps, eps))
        X, _ = generate_arrays(corpus, np.random.default_rng(3))
        k = len(corpus.strategies)
        value, error = sampled_ceiling(log_evidence(X, corpus.strategies, eps), np.full(k, 1 / k))
        assert value == pytest.approx(expected, abs=0.0008 + 4 * error)


def test_impossible_histories_are_guessed():
    assert sampled_ceiling(np.full((10, 2), -np.inf), np.array([0.7, 0.3]))[0] == pytest.approx(0.7)


def test_the_bayes_recogniser_reaches_the_ceiling():
    corpus = Corpus(strategy_set("canonical5"), 200_000, eps=(0.05, 0.05))
    X, y = generate_arrays(corpus, np.random.default_rng(2))
    model = BayesRecogniser("canonical5", eps=0.05).fit()
    accuracy = (model.predict_proba(X).argmax(axis=1) == y).mean()
    assert accuracy == pytest.approx(0.8850, abs=0.003)


@pytest.mark.parametrize(("name", "expected"), [("ALLC", 0.70), ("TFT", 0.76)])
def test_opponents_matter(name, expected):
    value = exact_ceiling(strategy_set("canonical4"), 10, 0.05, opponent=strategy(name), opponent_eps=0.05)
    assert value == pytest.approx(expected, abs=0.02)


def test_a_wrong_eps_costs_nothing_with_four_strategies():
    coin = strategy("RANDOM")
    right = exact_ceiling(strategy_set("canonical4"), 8, 0.1, opponent=coin)
    assert exact_ceiling(strategy_set("canonical4"), 8, 0.1, opponent=coin, rule_eps=0.3) == pytest.approx(
        right
    )
    five = exact_ceiling(strategy_set("canonical5"), 8, 0.1, opponent=coin)
    assert exact_ceiling(strategy_set("canonical5"), 8, 0.1, opponent=coin, rule_eps=0.3) < five


def test_the_integrating_rule_meets_enumeration_by_hand():
    """Three rounds, five strategies: the rule from a fine grid over eps, history by history."""
    strategies, coin = strategy_set("canonical5"), strategy("RANDOM")
    own, other = all_histories(3)
    grid = (np.arange(4000) + 0.5) * 0.2 / 4000
    averaged = np.exp(log_likelihood(own, other, None, strategies, grid)).mean(axis=2)
    rule = (averaged >= averaged.max(axis=1, keepdims=True) * (1 - 1e-7)).argmax(axis=1)
    chance = np.exp(log_likelihood(own, other, None, strategies, 0.02))
    expected = sum(chance[i, k] for i, k in enumerate(rule)) / 8 / 5
    found = exact_ceiling(strategies, 3, 0.02, opponent=coin, rule_eps="integrate")
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("names", ["canonical5", "canonical6"])
def test_not_knowing_eps_costs_a_little_and_never_helps(names):
    coin, strategies = strategy("RANDOM"), strategy_set(names)
    costs = [
        exact_ceiling(strategies, 7, eps, opponent=coin)
        - exact_ceiling(strategies, 7, eps, opponent=coin, rule_eps="integrate")
        for eps in NOISES
    ]
    assert min(costs) >= 0
    assert 0.001 < max(costs) <= 0.026
