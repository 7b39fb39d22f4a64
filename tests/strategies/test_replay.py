from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from intent import strategy
from intent.strategies.catalogue import replay
from intent.strategies.likelihood import log_likelihood

MET = np.array([[1, 0, 0, 1, 0]], dtype=np.int8)


@pytest.mark.parametrize(
    ("name", "own"),
    [("ALLD", "DDDDD"), ("TFT", "CCDDC"), ("WSLS", "CCDCC"), ("GRIM", "CCDDD"), ("DC", "DCDCD")],
)
def test_without_noise_it_is_the_strategy(name, own, rng):
    played, _ = replay(strategy(name), np.repeat(MET, 3, axis=0), 0.0, rng)
    assert ["".join("DC"[m] for m in row) for row in played.tolist()] == [own] * 3


@pytest.mark.parametrize("memory", ["realised", "intended"])
@pytest.mark.parametrize("name", ["GTFT", "WSLS", "EXTORT2"])
def test_plays_are_as_frequent_as_the_likelihood_says(name, memory, rng):
    s = strategy(name).with_memory(memory)
    every = np.array(list(product([0, 1], repeat=5)), dtype=np.int8)
    exact = np.exp(log_likelihood(every, np.repeat(MET, 32, axis=0), None, [s], 0.1)[:, 0])
    played, _ = replay(s, np.repeat(MET, 100_000, axis=0), 0.1, rng)
    found = np.bincount(played @ (1 << np.arange(4, -1, -1)), minlength=32) / 100_000
    assert np.abs(found - exact).max() < 0.007


def test_every_row_has_its_own_noise(rng):
    played, _ = replay(
        strategy("ALLC"), np.ones((20_000, 10), dtype=np.int8), np.repeat([0.0, 0.3], 10_000), rng
    )
    assert played[:10_000].all()
    assert played[10_000:].mean() == pytest.approx(0.7, abs=0.01)


def test_an_unknown_move_of_the_other_is_a_fair_coin(rng):
    played, states = replay(strategy("TFT"), np.full((20_000, 2), -1, dtype=np.int8), 0.0, rng)
    assert played[:, 0].all()
    assert played[:, 1].mean() == pytest.approx(0.5, abs=0.015)
    assert np.array_equal(states[:, 1], 1 - played[:, 1])
