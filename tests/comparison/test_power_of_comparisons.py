"""Power of means against statsmodels; the search for a number of games against a power that is known."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.errors import UsageError
from intent.comparison.planned_studies import Curve, Played, games_needed, mean_power, search, shifted

EQUAL = np.full(4, 0.25)
KNOWN = Curve(0.05, 4.0, 0.06)


def test_means_are_statsmodels():
    power = pytest.importorskip("statsmodels.stats.power")
    oracle = power.NormalIndPower().power(0.4, nobs1=80, alpha=0.05)
    assert mean_power(0.8, 2, 80) == pytest.approx(oracle)


def test_the_curve_is_statsmodels():
    power = pytest.importorskip("statsmodels.stats.power")
    oracle = power.GofChisquarePower().power(0.3, nobs=120, alpha=0.05, n_bins=5)
    assert Curve(0.05, 4.0, 0.09).power(120) == pytest.approx(oracle)
    assert KNOWN.power(KNOWN.games(0.8)) == pytest.approx(0.8)


def test_without_a_difference_power_is_the_level():
    assert mean_power(0, 1, 100) == pytest.approx(0.05)
    assert KNOWN.power(0) == pytest.approx(0.05)


def test_games_needed_are_the_fewest():
    n = games_needed(lambda games: mean_power(0.2, 1, games), 0.8)
    assert n == 393
    assert mean_power(0.2, 1, n - 1) < 0.8 <= mean_power(0.2, 1, n)
    assert games_needed(lambda games: 0.05, 0.8) is None


def test_the_other_shares_shrink_in_proportion():
    np.testing.assert_allclose(shifted(np.array([0.4, 0.2, 0.4]), 1, 0.3), [0.25, 0.5, 0.25])
    with pytest.raises(UsageError, match="expected shares within 0 and 1"):
        shifted(EQUAL, 0, 0.9)


def test_a_curve_is_recovered(rng):
    sizes = (50, 100, 200, 400)
    played = [Played(n, 2000, int(rng.binomial(2000, KNOWN.power(n)))) for n in sizes]
    assert Curve.fitted(played, 0.05).games(0.8) == pytest.approx(KNOWN.games(0.8), rel=0.05)


def test_numbers_that_are_found_have_the_power(rng):
    powers = []
    for _ in range(15):
        result = search(
            lambda n, studies: int(rng.binomial(studies, KNOWN.power(n))),
            (0.8, 0.9),
            whole=lambda n: 10 * int(np.ceil(n / 10)),
        )
        assert result.checked is not None
        assert result.needed[0] == result.checked.games
        powers.append([KNOWN.power(n) for n in result.needed])
    first, second = np.array(powers).T
    assert first.mean() == pytest.approx(0.8, abs=0.02)
    assert second.mean() == pytest.approx(0.9, abs=0.03)
    assert ((first > 0.75) & (first < 0.85)).mean() > 0.9


def test_where_no_number_is_enough_none_is_named(rng):
    result = search(lambda n, s: int(rng.binomial(s, 0.05)), (0.8,), whole=int, most=500)
    assert result.needed == (None,)
    assert result.checked is None
