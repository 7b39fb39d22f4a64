"""Paired and unpaired differences: exact p against enumeration, intervals, size under the null."""

from itertools import product

import numpy as np
import pytest

from intent.comparison.differences import paired_difference, sign_flip_p, unpaired_difference

OPTIONS = {"samples": 500, "level": 0.95}


def test_five_pairs_that_all_go_one_way_give_two_in_32(rng):
    found = paired_difference(np.arange(5.0) + 3, np.arange(5.0) / 2, rng=rng, **OPTIONS)
    assert (found.p, found.least_p, found.exact) == (2 / 32, 2 / 32, True)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_the_exact_p_counts_every_flip(n, rng):
    d = rng.normal(0.5, 1, n)
    flips = [abs(np.dot(signs, d)) for signs in product((-1, 1), repeat=n)]
    assert sign_flip_p(d, 0, rng) == np.mean(np.array(flips) >= abs(d.sum()) - 1e-9)


def test_random_flips_approach_the_exact_p(rng):
    d = rng.normal(0.4, 1, 20)
    twice = np.concatenate([d, np.zeros(5)])
    assert sign_flip_p(twice, 20_000, rng) == pytest.approx(sign_flip_p(d, 0, rng), abs=0.01)


def test_equal_scores_differ_by_nothing(rng):
    found = paired_difference(np.ones(6), np.ones(6), rng=rng, **OPTIONS)
    assert (found.estimate, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_games_weigh_alike_however_many_runs_they_have(rng):
    first, second = np.array([4.0, 4, 4, 4, 10]), np.zeros(5)
    found = paired_difference(first, second, strata=np.array([0, 0, 0, 0, 1]), rng=rng, **OPTIONS)
    assert (found.estimate, found.p) == (pytest.approx(7), 2 / 32)
    assert np.isnan(found.low)


def test_the_test_keeps_its_level_under_the_null(rng):
    rejected = [sign_flip_p(rng.normal(size=8), 0, rng) <= 0.05 for _ in range(400)]
    assert np.mean(rejected) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.parametrize("strata", [1, 8])
def test_intervals_of_five_pairs_cover_the_truth(strata, rng):
    """Plain percentiles of five cover 82 times of 100, of eight games of five 89 times."""
    codes = np.repeat(np.arange(strata), 5)
    found = [
        paired_difference(x, np.ones(len(x)), strata=codes, samples=300, level=0.95, rng=rng)
        for x in 1 + rng.normal(size=(300, len(codes))) * (1 + codes)
    ]
    assert np.mean([one.low <= 0 <= one.high for one in found]) >= 0.9


def test_unpaired_groups_are_exchanged(rng):
    """All of one group above the other: 2 of the 20 arrangements of 3 and 3."""
    found = unpaired_difference(np.array([7.0, 8, 9]), np.array([1.0, 2, 3]), rng=rng, **OPTIONS)
    assert (found.estimate, found.p, found.paired) == (6, 0.1, False)
    assert found.low < 6 < found.high


def test_strata_weigh_alike(rng):
    first, second = np.array([1.0, 1, 1, 9, 9]), np.array([0.0, 0, 4, 4])
    strata = (np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    found = unpaired_difference(first, second, strata=strata, rng=rng, **OPTIONS)
    assert found.estimate == pytest.approx((1 + 9) / 2 - (0 + 4) / 2)


def test_nothing_and_one_pair_say_nothing(rng):
    assert np.isnan(paired_difference(np.empty(0), np.empty(0), rng=rng, **OPTIONS).estimate)
    one = paired_difference(np.array([3.0]), np.array([1.0]), rng=rng, **OPTIONS)
    assert (one.estimate, one.p) == (2, 1)
    assert np.isnan(one.low)
    assert np.isnan(unpaired_difference(np.array([3.0]), np.empty(0), rng=rng, **OPTIONS).p)
