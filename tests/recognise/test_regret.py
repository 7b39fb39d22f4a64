from __future__ import annotations

import numpy as np
import pytest

from intent.recognise.scores import paired_regret


def test_by_hand():
    rule = np.array([1, 1, 1, 1, 0, 0], dtype=bool)
    model = np.array([1, 1, 0, 0, 1, 0], dtype=bool)
    found = paired_regret(rule, model)
    assert found.value == pytest.approx(1 / 6)
    assert found.standard_error == pytest.approx(((2.5 + 1.5) - 1 / 8) ** 0.5 / 8)
    assert found.bound == pytest.approx(1 / 8 + 1.6448536269514722 * found.standard_error)


def test_two_that_never_differ_leave_a_small_doubt():
    found = paired_regret(np.ones(1000, bool), np.ones(1000, bool))
    assert found.value == 0
    assert 0.001 < found.bound < 0.003


def test_the_bound_holds_as_often_as_it_says(rng):
    """A rule that is right in .9 of cases, a recogniser that loses .01 and wins .004."""
    below = 0
    for _ in range(2000):
        u = rng.random(2000)
        rule, model = u < 0.9, (u < 0.89) | (u > 0.996)
        below += paired_regret(rule, model).bound >= 0.006
    assert below / 2000 == pytest.approx(0.95, abs=0.015)


def test_nothing_played():
    assert np.isnan(paired_regret(np.empty(0, bool), np.empty(0, bool)).value)
