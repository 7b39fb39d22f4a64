"""Likelihood ratios of clustered subjects: design effects by hand, and rates of rejection."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from intent.analysis.working_likelihood import GroupPosteriors, design_effect, scaled_ratio

SHARES = np.array([0.5, 0.3, 0.2])


def certain(types: np.ndarray, clusters: np.ndarray) -> GroupPosteriors:
    """Subjects whose strategy is known."""
    return GroupPosteriors(np.bincount(types, minlength=3) / len(types), np.eye(3)[types], clusters)


def games(rng: np.random.Generator, n: int, alike: float) -> np.ndarray:
    both = rng.choice(3, (n, 1), p=SHARES)
    return np.where(rng.random((n, 1)) < alike, both, rng.choice(3, (n, 2), p=SHARES)).ravel()


def test_subjects_counted_twice_have_a_design_effect_of_two(rng):
    one, two = (rng.choice(3, 200, p=SHARES) for _ in range(2))
    groups = [
        certain(one.repeat(2), np.arange(200).repeat(2)),
        certain(two.repeat(2), np.arange(200, 400).repeat(2)),
    ]
    assert design_effect(groups) == pytest.approx(2 * 400 / 399)


def test_alike_subjects_in_both_groups_make_the_difference_surer(rng):
    play = games(rng, 400, 0.8).reshape(-1, 2)
    groups = [certain(play[:, seat], np.arange(400)) for seat in (0, 1)]
    assert design_effect(groups) == pytest.approx(0.2, abs=0.08)


def test_what_nobody_plays_in_one_group_is_left_out(rng):
    one, two = rng.integers(0, 2, 100), rng.choice(3, 100, p=SHARES)
    assert np.isfinite(design_effect([certain(one, np.arange(100)), certain(two, np.arange(100, 200))]))
    alone = certain(np.zeros(10, dtype=int), np.arange(10))
    assert design_effect([alone, alone]) == 1


def test_one_cluster_has_no_test():
    part = certain(np.arange(3), np.zeros(3, dtype=int))
    assert scaled_ratio(5.0, 2, [part, part])[2] is None


def test_alike_seats_reject_as_often_as_they_should(rng):
    plain, scaled = [], []
    for _ in range(400):
        play, model = games(rng, 90, 0.7), (np.arange(90) % 3).repeat(2)
        groups = [certain(play[model == m], (np.arange(180) // 2)[model == m]) for m in range(3)]
        pooled = np.log(np.bincount(play, minlength=3) / 180)
        ratio = 2 * sum(
            (g.posterior.sum(axis=0) * (np.log(np.maximum(g.shares, 1e-300)) - pooled)).sum() for g in groups
        )
        plain.append(chi2.sf(ratio, 4) <= 0.05)
        scaled.append(scaled_ratio(ratio, 4, groups)[1] <= 0.05)
    assert np.mean(plain) > 0.15
    assert 0.025 < np.mean(scaled) < 0.078
