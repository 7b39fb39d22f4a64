"""The difference between the groups furthest apart, in all rows and where all else is equal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent.base.statistics import group_influence
from intent.comparison.effects import difference_within, widest_difference
from intent.comparison.findings import simultaneous_widest
from intent.comparison.groups import Comparison
from intent.comparison.tests import Sample, Settings, compare_means


def compared(values: np.ndarray, codes: np.ndarray, rng: np.random.Generator) -> Comparison:
    table = pd.DataFrame({"f": codes})
    settings = Settings(bootstrap=99, permutations=0)
    rows = Sample(table, ["f"], np.arange(len(values)))
    return compare_means(rows, values, metric="x", settings=settings, rng=rng)


def test_differences_of_blocks_are_weighed_by_their_rows(rng):
    values = np.array([1.0, 3, 2, 2, 9, 5, 5, 7])
    codes, blocks = np.array([0, 0, 1, 1, 1, 0, 0, 0]), np.array([0, 0, 0, 0, 1, 1, 2, 2])
    found = compared(values, codes, rng)
    assert difference_within(found, values[:, None], codes, blocks) == pytest.approx(
        (1 * 0 + 0.5 * (9 - 5)) / 1.5
    )


def test_blocks_that_hold_one_group_say_nothing(rng):
    values, codes = np.array([1.0, 2, 3, 4]), np.array([0, 0, 1, 1])
    found = compared(values, codes, rng)
    assert difference_within(found, values[:, None], codes, codes) is None
    assert difference_within(found, values[:, None], codes, np.zeros(4, int)) == 2


def test_what_lies_between_0_and_1_has_an_interval_that_is_no_point(rng):
    values, codes = np.repeat([0.0, 1.0], 20), np.repeat([0, 1], 20)
    found = widest_difference(
        compared(values, codes, rng), values[:, None], codes, np.arange(40), samples=99, rng=rng
    )
    assert found is not None
    assert found.low < found.estimate == 1 == found.high


def counted(rng: np.random.Generator, sizes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Estimates, influence and clusters of games whose seats are correlated; no group differs."""
    games = sum(sizes)
    both, each = (rng.choice(4, (games, seats), p=[0.4, 0.3, 0.2, 0.1]) for seats in (1, 2))
    weights = np.eye(4)[np.where(rng.random((games, 1)) < 0.6, both, each).ravel()]
    codes, of = np.repeat(np.arange(len(sizes)), sizes).repeat(2), np.arange(games).repeat(2)
    estimates = np.stack([weights[codes == g].mean(axis=0) for g in range(len(sizes))])
    return estimates, group_influence(weights, codes, of), np.arange(games)


def test_the_only_range_has_a_plain_interval(rng):
    from scipy.stats import ttest_ind

    first, second = rng.normal(size=12), rng.normal(1, 3, size=9)
    codes = np.repeat([0, 1], [12, 9])
    influence = group_influence(np.concatenate([first, second])[:, None], codes, np.arange(21))
    means = np.array([[first.mean()], [second.mean()]])
    found = simultaneous_widest(means, influence, np.arange(21), level=0.95, rng=rng, shares=False)
    oracle = ttest_ind(second, first, equal_var=False).confidence_interval(0.95)
    ends = sorted(np.sign(second.mean() - first.mean()) * np.array([oracle.low, oracle.high]))
    assert (found.low, found.high) == pytest.approx(ends, rel=0.03)
    assert found.pointwise == pytest.approx(0.95, abs=0.006)


def test_independent_ranges_need_the_level_of_sidak(rng):
    influence = rng.normal(size=(4000, 2, 6)) / 4000
    found = simultaneous_widest(
        rng.normal(size=(2, 6)), influence, np.arange(4000), level=0.95, rng=rng, shares=False
    )
    assert found.n_ranges == 6
    assert found.pointwise == pytest.approx(0.95 ** (1 / 6), abs=0.001)


def test_only_ranked_outcomes_are_named(rng):
    estimates, influence, games = counted(rng, (20, 20))
    estimates[0, 3] = 5
    ranked = np.array([True, True, True, False])
    assert simultaneous_widest(estimates, influence, games, level=0.95, rng=rng).outcome == 3
    assert simultaneous_widest(estimates, influence, games, level=0.95, rng=rng, ranked=ranked).outcome < 3
    assert simultaneous_widest(estimates * 0, influence, games, level=0.95, rng=rng) is None


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(20, 20, 20), (15, 35, 70)])
def test_the_interval_of_the_widest_holds_the_null(sizes):
    hits = []
    for rng in np.random.default_rng(4).spawn(300):
        found = simultaneous_widest(*counted(rng, sizes), level=0.95, rng=rng)
        hits.append(found.low <= 0 <= found.high)
    assert np.mean(hits) >= 0.92
