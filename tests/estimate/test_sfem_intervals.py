from __future__ import annotations

import numpy as np
import pytest

from intent.estimate.mixture import Covariance
from intent.estimate.shares import share_estimates


def intervals(shares, se):
    all_known = np.ones(len(shares), dtype=bool)
    errors = Covariance(np.diag(np.square(se)), all_known, all_known)
    return share_estimates(np.array(shares), errors, 0, [], None, 500, 0.95)


def test_a_share_within_its_errors_of_zero_is_cut_off_there():
    tiny, rest = intervals([0.001, 0.999], [0.006, 0.006])
    assert (tiny.low, tiny.high) == (0.0, pytest.approx(0.001 + 1.96 * 0.006, abs=1e-4))
    assert (rest.low, rest.high) == (pytest.approx(0.999 - 1.96 * 0.006, abs=1e-4), 1.0)


def test_other_shares_are_symmetric_in_their_log_odds():
    found, _ = intervals([0.2, 0.8], [0.05, 0.05])
    odds = [np.log(x / (1 - x)) for x in (found.low, found.estimate, found.high)]
    assert odds[2] - odds[1] == pytest.approx(odds[1] - odds[0])
    assert odds[2] - odds[1] == pytest.approx(1.96 * 0.05 / 0.16, abs=1e-3)
