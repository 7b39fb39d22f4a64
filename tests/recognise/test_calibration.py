from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss

from intent.recognise.calibrated import apply_isotonic, apply_temperature, fit_isotonic, fit_temperature


def posteriors(rng, n=20_000, temperature=1.0):
    """Posteriors that are right, sharpened by a temperature, and the true classes."""
    right = softmax(rng.normal(size=(n, 4)) * 2, axis=1)
    truth = (rng.random(n)[:, None] > right.cumsum(axis=1)).sum(axis=1)
    return apply_temperature(right, 1 / temperature), truth


@pytest.mark.parametrize("temperature", [0.4, 1.0, 3.0])
def test_a_temperature_is_recovered(rng, temperature):
    assert fit_temperature(*posteriors(rng, temperature=temperature)) == pytest.approx(temperature, rel=0.05)


def test_no_temperature_is_better(rng):
    proba, truth = posteriors(rng, 3000, 2.0)
    best = fit_temperature(proba, truth)
    losses = [log_loss(truth, apply_temperature(proba, best * f)) for f in (0.98, 1.0, 1.02)]
    assert min(losses) == losses[1]


def test_temperature_keeps_the_order_and_what_is_impossible(rng):
    proba = np.array([[0.7, 0.2, 0.1, 0.0], [0.25] * 4])
    warm = apply_temperature(proba, 2.5)
    assert (warm.argsort(axis=1)[0] == proba.argsort(axis=1)[0]).all()
    assert warm[0, 3] == 0
    assert warm[1].tolist() == [0.25] * 4
    assert np.allclose(warm.sum(axis=1), 1)


def test_an_excluded_class_that_is_true_does_not_break_the_loss():
    proba, truth = np.array([[1.0, 0.0]] * 9 + [[1.0, 0.0]]), np.array([0] * 9 + [1])
    found = apply_temperature(np.array([[1.0, 1e-12]]), fit_temperature(proba, truth))
    assert found[0, 1] == pytest.approx(0.1, abs=0.002)


def test_isotonic_is_that_of_each_class_normalised(rng):
    proba, truth = posteriors(rng, 2000, 0.5)
    fresh, _ = posteriors(rng, 200, 0.5)
    columns = [
        IsotonicRegression(out_of_bounds="clip").fit(proba[:, k], truth == k).predict(fresh[:, k])
        for k in range(4)
    ]
    expected = np.stack(columns, axis=1)
    expected /= expected.sum(axis=1, keepdims=True)
    assert np.allclose(apply_isotonic(fresh, fit_isotonic(proba, truth)), expected)


def test_where_no_curve_has_a_say_the_posterior_stays():
    curves = ((np.array([0.0, 1.0]), np.array([0.0, 0.0])),) * 2
    assert apply_isotonic(np.array([[0.3, 0.7]]), curves).tolist() == [[0.3, 0.7]]
