from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import binomtest, t

from intent.estimate.mixture import Covariance
from intent.estimate.shares import share_estimates


def intervals(shares, se, n_units=500):
    all_known = np.ones(len(shares), dtype=bool)
    errors = Covariance(np.diag(np.square(se)), all_known, all_known)
    return share_estimates(np.array(shares), errors, 0, [], None, n_units, 0.95)


def test_a_share_within_its_errors_of_zero_ends_about_as_many_errors_away():
    tiny, rest = intervals([0.001, 0.999], [0.006, 0.006])
    assert 0 < tiny.low < 0.001 < tiny.high == pytest.approx(0.001 + 1.96 * 0.006, rel=0.1)
    assert (1 - rest.high, 1 - rest.low) == pytest.approx((tiny.low, tiny.high))


def test_nearer_to_zero_an_interval_becomes_no_wider():
    highs = [intervals([share, 1 - share], [0.05, 0.05])[0].high for share in np.linspace(1e-6, 0.5, 200)]
    assert (np.diff(highs) > 0).all()


def test_shares_of_many_units_have_the_interval_of_wilson():
    n = 4000
    share, _ = intervals([0.2, 0.8], [(0.16 / n) ** 0.5] * 2, n_units=n)
    known = binomtest(n // 5, n).proportion_ci(method="wilson")
    assert (share.low, share.high) == pytest.approx((known.low, known.high), abs=1e-5)


@pytest.mark.parametrize("n_units", [2, 6, 14])
def test_few_units_leave_the_ends_to_students_t(n_units):
    few, many = (intervals([0.2, 0.8], [0.01, 0.01], n)[0] for n in (n_units, 10**6))
    odds = [logit(one.high) - logit(one.estimate) for one in (few, many)]
    assert odds[0] / odds[1] == pytest.approx(t.ppf(0.975, n_units - 1) / 1.96, rel=0.1)
    assert few.se == many.se
