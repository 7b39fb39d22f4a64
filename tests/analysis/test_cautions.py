"""Warnings to the reader of a comparison."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_labels import labels, simulated

from intent.analysis.cautions import few_clusters, identical_repeats, small_counts


def test_few_games_are_named():
    assert (
        few_clusters(["A", "B"], [4, 5], "games") == "fewer than 5 games in A: their intervals are unreliable"
    )
    assert few_clusters(["A", "B"], [5, 5], "games") is None
    assert "in a, b, c and 2 more:" in str(few_clusters(list("abcde"), [1] * 5, "games"))


def test_small_expected_counts_are_named():
    assert small_counts(np.array([[20.0, 30.0, 0.0], [25.0, 25.0, 0.0]]), "model") is None
    assert "model: 50% of expected counts" in str(small_counts(np.array([[48.0, 2.0], [49.0, 1.0]]), "model"))


def test_repeats_that_were_played_alike_are_counted():
    alike = labels("CDCDCD", model=["A"] * 6, repetition=[1, 1, 2, 2, 3, 3])
    assert "in 2 of 2 repeated settings" in str(identical_repeats(alike))
    assert identical_repeats(labels("CDTWCD", model=["A"] * 6, repetition=[1, 1, 2, 2, 3, 3])) is None


def test_identifiers_of_games_are_no_settings():
    alike = labels("CDCDCD", model=["A"] * 6, source_game_id=[1, 1, 2, 2, 3, 3])
    assert "in 2 of 2 repeated settings" in str(identical_repeats(alike))


def test_settings_that_differ_are_no_repeats(rng):
    assert identical_repeats(labels("CDCD", model=["A", "A", "B", "B"])) is None
    assert identical_repeats(simulated(300, rng)) is None


@pytest.mark.parametrize("column", ["seat", "game_id", "fit_p"])
def test_a_table_that_lacks_the_columns_gets_no_warning(column):
    assert identical_repeats(labels("CDCD").drop(columns=column)) is None
