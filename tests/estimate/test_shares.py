"""How labels are counted, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from simulated_labels import labels

from intent.base.errors import DataError, UnknownNameError
from intent.base.tables import strategy_classes
from intent.comparison.groups import gate_rows, outcomes


def shares(table: pd.DataFrame, count: str) -> dict[str, float]:
    found = outcomes(table, count)
    return dict(zip(found.names, found.weights.mean(axis=0).round(6), strict=True))


def test_status_counts_uncertain_labels_apart():
    assert shares(labels("CDaaln"), "status") == {
        "ALLC": 0.166667,
        "ALLD": 0.166667,
        "TFT": 0,
        "WSLS": 0,
        "ambiguous": 0.333333,
        "low_confidence": 0.166667,
        "no_fit": 0.166667,
    }


def test_posterior_averages_probabilities():
    assert shares(labels("Ca"), "posterior") == {"ALLC": 0.735, "ALLD": 0.005, "TFT": 0.255, "WSLS": 0.005}


def test_split_shares_ties_equally():
    assert shares(labels("Ca"), "split") == {"ALLC": 0.75, "ALLD": 0, "TFT": 0.25, "WSLS": 0}


def test_best_gives_ties_to_the_first():
    assert shares(labels("Caln"), "best") == {"ALLC": 0.5, "ALLD": 0, "TFT": 0.25, "WSLS": 0.25}


def test_ties_are_read_from_a_csv_cell():
    table = labels("aC").assign(tied_with=["ALLC|TFT|WSLS", np.nan])
    np.testing.assert_allclose(outcomes(table, "split").weights, [[1 / 3, 0, 1 / 3, 1 / 3], [1, 0, 0, 0]])


@pytest.mark.parametrize("count", ["status", "posterior", "split", "best"])
def test_every_row_counts_once(count):
    np.testing.assert_allclose(outcomes(labels("CDTWaln"), count).weights.sum(axis=1), 1)


def test_a_condition_that_begins_with_p_is_no_strategy():
    table = labels("CD", p_value=[0.1, 0.9])
    assert strategy_classes(table) == ("ALLC", "ALLD", "TFT", "WSLS")
    assert outcomes(table, "posterior").names == ("ALLC", "ALLD", "TFT", "WSLS")


def test_the_provenance_names_the_strategies_wherever_their_columns_stand():
    table = labels("CD", p_value=[0.1, 0.9])
    table = table[sorted(table.columns)]
    facts = {"classes": ["WSLS", "TFT", "ALLD", "ALLC"]}
    assert strategy_classes(table, facts) == ("WSLS", "TFT", "ALLD", "ALLC")
    table.attrs = {"provenance": facts}
    assert outcomes(table, "status").names[:4] == ("WSLS", "TFT", "ALLD", "ALLC")


@pytest.mark.parametrize("facts", [{"classes": ["GTFT"]}, {"classes": []}, {"classes": "ALLC"}, {}])
def test_a_provenance_of_another_table_is_passed_over(facts):
    assert strategy_classes(labels("CD"), facts) == ("ALLC", "ALLD", "TFT", "WSLS")


def test_only_parts_of_rows_are_fractional():
    assert outcomes(labels("Ca"), "split").fractional
    assert not outcomes(labels("CD"), "split").fractional
    assert not outcomes(labels("Ca"), "status").fractional


def test_gate_on_games_needs_both_seats():
    table = labels("CDCaaaDT")
    assert gate_rows(table, "game").tolist() == [True, True, False, False, False, False, True, True]
    assert gate_rows(table, "trajectory").tolist() == [True, True, True, False, False, False, True, True]
    assert gate_rows(table, None).all()


def test_gate_on_games_judges_subjects_and_strategies_apart():
    strategies = np.array([False, True] * 2)
    assert gate_rows(labels("CaaD"), "game", strategies).tolist() == [True, False, False, True]
    assert gate_rows(labels("CaaD"), "trajectory", strategies).tolist() == [True, False, False, True]


def test_gate_keeps_a_game_of_one_labelled_seat():
    assert gate_rows(labels("CaD").iloc[[0, 2]], "game").all()


def test_a_table_without_labels_is_refused():
    with pytest.raises(DataError, match=r"no column 'status'.*intent label.*--metric"):
        outcomes(pd.DataFrame({"model": ["A"], "p_ALLC": [1.0]}), "status")
    with pytest.raises(DataError, match="no column 'p_<STRATEGY>'"):
        outcomes(pd.DataFrame({"model": ["A"]}), "posterior")
    with pytest.raises(DataError, match="no column 'status', which --gate game needs"):
        gate_rows(pd.DataFrame({"game_id": ["g"]}), "game")


@pytest.mark.parametrize(
    ("change", "count", "message"),
    [
        ({"status": "sure"}, "status", "row 1: status is 'sure'"),
        ({"best": "TFTT"}, "best", "row 1: best is 'TFTT'"),
        ({"tied_with": "ALLC|X"}, "split", "row 1: tied_with names 'X'"),
        ({"p_ALLC": 0.5}, "posterior", "row 1: probabilities .* sum to 0.53, expected 1"),
        ({"p_ALLC": "high"}, "posterior", "no probabilities"),
    ],
)
def test_impossible_labels_are_refused(change, count, message):
    with pytest.raises(DataError, match=message):
        outcomes(labels("CC").assign(**change), count)


def test_unknown_ways_to_count_or_gate():
    with pytest.raises(UnknownNameError, match="did you mean posterior"):
        outcomes(labels("C"), "posteriors")
    with pytest.raises(UnknownNameError, match="did you mean game"):
        gate_rows(labels("C"), "games")
