"""Differences between seats: sign flips of games against enumeration and SciPy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import UsageError
from intent.comparison.differences import paired_intervals, seat_effects


def table_of(n: int, **columns: object) -> pd.DataFrame:
    return pd.DataFrame({"game_id": np.arange(n).repeat(2), "seat": np.tile([1, 2], n), **columns})


def test_p_is_that_of_all_flips(rng):
    play = np.eye(3)[rng.integers(0, 3, 20)]
    found = seat_effects(table_of(10), play, "ABC", samples=20000, rng=rng)
    d = play[::2] - play[1::2]
    inverse = np.linalg.pinv(d.T @ d)
    forms = [s @ inverse @ s for s in (np.array(flip) @ d for flip in product((-1, 1), repeat=10))]
    assert found.statistic == pytest.approx(forms[0])
    assert found.p == pytest.approx(np.mean(np.array(forms) >= forms[0] - 1e-9), abs=0.015)


def test_one_number_is_the_paired_t_test_in_large_samples(rng):
    from scipy.stats import ttest_rel

    values = rng.normal(size=400) + np.tile([0.15, 0], 200)
    found = seat_effects(table_of(200), values[:, None], ["rate"], samples=9999, rng=rng)
    oracle = ttest_rel(values[::2], values[1::2])
    assert found.p == pytest.approx(oracle.pvalue, abs=0.02)
    interval = oracle.confidence_interval(0.95)
    assert found.differences[0].low == pytest.approx(interval.low, abs=0.02)
    assert found.differences[0].high == pytest.approx(interval.high, abs=0.02)


def test_only_games_with_equal_seats_count(rng):
    persona = np.array(["k", "k", "k", "s", "s", "s", "s", "k"])
    found = seat_effects(
        table_of(4, persona=persona), rng.random((8, 1)), ["rate"], equal=["persona"], rng=rng
    )
    assert (found.n_games, found.left_out) == (2, 2)
    with pytest.raises(UsageError, match="alike in persona"):
        seat_effects(table_of(1, persona=["k", "s"]), np.ones((2, 1)), ["rate"], equal=["persona"], rng=rng)


def test_games_of_one_cell_are_flipped_together(rng):
    table = table_of(40, cell=np.arange(8).repeat(10))
    play = np.tile([1.0, 0.0], 40)[:, None]
    alone = seat_effects(table, play, ["x"], samples=999, rng=rng)
    together = seat_effects(table, play, ["x"], cluster=["cell"], samples=999, rng=rng)
    assert alone.p == 1 / 1000
    assert together.p_each[0] == pytest.approx(2 / 2**8)


def test_seats_that_never_differ_have_no_effect(rng):
    found = seat_effects(table_of(5), np.ones((10, 1)), ["x"], rng=rng)
    assert (found.p, found.statistic, found.differences[0].estimate) == (1, 0, 0)


def test_interval_of_a_number_is_the_paired_t_interval(rng):
    from scipy.stats import ttest_rel

    first, second = rng.normal(size=(2, 30))
    (found,) = paired_intervals((first - second)[:, None], np.arange(30), level=0.9)
    oracle = ttest_rel(first, second).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high))


def test_interval_of_outcomes_adds_a_pair_each_way_and_never_is_a_point():
    differences = np.array([1.0] * 9 + [-1] * 3 + [0] * 28)[:, None]
    (found,) = paired_intervals(differences, np.arange(40), level=0.95)
    middle, t = 6 / 42, 2.022691
    half = t * np.sqrt((13 - 6**2 / 42) / 42**2)
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half), abs=1e-6)
    (never,) = paired_intervals(np.zeros((40, 1)), np.arange(40), level=0.95)
    assert (never.low, never.high) == pytest.approx((-t / 42, t / 42), abs=1e-6)


@pytest.mark.parametrize("size", [10, 40])
def test_intervals_of_rare_differences_hold_the_truth(rng, size):
    hits = 0
    for _ in range(1000):
        d = rng.choice([1.0, -1.0, 0.0], (size, 1), p=[0.25, 0.15, 0.6])
        (found,) = paired_intervals(d, np.arange(size), level=0.95)
        hits += found.low <= 0.1 <= found.high
    assert 0.935 <= hits / 1000 <= 0.985
