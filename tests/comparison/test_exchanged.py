"""The permutation test of two means against brute force."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.comparison.differences import exchange_p


def brute_force(values, n_first, strata):
    """Over every order of the labels that keeps their number in each stratum."""
    group = np.arange(len(values)) < n_first

    def apart(chosen):
        return abs(values[chosen].mean() - values[~chosen].mean())

    kept = [
        chosen
        for chosen in map(np.array, permutations(group))
        if all(chosen[strata == s].sum() == group[strata == s].sum() for s in strata)
    ]
    return np.mean([apart(chosen) >= apart(group) - 1e-12 for chosen in kept])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=3, max_size=6), st.integers(1, 2))
def test_few_arrangements_are_all_counted(rows, n_first):
    values, strata = (np.array(column) for column in zip(*rows, strict=True))
    mixed = any(len({i < n_first for i in np.flatnonzero(strata == s)}) == 2 for s in strata)
    found = exchange_p(values.astype(float), n_first, strata, 720, np.random.default_rng(0))
    assert found == pytest.approx(brute_force(values, n_first, strata if mixed else strata * 0))


def test_five_against_five_has_the_least_p_there_is(rng):
    values = np.repeat([1.0, 0.0], 5)
    assert exchange_p(values, 5, np.zeros(10, dtype=int), 2000, rng) == pytest.approx(2 / 252)


def test_many_arrangements_are_sampled(rng):
    values = np.repeat([1.0, 0.0], 30)
    assert exchange_p(values, 30, np.zeros(60, dtype=int), 999, rng) == 1 / 1000
