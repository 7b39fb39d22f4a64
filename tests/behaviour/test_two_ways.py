"""Clusters in two ways: subjects who return and games in which they meet."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.statistics import cluster_covariance, group_influence, share_intervals, two_way_variance
from intent.behaviour.means import Intervals, mean_interval
from intent.comparison.tests import share_tests


def test_two_ways_are_statsmodels(rng):
    linear = pytest.importorskip("statsmodels.regression.linear_model")
    player, game = rng.integers(0, 12, 300), rng.integers(0, 30, 300)
    x = np.column_stack([np.ones(300), rng.normal(size=12)[player] + rng.normal(size=30)[game]])
    y = rng.normal(size=300) + rng.normal(size=12)[player] + rng.normal(size=30)[game]
    fit = linear.OLS(y, x).fit(
        cov_type="cluster", cov_kwds={"groups": np.stack([player, game], axis=1), "use_correction": False}
    )
    influence = x * fit.resid[:, None] @ np.linalg.inv(x.T @ x)
    np.testing.assert_allclose(cluster_covariance(influence, player, game), fit.cov_params(), rtol=1e-6)
    np.testing.assert_allclose(
        two_way_variance(influence, player, game), np.diag(fit.cov_params()), rtol=1e-6
    )


def test_the_second_way_adds_nothing_where_it_is_the_first(rng):
    influence, codes = rng.normal(size=(40, 3)), np.arange(40) // 2
    np.testing.assert_allclose(
        cluster_covariance(influence, codes, codes), cluster_covariance(influence, codes)
    )
    weights = np.eye(3)[rng.integers(0, 3, 40)]
    (one, *_), (two, *_) = (
        share_intervals(weights, codes, level=0.95, **{"free": 19, **more}) for more in ({}, {"also": codes})
    )
    assert (one.low, one.high) == pytest.approx((two.low, two.high))


def test_influence_of_single_rows_gives_welchs_variances(rng):
    values, codes = rng.normal(size=(30, 1)), np.repeat([0, 1], [10, 20])
    influence = group_influence(values, codes, np.arange(30))[:, :, 0]
    expected = [values[codes == g].var(ddof=1) / n for g, n in ((0, 10), (1, 20))]
    np.testing.assert_allclose(np.diag(influence.T @ influence), expected)


@pytest.mark.slow
def test_subjects_who_all_meet_are_not_called_different():
    """24 subjects in two arms, each with habits of its own, meet everybody of their arm once."""
    p, covered = [], []
    pairs = [(a, b) for arm in (0, 12) for a in range(arm, arm + 12) for b in range(a + 1, arm + 12)]
    player, game = np.array(pairs).ravel(), np.arange(len(pairs)).repeat(2)
    for rng in np.random.default_rng(2).spawn(400):
        habits = rng.beta(1, 1, 24)[player]
        play = (rng.random(len(player)) < habits).astype(int)
        (test,) = (
            t
            for t in share_tests(
                "arm", np.eye(2)[play], player // 12, player, permutations=None, rng=rng, also=game
            )
            if t.test == "wald"
        )
        p.append(test.p)
        one = mean_interval(
            play.astype(float), player, rng=rng, intervals=Intervals(9), bounds=(0, 1), also=game
        )
        covered.append(one.low <= 0.5 <= one.high)
    assert 0.02 < np.mean(np.array(p) <= 0.05) < 0.085
    assert np.mean(covered) > 0.92
