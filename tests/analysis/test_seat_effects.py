"""Differences between seats: sign flips of games against enumeration and SciPy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from intent.analysis.seat_effects import seat_effects
from intent.errors import UsageError


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
