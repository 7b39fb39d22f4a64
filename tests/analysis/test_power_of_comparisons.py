"""Power against statsmodels, closed forms and simulation; label confusion against enumeration by hand."""

from __future__ import annotations

import numpy as np
import pytest

from intent.analysis.label_confusion import label_confusion
from intent.analysis.power import games_needed, mean_power, share_power, shifted, simulated_power
from intent.errors import UsageError
from intent.play.opponents import opponent
from intent.strategies.catalogue import strategy_set

EQUAL = np.full(4, 0.25)


def test_chi_square_is_statsmodels():
    power = pytest.importorskip("statsmodels.stats.power")
    second = shifted(EQUAL, 2, 0.1)
    mean = (EQUAL + second) / 2
    w = np.sqrt(((EQUAL - mean) ** 2 / mean).sum())
    oracle = power.GofChisquarePower().power(w, nobs=400, alpha=0.05, n_bins=4)
    assert share_power(EQUAL, second, 200) == pytest.approx(oracle)
    assert share_power(EQUAL, second, 300, deff=1.5) == pytest.approx(oracle)


def test_means_are_statsmodels():
    power = pytest.importorskip("statsmodels.stats.power")
    oracle = power.NormalIndPower().power(0.4, nobs1=80, alpha=0.05)
    assert mean_power(0.8, 2, 80) == pytest.approx(oracle)


def test_without_a_difference_power_is_the_level():
    assert share_power(EQUAL, EQUAL, 100) == pytest.approx(0.05)
    assert mean_power(0, 1, 100) == pytest.approx(0.05)


def test_games_needed_are_the_fewest():
    n = games_needed(lambda games: mean_power(0.2, 1, games), 0.8)
    assert n == 393
    assert mean_power(0.2, 1, n - 1) < 0.8 <= mean_power(0.2, 1, n)
    assert games_needed(lambda games: 0.05, 0.8) is None


@pytest.mark.parametrize("deff", [1.0, 1.5])
def test_the_permutation_test_has_the_power_that_is_said(rng, deff):
    second = shifted(EQUAL, 2, 0.2)
    found = simulated_power(EQUAL, second, 40, 2, deff, studies=400, permutations=99, rng=rng)
    assert found == pytest.approx(share_power(EQUAL, second, 80, deff), abs=0.08)


def test_the_other_shares_shrink_in_proportion():
    np.testing.assert_allclose(shifted(np.array([0.4, 0.2, 0.4]), 1, 0.3), [0.25, 0.5, 0.25])
    with pytest.raises(UsageError, match="expected shares within 0 and 1"):
        shifted(EQUAL, 0, 0.9)


def test_one_round_without_noise_leaves_all_in_doubt(rng):
    found = label_confusion(strategy_set("ALLC,ALLD"), 1, 0.0, rng=rng)
    np.testing.assert_allclose(found, [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]])
    np.testing.assert_allclose(label_confusion(strategy_set("ALLC,TFT"), 1, 0.0, rng=rng)[:, 2], [1, 1])


def test_two_rounds_by_hand(rng):
    found = label_confusion(strategy_set("ALLC,TFT"), 2, 0.0, rng=rng)
    np.testing.assert_allclose(found, [[0.5, 0, 0.5, 0, 0], [0, 0.5, 0.5, 0, 0]])


def test_sampled_play_agrees_with_all_histories(rng):
    members = strategy_set("canonical4")
    exact = label_confusion(members, 6, 0.05, rng=rng)
    sampled = label_confusion(members, 6, 0.05, opponent=opponent("sequence:CD"), rng=rng)
    coin = label_confusion(members, 6, 0.05, opponent=opponent("random(0.5)"), rng=rng)
    np.testing.assert_allclose(coin, exact, atol=0.03)
    assert np.abs(sampled - exact).max() > 0.1


def test_best_labels_never_abstain(rng):
    assert label_confusion(strategy_set("canonical4"), 4, 0.1, count="best", rng=rng).shape == (4, 4)
