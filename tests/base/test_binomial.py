"""Exact intervals of shares, against scipy's own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from intent.base.statistics import clopper_pearson, exact_share


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 9), (9, 9), (3, 9), (1, 2)])
def test_intervals_are_the_exact_ones(k, n):
    low, high = clopper_pearson(np.array([k]), np.array([n]))
    exact = binomtest(k, n).proportion_ci(method="exact")
    assert (low[0], high[0]) == pytest.approx((exact.low, exact.high))


def test_without_moves_there_is_no_interval():
    low, high = clopper_pearson(np.array([0, 1]), np.array([0, 2]))
    assert np.isnan([low[0], high[0]]).all()
    assert 0 < low[1] < high[1] < 1


def test_a_share_with_its_interval():
    share = exact_share(3, 9, level=0.9)
    exact = binomtest(3, 9).proportion_ci(0.9, method="exact")
    assert (share.estimate, share.low, share.high) == pytest.approx((1 / 3, exact.low, exact.high))
    assert np.isnan([exact_share(0, 0).estimate, exact_share(0, 0).low]).all()
