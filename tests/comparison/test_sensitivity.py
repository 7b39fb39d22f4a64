"""How results hang on threshold, noise, prior and the counting of ties."""

from __future__ import annotations

import numpy as np
import pytest

from intent import generate
from intent.comparison.groups import outcomes
from intent.comparison.sensitivity import COUNTS, Choice, sensitivity, weights_under
from intent.comparison.tests import Sample
from intent.recognise.bayes import BayesRecogniser, default_strategies
from intent.recognise.labels.label import label
from intent.recognise.verdict import LabelSettings, judge

NAMES = tuple(s.name for s in default_strategies())


@pytest.fixture
def log():
    return generate("ALLC,ALLD,TFT,WSLS", 40, rounds=8, eps=0.1, seed=3)


def rows_of(log, **settings):
    X = log.trajectories()
    table = X.keys.assign(half=np.arange(len(X)) % 2)
    sample = Sample(table, ["half"], np.arange(len(X)), seed=0)
    settings = {"choice": Choice(), "permutations": 19, "level": 0.95} | settings
    return sensitivity(X, default_strategies(), sample, **settings)


@pytest.mark.parametrize("count", COUNTS[:4])
def test_play_counts_as_its_labels_do(log, count):
    X = log.trajectories()
    model = BayesRecogniser(default_strategies()).fit()
    verdict = judge(X, model, LabelSettings(), np.random.default_rng(0))
    expected = outcomes(label(log), count)
    found = weights_under(verdict, NAMES, count)
    assert found.names == expected.names
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-12)


def test_ties_to_the_last():
    X = generate("ALLC", 1, rounds=3, eps=0, seed=0, opponent="ALLC").trajectories()
    verdict = judge(X, BayesRecogniser(default_strategies()).fit(), LabelSettings(), np.random.default_rng(0))
    assert weights_under(verdict, NAMES, "best").weights[0].argmax() == 0
    assert weights_under(verdict, NAMES, COUNTS[-1]).weights[0].argmax() == 3


def test_the_choice_that_was_made_changes_nothing(log):
    rows = rows_of(log)
    assert (rows[0].setting, rows[0].max_change, rows[0].changed) == ("", 0, ())
    same = [row for row in rows if (row.setting, row.value) in (("threshold", "0.9"), ("eps", "0.05"))]
    assert [row.shares for row in same] == [rows[0].shares] * 2
    assert all(sum(row.shares.values()) == pytest.approx(1) for row in rows)


def test_every_choice_is_a_labelling_of_its_own(log):
    by_value = {(row.setting, row.value): row for row in rows_of(log)}
    expected = outcomes(label(log, eps=0.2), "status").weights.mean(axis=0)
    np.testing.assert_allclose(list(by_value["eps", "0.2"].shares.values()), expected)
    expected = outcomes(label(log, prior="sfem"), "status").weights.mean(axis=0)
    np.testing.assert_allclose(list(by_value["prior", "sfem"].shares.values()), expected)
