"""Intervals of clustered shares against closed forms and simulated truth."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.statistics import share_intervals


def one_hot(codes: np.ndarray, k: int = 3) -> np.ndarray:
    return np.eye(k)[codes]


def test_independent_rows_have_wilsons_interval_with_the_t_quantile():
    from statsmodels.stats.proportion import proportion_confint

    codes = (np.arange(4000) % 10 < 3).astype(int)
    found = share_intervals(one_hot(codes, 2), np.arange(4000), level=0.95)[1]
    assert (found.low, found.high) == pytest.approx(proportion_confint(1200, 4000, method="wilson"), abs=2e-5)


def test_copies_add_nothing(rng):
    codes = rng.integers(0, 3, 40)
    once = share_intervals(one_hot(codes), np.arange(40), level=0.9)
    often = share_intervals(one_hot(codes).repeat(7, axis=0), np.arange(40).repeat(7), level=0.9)
    for a, b in zip(once, often, strict=True):
        assert (a.low, a.high) == pytest.approx((b.low, b.high))


def test_a_rare_outcome_borrows_the_design_effect_of_all():
    codes = np.array([0, 1] * 20).repeat(4)
    codes[:1] = 2
    spread = share_intervals(one_hot(codes), np.arange(40).repeat(4), level=0.95)[2]
    alone = share_intervals(one_hot((codes == 2).astype(int), 2), np.arange(40).repeat(4), level=0.95)[1]
    assert spread.high > 1.5 * alone.high


def test_clusters_that_balance_are_worth_their_rows_and_no_more():
    play = one_hot(np.tile([0, 1], 50), 2)
    (found, _) = share_intervals(play, np.arange(50).repeat(2), level=0.95)
    assert found.high - found.low == pytest.approx(0.197, abs=0.005)


def test_shares_of_none_and_all_have_exact_binomial_ends():
    always, never = share_intervals(one_hot(np.zeros(20, int), 2), np.arange(10).repeat(2), level=0.95)
    assert (never.low, never.high) == (0, pytest.approx(1 - 0.025**0.1))
    assert (always.low, always.high) == (pytest.approx(0.025**0.1), 1)


def test_one_cluster_tells_nothing_of_the_spread():
    (found, _) = share_intervals(one_hot(np.array([0, 1]), 2), np.zeros(2, int), level=0.95)
    assert (found.estimate, found.low, found.high) == (0.5, 0, 1)


def test_intervals_hold_the_truth_as_often_as_they_say(rng):
    p = np.array([0.6, 0.3, 0.1])
    hits = np.zeros(3)
    for _ in range(400):
        first = rng.choice(3, (40, 1), p=p)
        play = np.where(rng.random((40, 4)) < 0.7, first, rng.choice(3, (40, 4), p=p))
        found = share_intervals(one_hot(play.ravel()), np.arange(40).repeat(4), level=0.9)
        hits += [i.low <= share <= i.high for i, share in zip(found, p, strict=True)]
    assert ((hits / 400 > 0.86) & (hits / 400 < 0.95)).all()


def test_values_that_are_all_equal_have_ends_like_those_of_none_and_all():
    reach = 1 - 0.025 ** (1 / 8)
    (inner,) = share_intervals(np.full((16, 1), 0.5), np.arange(8).repeat(2), level=0.95)
    assert (inner.low, inner.high) == (pytest.approx(0.5 - 0.5 * reach), pytest.approx(0.5 + 0.5 * reach))
    both = share_intervals(np.full((8, 1), 1 / 3), np.arange(8), level=0.95, also=np.arange(8))[0]
    assert both.high == pytest.approx(1 / 3 + reach * 2 / 3)


@pytest.mark.parametrize("n_games", [4, 8, 20])
def test_an_equal_rate_in_every_game_covers_what_rarer_games_would_change(n_games: int, rng):
    """Most games have a rate of .5, one in ten of 1: eight are equal in 43 of 100 studies."""
    hits = []
    for _ in range(600):
        rates = np.where(rng.random(n_games) < 0.1, 1.0, 0.5)
        (made,) = share_intervals(rates[:, None], np.arange(n_games), level=0.95)
        hits.append(made.low <= 0.55 <= made.high)
    assert np.mean(hits) > 0.93
