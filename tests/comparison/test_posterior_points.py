"""Posteriors as points: counted, four of many kept, what is left out said."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import DataError, UsageError
from intent.comparison.portraits import posterior_points

NAMES = ("ALLC", "ALLD", "TFT", "WSLS", "GTFT")


def labels(*rows, names=NAMES):
    table = pd.DataFrame(rows, columns=[f"p_{n}" for n in names[: len(rows[0])]])
    return table.assign(label="TFT", status="confident", model="m")


def test_equal_posteriors_are_one_point():
    found = posterior_points(labels((0, 0, 1), (0, 0, 1), (0.5, 0, 0.5)), NAMES[:3], ("model",))
    assert found.table["n"].tolist() == [2, 1]
    assert (found.names, found.elsewhere, found.dropped) == (NAMES[:3], 0.0, 0)


def test_the_least_frequent_of_four_stands_last():
    found = posterior_points(labels((0.1, 0.2, 0.4, 0.3), (0, 0.5, 0.5, 0)), NAMES[:4])
    assert found.names == ("ALLD", "TFT", "WSLS", "ALLC")


def test_of_five_the_four_most_probable_are_kept():
    found = posterior_points(labels((0.2, 0.3, 0.2, 0.2, 0.1), (0, 0, 0.2, 0.0, 0.8), (0, 1, 0, 0, 0)), NAMES)
    assert found.names == ("ALLD", "TFT", "GTFT", "ALLC")
    assert found.elsewhere == pytest.approx(0.2 / 3)
    found = posterior_points(labels((1, 0, 0, 0, 0), *[(0, 0.25, 0.25, 0.25, 0.25)] * 5), NAMES)
    assert found.dropped == 1
    assert np.allclose(found.table[[f"p_{n}" for n in found.names]].sum(axis=1), 1)


def test_two_strategies_and_no_posteriors_are_refused():
    with pytest.raises(UsageError, match="2 strategies in the table"):
        posterior_points(labels((1, 0)), NAMES[:2])
    with pytest.raises(DataError, match="sum to one"):
        posterior_points(labels((1, 1, 1)), NAMES[:3])


def test_a_row_without_posterior_is_no_point():
    found = posterior_points(labels((np.nan,) * 3, (1, 0, 0)), NAMES[:3])
    assert found.table["n"].tolist() == [1]
