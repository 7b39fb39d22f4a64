"""Conditions on columns, given as text."""

from __future__ import annotations

import pandas as pd
import pytest

from intent.base.errors import UnknownNameError
from intent.logs.gamelog import accepted_rows, matches


@pytest.mark.parametrize(
    ("column", "values", "accepted"),
    [
        (["a", "b", None], ["a"], [True, False, False]),
        (["a", "b", "c"], ["a", "c"], [True, False, True]),
        ([1.0, 2.5, None], ["1", "2.50"], [True, True, False]),
        (pd.array([True, False, None], dtype="boolean"), ["True"], [True, False, False]),
        ([True, False, False], ["no"], [False, True, True]),
        ([True, None, False], ["true"], [True, False, False]),
        (pd.Categorical(["a", "b", None]), ["b"], [False, True, False]),
    ],
)
def test_values_are_compared_as_what_the_column_holds(column, values, accepted):
    assert matches(pd.Series(column), values).tolist() == accepted


def test_any_value_of_a_column_and_all_columns():
    table = pd.DataFrame({"model": ["A", "B", "C"], "language": ["en", "en", "fr"]})
    assert accepted_rows(table, {"model": ["A", "C"], "language": ["en"]}).tolist() == [True, False, False]
    assert accepted_rows(table, {}).all()
    with pytest.raises(UnknownNameError, match="did you mean model"):
        accepted_rows(table, {"modell": ["A"]})
