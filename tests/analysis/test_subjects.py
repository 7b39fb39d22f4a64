"""Who counts as a subject."""

from __future__ import annotations

import pandas as pd
import pytest

from intent.analysis.subjects import subjects


@pytest.mark.parametrize(
    ("seats", "expected"),
    [
        ([("m", None), (None, "TFT"), (None, None)], [True, False, False]),
        ([(None, None), (None, "TFT")], [True, False]),
        ([(None, "ALLC"), (None, "TFT")], [True, True]),
        ([("m", "TFT"), (None, "ALLC")], [True, False]),
    ],
)
def test_models_then_people_then_everybody(seats, expected):
    assert subjects(pd.DataFrame(seats, columns=["model", "strategy"])).tolist() == expected


def test_seats_that_are_not_focal_are_never_subjects():
    table = pd.DataFrame({"focal": [False, True], "model": ["m", None], "strategy": [None, "TFT"]})
    assert subjects(table).tolist() == [False, True]


def test_a_table_without_these_columns_has_subjects_only():
    assert subjects(pd.DataFrame({"x": [1, 2]})).all()
