"""Coin flips are independent and have the stated probability."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.errors import StrategyError
from intent.strategies.catalogue import Noise, coin_flips

SIZE = 400_000
probabilities = pytest.mark.parametrize("p", [0.01, 0.05, 0.2, 0.3, 0.5])


@pytest.mark.parametrize("p", [0, 0.01, 0.05, 0.2, 0.3, 0.5, 1])
@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 1000])
def test_zeros_and_ones_of_the_size_asked_for(p, size, rng):
    flips = coin_flips(size, p, rng)
    assert flips.shape == (size,)
    assert flips.dtype == np.uint8
    assert set(flips.tolist()) <= {0, 1}


def test_certain_events(rng):
    assert coin_flips(9, 0, rng).sum() == 0
    assert coin_flips(9, 1, rng).sum() == 9


@probabilities
def test_share_of_ones_at_every_place_of_a_byte(p, rng):
    flips = coin_flips(SIZE, p, rng).reshape(-1, 8)
    deviation = np.sqrt(p * (1 - p) / len(flips))
    assert (abs(flips.mean(axis=0) - p) < 5 * deviation).all()


@probabilities
def test_blocks_of_three_are_independent(p, rng):
    blocks = coin_flips(SIZE // 3 * 3, p, rng).reshape(-1, 3)
    seen = np.bincount(blocks @ np.array([4, 2, 1]), minlength=8)
    expected = len(blocks) * np.array(
        [p ** bin(i).count("1") * (1 - p) ** (3 - bin(i).count("1")) for i in range(8)]
    )
    chi_square = ((seen - expected) ** 2 / expected).sum()
    assert chi_square < 40, "a chi-square with 7 degrees of freedom exceeds 40 once in 800,000 seeds"


@probabilities
@pytest.mark.parametrize("size", [1, 2, 3])
def test_short_draws_are_as_exact_as_long_ones(p, size, rng):
    ones = sum(int(coin_flips(size, p, rng).sum()) for _ in range(20_000))
    n = 20_000 * size
    assert abs(ones / n - p) < 5 * np.sqrt(p * (1 - p) / n)


def test_the_last_places_are_reached(rng):
    ends = np.array([coin_flips(50, 0.1, rng)[[0, 48, 49]] for _ in range(20_000)])
    assert (abs(ends.mean(axis=0) - 0.1) < 5 * np.sqrt(0.1 * 0.9 / 20_000)).all()


class OneAtATime:
    """A generator that always hands out fewer gaps than it was asked for."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def geometric(self, p, size):
        return self.rng.geometric(p, size=1)


def test_gaps_that_run_short_are_continued():
    whole = coin_flips(5000, 0.1, np.random.default_rng(3))
    assert np.array_equal(coin_flips(5000, 0.1, OneAtATime(3)), whole)


def test_same_seed_same_flips():
    first, second = (coin_flips(1000, 0.05, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize(
    ("own", "other", "who"), [(0.5, 0, "own"), (0, -0.1, "other"), (float("nan"), 0, "own")]
)
def test_noise_outside_its_range(own, other, who):
    with pytest.raises(StrategyError, match=rf"noise of the {who} player is .*, expected \[0, \.5\)"):
        Noise(own, other)
