"""Totals of clusters say the same as the rows, however they are cut into parts."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.statistics import (
    ClusterSums,
    cluster_bootstrap,
    cluster_bootstrap_of,
    share_intervals,
    share_intervals_of,
)

FIELDS = ("sizes", "sums", "spreads", "numbers")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    clusters = np.sort(rng.integers(60, size=200))
    return rng.choice([0.0, 0.3, 0.5, 1.0], size=(200, 2)), clusters


def same(one, two):
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in FIELDS)


def test_totals_of_two_clusters():
    sums = ClusterSums.of(np.array([[1.0], [0.0], [1.0]]), np.array([7, 7, 9]))
    assert sums.sizes.tolist() == [2, 1]
    assert sums.sums.tolist() == [[1], [1]]
    assert sums.spreads.tolist() == [[0.5], [0]]
    assert (sums.n, sums.n_clusters) == (3, 2)


def test_moments_are_those_of_the_rows(rows):
    values, clusters = rows
    for sums in (ClusterSums.of(*rows), ClusterSums.of(*rows).merged()):
        assert sums.n == 200
        assert sums.n_clusters == len(np.unique(clusters))
        np.testing.assert_allclose(sums.means, values.mean(axis=0), rtol=1e-14)
        about = np.array([0.2, 0.9])
        np.testing.assert_allclose(sums.squares(about), ((values - about) ** 2).sum(axis=0), rtol=1e-13)
        shifted = sums.scaled(-1, 2)
        np.testing.assert_allclose(shifted.means, (values.mean(axis=0) + 1) / 2, rtol=1e-14)
        np.testing.assert_allclose(
            shifted.squares(about), (((values + 1) / 2 - about) ** 2).sum(axis=0), rtol=1e-13
        )


@pytest.mark.parametrize("cuts", [[30], [1, 2, 59], list(range(1, 60))])
def test_parts_add_up_exactly(rows, cuts):
    values, clusters = rows
    parts = [
        ClusterSums.of(values[inside], clusters[inside])
        for a, b in zip([0, *cuts], [*cuts, 60], strict=True)
        if (inside := (clusters >= a) & (clusters < b)).any()
    ]
    whole = ClusterSums.of(*rows).merged()
    assert same(ClusterSums.joined(parts), whole)
    assert same(ClusterSums.joined([part.merged() for part in parts[::-1]]), whole)


def test_each_distinct_entry_stands_once():
    sums = ClusterSums.of(np.array([[1.0], [0.0], [0.0], [-0.0]]), np.arange(4)).merged()
    assert (sums.sums.tolist(), sums.numbers.tolist()) == ([[0], [1]], [3, 1])


def test_rounding_lends_no_spread_to_values_that_do_not_vary():
    sums = ClusterSums.of(np.full((30, 1), 0.1), np.repeat(np.arange(10), 3))
    (interval,) = share_intervals_of(sums, level=0.95)
    unseen = 1 - 0.025**0.1
    assert interval.low == pytest.approx(0.1 - 0.1 * unseen, abs=1e-12)
    assert interval.high == pytest.approx(0.1 + 0.9 * unseen, abs=1e-12)


def test_intervals_of_totals_are_those_of_the_rows(rows):
    merged = ClusterSums.of(*rows).merged()
    for one, two in zip(
        share_intervals_of(merged, level=0.9), share_intervals(*rows, level=0.9), strict=True
    ):
        np.testing.assert_allclose(
            [one.estimate, one.low, one.high], [two.estimate, two.low, two.high], rtol=1e-12
        )
    settings = {"samples": 50, "level": 0.9}
    for one, two in zip(
        cluster_bootstrap_of(merged, **settings, rng=np.random.default_rng(1)),
        cluster_bootstrap(*rows, **settings, rng=np.random.default_rng(1)),
        strict=True,
    ):
        np.testing.assert_allclose(
            [one.estimate, one.low, one.high], [two.estimate, two.low, two.high], rtol=1e-12
        )
