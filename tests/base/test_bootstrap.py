"""The cluster bootstrap against closed forms and full enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from intent.base.statistics import bootstrap_means, cluster_bootstrap, n_effective


def one_hot(codes: np.ndarray, k: int = 3) -> np.ndarray:
    return np.eye(k)[codes]


def test_independent_shares_have_the_binomial_standard_error(rng):
    weights = one_hot(rng.integers(0, 3, 400))
    drawn = bootstrap_means(weights, np.arange(400), 4000, rng)
    p = weights.mean(axis=0)
    np.testing.assert_allclose(drawn.std(axis=0), np.sqrt(p * (1 - p) / 400), rtol=0.06)
    np.testing.assert_allclose(drawn.sum(axis=1), 1)


def test_independent_means_have_the_standard_error_of_the_mean(rng):
    values = rng.normal(5, 2, (300, 1))
    drawn = bootstrap_means(values, np.arange(300), 4000, rng)
    assert drawn.std() == pytest.approx(values.std() / np.sqrt(300), rel=0.06)
    assert drawn.mean() == pytest.approx(values.mean(), abs=0.02)


def test_the_distribution_is_the_same_where_many_clusters_are_alike_and_where_none_are(rng):
    values = rng.integers(0, 2, (90, 1)).astype(float)
    pooled = bootstrap_means(values, np.arange(90), 8000, rng)
    single = bootstrap_means(values + 1e-9 * np.arange(90)[:, None], np.arange(90), 8000, rng)
    quantiles = np.linspace(0.05, 0.95, 7)
    np.testing.assert_allclose(np.quantile(single, quantiles), np.quantile(pooled, quantiles), atol=0.012)


def test_resamples_have_the_distribution_of_full_enumeration(rng):
    values, clusters = np.array([[1.0], [0.0], [1.0], [0.0], [0.0]]), np.array([0, 0, 1, 2, 2])
    totals = {0: (1.0, 2), 1: (1.0, 1), 2: (0.0, 2)}
    exact: dict[float, float] = {}
    for draw in product(range(3), repeat=3):
        mean = round(sum(totals[c][0] for c in draw) / sum(totals[c][1] for c in draw), 9)
        exact[mean] = exact.get(mean, 0) + 1 / 27
    drawn = bootstrap_means(values, clusters, 20000, rng)[:, 0].round(9)
    for mean, probability in exact.items():
        assert (drawn == mean).mean() == pytest.approx(probability, abs=0.012)


def test_intervals_are_studentised_as_one_resample_at_a_time_is(rng):
    values, clusters = rng.gamma(1, size=60), np.arange(20).repeat(3)
    totals = values.reshape(20, 3).sum(axis=1)

    def t_of(sums: np.ndarray) -> float:
        error = np.sqrt(((sums - sums.mean()) ** 2).sum()) / 60
        return (sums.mean() / 3 - values.mean()) / error

    drawn = [t_of(rng.choice(totals, 20)) for _ in range(8000)]
    own = np.sqrt(((totals - totals.mean()) ** 2).sum()) / 60
    expected = values.mean() - own * np.quantile(drawn, [0.975, 0.025])
    (found,) = cluster_bootstrap(values[:, None], clusters, samples=8000, level=0.95, rng=rng)
    np.testing.assert_allclose([found.low, found.high], expected, rtol=0.06)


def test_resamples_without_variation_are_left_out(rng):
    (found,) = cluster_bootstrap(np.array([[0.0], [0], [1]]), np.arange(3), samples=999, level=0.95, rng=rng)
    assert np.isfinite([found.low, found.high]).all()
    (constant,) = cluster_bootstrap(np.full((4, 1), 3.0), np.arange(4), samples=9, level=0.95, rng=rng)
    assert (constant.low, constant.high) == (3, 3)


def test_effective_size_of_independent_rows_is_their_number(rng):
    assert n_effective(one_hot(rng.integers(0, 3, 50)), np.arange(50)) == pytest.approx(50)


def test_effective_size_of_copies_is_the_number_of_clusters(rng):
    weights = one_hot(rng.integers(0, 3, 40)).repeat(5, axis=0)
    assert n_effective(weights, np.arange(40).repeat(5)) == pytest.approx(40)
    assert n_effective(rng.normal(size=(40, 1)).repeat(5, axis=0), np.arange(40).repeat(5)) == pytest.approx(
        40
    )


def test_effective_size_agrees_with_the_bootstrap_variance(rng):
    codes = rng.integers(0, 3, 200)
    weights = one_hot(np.where(rng.random(400) < 0.6, codes.repeat(2), rng.integers(0, 3, 400)))
    clusters = np.arange(200).repeat(2)
    p, variance = weights.mean(axis=0), bootstrap_means(weights, clusters, 8000, rng).var(axis=0)
    assert n_effective(weights, clusters) == pytest.approx((p * (1 - p)).sum() / variance.sum(), rel=0.05)


def test_effective_size_never_exceeds_the_rows():
    opposite = one_hot(np.array([0, 1, 0, 1, 0, 0]), 2)
    assert n_effective(opposite, np.array([0, 0, 1, 1, 2, 2])) == 6


def test_clusters_that_balance_exactly_are_worth_their_rows():
    games, play = np.arange(50).repeat(2), np.tile([0, 1], 50)
    assert n_effective(one_hot(play, 2), games) == 100
    play[0] = 1
    assert n_effective(one_hot(play, 2), games) == 100
    assert n_effective(np.tile([[0.1], [0.2], [0.6]], (40, 1)), np.arange(40).repeat(3)) == 120


def test_where_nothing_varies_each_cluster_counts_once():
    assert n_effective(one_hot(np.zeros(6, dtype=int)), np.arange(3).repeat(2)) == 3
    assert n_effective(np.full((6, 1), 0.1), np.arange(3).repeat(2)) == 3
    assert n_effective(one_hot(np.array([0, 1])), np.zeros(2, dtype=int)) == 1


def test_one_cluster_tells_nothing_of_the_spread(rng):
    (mean,) = cluster_bootstrap(np.array([[1.0], [0]]), np.zeros(2, int), samples=50, level=0.95, rng=rng)
    assert np.isnan([mean.low, mean.high]).all()


def test_the_order_of_rows_does_not_matter():
    weights = one_hot(np.array([0, 1, 2, 0, 1, 1, 2, 0]))
    clusters, order = np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([5, 2, 7, 0, 1, 6, 3, 4])
    first = bootstrap_means(weights, clusters, 100, np.random.default_rng(1))
    second = bootstrap_means(weights[order], clusters[order], 100, np.random.default_rng(1))
    np.testing.assert_allclose(first, second)


def test_resamples_without_variation_do_not_stretch_the_interval(rng):
    values = np.array([0.0] * 9 + [1])[:, None]
    (found,) = cluster_bootstrap(values, np.arange(10), samples=500, level=0.95, rng=rng)
    assert -1 < found.low < found.high < 2
