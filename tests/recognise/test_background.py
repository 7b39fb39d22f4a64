"""RANDOM as a rival: exactly for Bayes, by its likelihood for recognisers of any other kind."""

from __future__ import annotations

import numpy as np
import pytest
from rules_in_words import RULES

from intent import Trajectories, generate, label, load_recogniser, sfem
from intent.recognise.bayes import (
    BackgroundRecogniser,
    BayesRecogniser,
    against_random,
    default_strategies,
    eps_nodes,
    was_without_random,
)
from intent.recognise.verdict import LabelSettings, judge

CANONICAL4 = ("ALLC", "ALLD", "TFT", "WSLS")


def coins(n, rounds=10, seed=0):
    rng = np.random.default_rng(seed)
    own, other = rng.integers(0, 2, (2, n, rounds), dtype=np.int8)
    return Trajectories(own, other)


def mistakes(name, own, other):
    """Moves that a rule, said in words, would not have made."""
    rule = RULES[name]
    return sum(rule(own[:t], other[:t]) != (own[t] == "C") for t in range(len(own)))


def chance(name, own, other, eps):
    """Probability of play under a rule in words, or a coin."""
    if name == "RANDOM":
        return 0.5 ** len(own)
    wrong = mistakes(name, own, other)
    return eps**wrong * (1 - eps) ** (len(own) - wrong)


def words(moves):
    return "".join("DC"[m] for m in moves)


def test_bayes_has_random_as_one_class_more_with_equal_weight():
    X = coins(40)
    model = against_random(load_recogniser("bayes-canonical4"))
    assert model.classes_.tolist() == [*CANONICAL4, "RANDOM"]
    for own, other, row in zip(X.own, X.other, model.predict_proba(X), strict=True):
        parts = np.array([chance(k, words(own), words(other), 0.05) for k in model.classes_])
        assert row == pytest.approx(parts / parts.sum())


@pytest.mark.parametrize(
    "name", [pytest.param("forest-canonical4", marks=pytest.mark.slow), "lstm-canonical4"]
)
def test_another_recogniser_is_scaled_by_what_random_leaves(name):
    X = coins(20)
    alone = load_recogniser(name)
    model = against_random(alone)
    assert isinstance(model, BackgroundRecogniser)
    assert alone.classes_.tolist() == list(CANONICAL4)
    nodes, weights = eps_nodes((0.0, 0.2), 10)
    inner, found = alone.predict_proba(X), model.predict_proba(X)
    for i, (own, other) in enumerate(zip(X.own, X.other, strict=True)):
        rules = [
            sum(w * chance(k, words(own), words(other), e) for e, w in zip(nodes, weights, strict=True))
            for k in CANONICAL4
        ]
        by_random = 0.5**10 / (0.5**10 + sum(rules))
        assert found[i, -1] == pytest.approx(by_random)
        assert found[i, :-1] == pytest.approx(inner[i] * (1 - by_random))


@pytest.mark.parametrize(
    "name", [f"{kind}-canonical4" for kind in ("bayes", "forest", "lstm", "hmm", "logistic", "rules")]
)
def test_few_coins_are_confident(name):
    X, model = coins(4000, seed=1), load_recogniser(name)
    verdict = judge(X, against_random(model), LabelSettings(), np.random.default_rng(0))
    assert (verdict.status == "confident").mean() <= 0.05


def test_play_that_random_explains_best_fits_nothing_and_ties_with_nothing():
    X = coins(2000, seed=2)
    model = against_random(BayesRecogniser().fit())
    verdict = judge(X, model, LabelSettings(alpha=0.0), np.random.default_rng(0))
    coin = verdict.best == 4
    assert coin.any()
    assert set(verdict.status[coin]) == {"no_fit"}
    assert not verdict.ties[coin].any()
    assert not verdict.ties[:, 4].any()
    assert not verdict.explains[:, 4].any()
    silent = Trajectories([[-1, -1]], [[1, 0]])
    nothing = judge(silent, model, LabelSettings(), np.random.default_rng(0))
    assert (nothing.status[0], model.classes_[nothing.best[0]]) == ("ambiguous", "ALLC")


def test_a_set_that_holds_random_stays_as_it_is():
    model = BayesRecogniser("ALLC,RANDOM").fit()
    assert against_random(model) is model
    alone = load_recogniser("bayes-canonical4")
    assert against_random(alone, background=False) is alone


def test_shares_without_named_strategies_are_those_of_the_set_and_random():
    assert [s.name for s in default_strategies()] == [*CANONICAL4, "RANDOM"]
    log = generate("ALLC,TFT,RANDOM", 600, eps=0.05, seed=1)
    fit = sfem(log).fits[0]
    shares = dict(zip(fit.names, fit.shares, strict=True))
    assert shares["RANDOM"].estimate == pytest.approx(1 / 3, abs=0.05)
    assert sfem(log, "canonical4").fits[0].names == CANONICAL4
    assert sfem(log, memory="intended").fits[0].names == (*CANONICAL4, "RANDOM")


def test_counted_labels_call_no_coin_a_strategy():
    log = generate("RANDOM", 600, eps=0.0, seed=1)
    counted = sfem(log).groups[0].counted
    assert sum(counted.confident.values()) <= 0.06
    assert counted.best["RANDOM"] > 0.7


def test_labels_name_their_background(tmp_path):
    log = generate(n=40, seed=1)
    for background in (True, False):
        table = label(log, background=background)
        told = table.attrs["provenance"]
        assert told["background"] is background
        assert ("p_RANDOM" in table) is background
        assert bool(was_without_random(table.columns, told)) is not background
    old = {k: v for k, v in told.items() if k != "background"}
    assert "make them anew" in was_without_random(table.columns, old)
    assert not was_without_random(["any", "table"], None)
