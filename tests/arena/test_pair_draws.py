"""Bootstrap of means over pairs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from intent.arena.tournament.standings import pair_draws


def every_draw(n: int) -> np.ndarray:
    """How often each of n strategies is drawn, in all n**n samples of n."""
    return np.array([np.bincount(drawn, minlength=n) for drawn in product(range(n), repeat=n)], dtype=float)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_samples_of_a_group_lie_around_the_mean_of_its_pairs(n):
    block = np.random.default_rng(0).random((n, n)) + 5 * np.eye(n)
    assert pair_draws(block, every_draw(n)).mean() == pytest.approx(block.mean())


def test_samples_of_two_groups_lie_around_the_mean_of_their_pairs():
    block = np.random.default_rng(0).random((2, 3))
    left = np.repeat(every_draw(2), 27, axis=0)
    right = np.tile(every_draw(3), (4, 1))
    assert pair_draws(block, left, right).mean() == pytest.approx(block.mean())


def test_self_play_that_was_not_played_counts_nowhere():
    block = np.array([[np.nan, 1.0], [3.0, np.nan]])
    assert pair_draws(block, np.array([[1.0, 1.0], [2.0, 0.0]])) == pytest.approx([2, 2])


def test_pairs_that_were_not_played():
    block = np.array([[np.nan, 2.0], [np.nan, 4.0]])
    one_sided = np.array([[2.0, 0.0], [1.0, 1.0]])
    assert np.isnan(pair_draws(block, one_sided, np.array([[2.0, 0.0]] * 2))).all()
    assert pair_draws(block, one_sided, np.array([[1.0, 1.0]] * 2)) == pytest.approx([2, 3])
