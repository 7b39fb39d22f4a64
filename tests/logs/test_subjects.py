"""Who counts as a subject."""

from __future__ import annotations

import pandas as pd
import pytest

from intent.logs.gamelog import ranked_subjects, subjects


@pytest.mark.parametrize(
    ("seats", "expected"),
    [
        ([("m", None), (None, "TFT"), (None, None)], [True, False, True]),
        ([(None, None), (None, "TFT")], [True, False]),
        ([(None, "ALLC"), (None, "TFT")], [True, True]),
        ([("m", "TFT"), (None, "ALLC")], [True, False]),
    ],
)
def test_models_and_people_else_strategies(seats, expected):
    assert subjects(pd.DataFrame(seats, columns=["model", "strategy"])).tolist() == expected


def test_seats_that_are_not_focal_are_never_subjects():
    table = pd.DataFrame({"focal": [False, True], "model": ["m", None], "strategy": [None, "TFT"]})
    assert subjects(table).tolist() == [False, True]


def test_a_table_without_these_columns_has_subjects_only():
    assert subjects(pd.DataFrame({"x": [1, 2]})).all()


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_subjects_of_parts_are_those_of_the_highest_case(cut):
    table = pd.DataFrame({"model": [None, None, "m", None], "strategy": ["TFT", "ALLC", None, None]})
    parts = [ranked_subjects(table[:cut]), ranked_subjects(table[cut:])]
    highest = max(rank for rank, _ in parts)
    meant = [own & (rank == highest) for rank, own in parts]
    assert [bool(x) for own in meant for x in own] == subjects(table).tolist()
