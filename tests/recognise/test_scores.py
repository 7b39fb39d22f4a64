from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from intent.recognise.scores import brier_score, expected_calibration_error, score_table


def test_scores_agree_with_scikit_learn(rng):
    proba = rng.dirichlet(np.ones(4), 500)
    truth = rng.integers(0, 4, 500)
    scores = score_table(proba, truth, ["a", "b", "c", "d"])
    guess = proba.argmax(axis=1)
    assert scores["accuracy"] == pytest.approx(accuracy_score(truth, guess))
    assert scores["macro_f1"] == pytest.approx(f1_score(truth, guess, average="macro"))
    assert scores["per_class"]["b"]["n"] == (truth == 1).sum()


def test_brier_by_hand():
    assert brier_score(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0, 1])) == pytest.approx(0.25)


def test_calibrated_guesses_have_no_error_and_overconfident_ones_do(rng):
    confidence = rng.uniform(0.5, 1, 200_000)
    hit = rng.random(200_000) < confidence
    assert expected_calibration_error(confidence, hit) < 0.005
    assert expected_calibration_error(np.ones(1000), np.arange(1000) % 4 > 0) == pytest.approx(0.25)


def test_a_class_nobody_knows_counts_as_missed():
    assert score_table(np.array([[0.9, 0.1]]), np.array([-1]), ["a", "b"])["accuracy"] == 0.0
