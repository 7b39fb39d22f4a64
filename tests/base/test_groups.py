"""Groups and clusters of rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import UnknownNameError, UsageError
from intent.base.statistics import cluster_codes, distinct_rows, grouping


def test_groups_are_the_sorted_combinations_that_occur():
    table = pd.DataFrame({"model": ["B", "A", "B", "A"], "language": ["vn", "ar", "ar", "ar"]})
    found = grouping(table, ["model", "language"])
    assert found.values == (("A", "ar"), ("B", "ar"), ("B", "vn"))
    assert found.codes.tolist() == [2, 0, 1, 0]


def test_rows_are_coded_in_the_order_in_which_they_come():
    table = pd.DataFrame({"action": ["C", None, "C", float("nan")], "payoffs": ["x", None, "x", "y"]})
    codes, rows = distinct_rows(table)
    assert (codes.tolist(), rows) == ([0, 1, 0, 2], [("C", "x"), (None, None), (None, "y")])
    codes, rows = distinct_rows(table[:0])
    assert (codes.tolist(), rows) == ([], [])


def test_no_columns_make_one_group():
    found = grouping(pd.DataFrame({"x": [1, 2]}), [])
    assert found.values == ((),)
    assert found.codes.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("column", "values", "codes"),
    [
        (["b", None, "a"], ("a", "b", "(none)"), [1, 2, 0]),
        (pd.array([True, None, False], dtype="boolean"), (False, True, "(none)"), [1, 2, 0]),
        (pd.array([10, 9, 10], dtype="Int64"), (9, 10), [1, 0, 1]),
        ([1.0, np.nan, 0.0], (0, 1, "(none)"), [1, 2, 0]),
        ([0.5, 0.1, 0.5], (0.1, 0.5), [1, 0, 1]),
        (pd.Categorical(["b", "c", "b"], categories=["a", "b", "c"]), ("b", "c"), [0, 1, 0]),
        (
            pd.Categorical(["low", "high", None], ["low", "mid", "high"], ordered=True),
            ("low", "high", "(none)"),
            [0, 1, 2],
        ),
        ([["TFT", "WSLS"], ["TFT"], []], ("", "TFT", "TFT + WSLS"), [2, 1, 0]),
        ([1, "a", None], ("1", "a", "(none)"), [0, 1, 2]),
    ],
)
def test_values_of_any_type_make_groups(column, values, codes):
    found = grouping(pd.DataFrame({"x": column}), ["x"])
    assert tuple(v for (v,) in found.values) == values
    assert found.codes.tolist() == codes


def test_sums_by_group():
    found = grouping(pd.DataFrame({"x": ["b", "a", "b"]}), ["x"])
    assert found.sums(np.array([[1.0], [2.0], [4.0]])).tolist() == [[2.0], [5.0]]


def test_columns_that_make_no_groups():
    table = pd.DataFrame(
        {"language": ["x"] * 60, "id": [f"g{i}" for i in range(60)], "score": np.arange(60) / 7}
    )
    with pytest.raises(UnknownNameError, match="unknown column 'langage'; did you mean language"):
        grouping(table, ["langage"])
    with pytest.raises(UsageError, match="'id' has 60 distinct values, expected at most 50"):
        grouping(table, ["id"])
    with pytest.raises(UsageError, match=r"'score' is a continuous number .*--metric score"):
        grouping(table, ["score"])
    with pytest.raises(UsageError, match="'language' is named twice"):
        grouping(table, ["language", "language"])


def test_clusters_are_joint_values_and_nulls_stand_alone():
    table = pd.DataFrame({"run": ["r", "r", "s", None, None], "game": [1, 1, 1, 1, 1]})
    codes = cluster_codes(table, ["run", "game"])
    assert codes[0] == codes[1]
    assert len(set(codes.tolist())) == 4
    assert len(set(cluster_codes(table, []).tolist())) == 5
