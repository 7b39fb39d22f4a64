"""Effect sizes against textbooks and statsmodels; their intervals against simulation."""

from __future__ import annotations

import numpy as np
import pytest

from intent.comparison.effects import cohens_h, hedges_correction, mean_effects, share_effects


def test_cohens_h():
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    assert cohens_h(0.6, 0.3) == pytest.approx(proportion.proportion_effectsize(0.6, 0.3))


def test_hedges_correction_is_nearly_the_exact_one():
    from scipy.special import gammaln

    exact = np.exp(gammaln(5) - gammaln(4.5)) / np.sqrt(5)
    assert hedges_correction(10) == pytest.approx(exact, rel=1e-3)


def test_intervals_of_independent_groups_are_statsmodels_in_large_samples(rng):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    play, first = np.arange(2000) % 10 < 3, np.arange(2000) % 10 >= 2
    first &= rng.random(2000) < 0.6
    weights = np.eye(2)[play.astype(int)]
    found = share_effects(weights, first, np.arange(2000), ("D", "C"))
    difference = next(e for e in found if (e.measure, e.outcome) == ("difference", "C"))
    a, b = play[first], play[~first]
    low, high = proportion.confint_proportions_2indep(a.sum(), len(a), b.sum(), len(b), method="wald")
    assert (difference.low, difference.high) == pytest.approx((low, high), abs=0.006)
    odds = next(e for e in found if (e.measure, e.outcome) == ("odds_ratio", "C"))
    assert odds.low < odds.estimate < odds.high < 1


def test_seats_of_one_game_are_compared_as_pairs(rng):
    game = rng.normal(size=100).repeat(2)
    values = game + 0.1 * rng.normal(size=200) + np.tile([0.1, 0], 100)
    first = np.tile([True, False], 100)
    paired = mean_effects(values, first, np.arange(100).repeat(2), "rate", rng=rng)[0]
    apart = mean_effects(values, first, np.arange(200), "rate", rng=rng)[0]
    assert paired.low > 0.05
    assert apart.low < 0 < apart.high
    assert paired.high - paired.low < 0.2 * (apart.high - apart.low)


def test_intervals_hold_the_true_difference(rng):
    hits, g_hits = 0, 0
    first = (np.arange(30) % 2 == 0).repeat(2)
    for _ in range(300):
        values = rng.normal(size=30).repeat(2) + rng.normal(size=60) + first
        difference, g = mean_effects(
            values, first, np.arange(30).repeat(2), "x", samples=300, level=0.9, rng=rng
        )
        hits += difference.low <= 1 <= difference.high
        g_hits += g.low <= 1 / np.sqrt(2) <= g.high
    assert 0.85 <= hits / 300 <= 0.95
    assert 0.85 <= g_hits / 300 <= 0.95


def test_the_scale_of_hedges_g_is_uncertain_too(rng):
    from scipy.optimize import brentq
    from scipy.stats import nct

    first = np.arange(300) % 2 == 0
    values = rng.normal(size=300) + 2 * first
    _, g = mean_effects(values, first, np.arange(300), "x", samples=4000, rng=rng)
    root = np.sqrt(75)
    t = g.estimate / hedges_correction(298) * root
    exact = [brentq(lambda d, q=q: nct.cdf(t, 298, d * root) - q, 0.5, 4) for q in (0.975, 0.025)]
    assert (g.low, g.high) == pytest.approx(exact, abs=0.05)


def test_groups_without_variance_have_no_standardised_difference(rng):
    values = np.repeat([0.1, 0.3], 20)
    difference, g = mean_effects(values, values < 0.2, np.arange(40), "x", rng=rng)
    assert difference.estimate == pytest.approx(-0.2)
    assert np.isnan([g.estimate, g.low, g.high]).all()


def test_a_group_of_one_game_has_no_interval():
    first = np.array([True, False, False])
    effects = share_effects(np.eye(2)[[0, 1, 1]], first, np.arange(3), ("A", "B"))
    assert all(np.isnan(e.low) for e in effects)


def test_shares_of_few_games_have_intervals_that_hold(rng):
    hits, first = np.zeros(3), (np.arange(10) < 5).repeat(2)
    for _ in range(1000):
        common = np.where(np.arange(10) < 5, rng.random(10) < 0.5, rng.random(10) < 0.3).repeat(2)
        own = np.where(first, rng.random(20) < 0.5, rng.random(20) < 0.3)
        play = np.where((rng.random(20) < 0.7), common, own).astype(int)
        found = share_effects(np.eye(2)[play], first, np.arange(10).repeat(2), ("D", "C"))
        truths = {"difference": 0.2, "cohens_h": cohens_h(0.5, 0.3), "odds_ratio": 7 / 3}
        hits += [e.low <= truths[e.measure] <= e.high for e in found if e.outcome == "C"]
    assert ((hits / 1000 > 0.94) & (hits / 1000 < 0.99)).all()


def test_differences_of_shares_are_newcombes(rng):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    first = np.arange(3000) % 3 == 0
    play = (rng.random(3000) < np.where(first, 0.3, 0.2)).astype(int)
    found = share_effects(np.eye(2)[play], first, np.arange(3000), ("D", "C"))[3]
    a, b = play[first], play[~first]
    oracle = proportion.confint_proportions_2indep(a.sum(), len(a), b.sum(), len(b), method="newcomb")
    assert (found.low, found.high) == pytest.approx(oracle, abs=5e-4)


def test_seats_of_one_game_are_pairs_for_shares_too(rng):
    play = (rng.random(200) < 0.5).repeat(2).astype(int)
    first = np.tile([True, False], 200)
    play[:8:2] = 1 - play[:8:2]
    paired = share_effects(np.eye(2)[play], first, np.arange(200).repeat(2), ("D", "C"))[0]
    apart = share_effects(np.eye(2)[play], first, np.arange(400), ("D", "C"))[0]
    assert paired.high - paired.low < 0.4 * (apart.high - apart.low)


def test_odds_of_what_never_occurs_may_be_infinite():
    play = np.array([0] * 10 + [0, 1] * 5)
    found = share_effects(np.eye(2)[play], np.arange(20) < 10, np.arange(20), ("D", "C"))
    odds = {e.outcome: e for e in found if e.measure == "odds_ratio"}
    assert odds["C"].low == 0 < odds["C"].estimate < odds["C"].high < 1
    assert 1 < odds["D"].low < odds["D"].estimate < odds["D"].high == np.inf
