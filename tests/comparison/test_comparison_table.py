"""A comparison comes back from its own table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import DataError
from intent.base.statistics import Interval
from intent.comparison.groups import Comparison, Group
from intent.comparison.tables import comparison_of_table

GROUPS = (
    Group(("a", 5), 10, 10, 8.0, (Interval(0.25, 0.1, 0.4), Interval(0.75, 0.6, 0.9))),
    Group(("b", 10), 4, 4, 4.0, (Interval(1.0, 0.4, 1.0), Interval(0.0, 0.0, 0.6))),
)
FOUND = Comparison(("model", "rounds"), "best", None, 0.9, ("TFT", "no_fit"), GROUPS, ())


def test_shares_come_back():
    back = comparison_of_table(FOUND.table(), {"by": ["model", "rounds"], "count": "best", "level": 0.9})
    assert back == FOUND


def test_without_metadata_the_columns_before_n_make_the_groups():
    assert comparison_of_table(FOUND.table(), {}).by == ("model", "rounds")


def test_an_outcome_that_a_group_lacks_is_no_share():
    back = comparison_of_table(FOUND.table().iloc[:3], {})
    assert back.groups[1].intervals[1].estimate == 0.0
    assert np.isnan(back.groups[1].intervals[1].low)


def test_estimated_shares_count_subjects():
    table = pd.DataFrame(
        {"model": ["a", "a"], "n_subjects": 7, "strategy": ["TFT", "ALLD"], "estimate": [0.4, 0.6]}
    ).assign(low=np.nan, high=np.nan, tremble=0.1)
    back = comparison_of_table(table, {"by": ["model"]})
    assert (back.count, back.outcomes, back.groups[0].n) == ("estimate", ("TFT", "ALLD"), 7)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: pd.concat([t, t.head(1)]), "row 5 is the second of model 'a', rounds '5', outcome 'TFT'"),
        (lambda t: t.assign(estimate=1.5), "row 1: estimate '1.5', expected a share from 0 to 1"),
        (lambda t: t.assign(estimate="x" * 500), "row 1: estimate 'xxx"),
    ],
)
def test_what_cannot_be_is_one_line(change, said):
    with pytest.raises(DataError, match=said) as error:
        comparison_of_table(change(FOUND.table()), {})
    assert len(str(error.value)) < 200
