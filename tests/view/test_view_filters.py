"""Filters on a column, against the same said value by value."""

import numpy as np
import pandas as pd
import pytest

from intent.logs.gamelog import matches
from intent.view.columns import SeatColumn, accepted
from intent.view.query import Filter

TEXT = SeatColumn("text", np.array([0, 1, -1, 2, 1], dtype=np.int32), ["Alpha", "beta", "10"])
NUMBER = SeatColumn("number", np.array([1.0, np.nan, 2.5, 10.0]))
TRUTH = SeatColumn("bool", np.array([1, 0, -1], dtype=np.int8))
LIST = SeatColumn("list", np.array([0, 1, 2, -1], dtype=np.int32), ["TFT|WSLS", "TFT", ""])


@pytest.mark.parametrize(
    ("column", "op", "value", "rows"),
    [
        (TEXT, "=", "beta", [1, 4]),
        (TEXT, "!=", "beta", [0, 2, 3]),
        (TEXT, "=", "", [2]),
        (TEXT, "!=", "", [0, 1, 3, 4]),
        (TEXT, "contains", "ALPH", [0]),
        (TEXT, "<=", "Alpha", [0, 3]),
        (NUMBER, "=", "10.0", [3]),
        (NUMBER, ">=", "2.5", [2, 3]),
        (NUMBER, "<=", "2.5", [0, 2]),
        (NUMBER, "=", "ten", []),
        (NUMBER, "=", "nan", []),
        (NUMBER, "contains", "1", []),
        (NUMBER, "=", "", [1]),
        (TRUTH, "=", "Yes", [0]),
        (TRUTH, "=", "false", [1]),
        (TRUTH, "=", "", [2]),
        (LIST, "=", "TFT", [0, 1]),
        (LIST, "=", "TFT|WSLS", [0]),
        (LIST, "contains", "wsl", [0]),
    ],
)
def test_rows(column, op, value, rows):
    assert np.flatnonzero(accepted(column, Filter("x", op, value))).tolist() == rows


@pytest.mark.parametrize("value", ["beta", "10", "nope"])
def test_equality_is_that_of_where(value):
    said = pd.Series(["Alpha", "beta", None, "10", "beta"])
    assert accepted(TEXT, Filter("x", "=", value)).tolist() == matches(said, [value]).tolist()
