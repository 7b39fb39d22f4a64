"""Memory-one vectors: counts by hand, vectors of known strategies."""

from __future__ import annotations

import numpy as np
import pytest

from intent.behaviour.measures import memory_one
from intent.logs.gamelog import Trajectories
from intent.strategies.catalogue import strategy


def test_counts_by_outcome_of_the_round_before():
    X = Trajectories.from_strings(["CCDC.C"], ["CDDCCC"])
    found = memory_one(X.own, X.other)
    assert {name: (int(c.hits[0]), int(c.n[0])) for name, c in found.items()} == {
        "cc": (1, 1),
        "cd": (0, 1),
        "dc": (0, 0),
        "dd": (1, 1),
    }
    assert np.isnan(found["dc"].value[0])


def test_the_vector_of_win_stay_lose_shift_is_recovered(rng):
    expected = strategy("WSLS").memory_one_vector()[1:]
    other = rng.integers(0, 2, size=(1, 200)).astype(np.int8)
    own = np.ones_like(other)
    for i in range(1, 200):
        own[0, i] = own[0, i - 1] == other[0, i - 1]
    assert [c.value[0] for c in memory_one(own, other).values()] == pytest.approx(list(expected))
