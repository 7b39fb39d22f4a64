"""The difference between the groups furthest apart, in all rows and where all else is equal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent.analysis.compare import Settings, compare_means
from intent.analysis.comparison import Comparison
from intent.analysis.widest import difference_within, widest_difference


def compared(values: np.ndarray, codes: np.ndarray, rng: np.random.Generator) -> Comparison:
    table = pd.DataFrame({"f": codes})
    settings = Settings(bootstrap=99, permutations=0)
    return compare_means(table, ["f"], values, np.arange(len(values)), metric="x", settings=settings, rng=rng)


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
