"""Warnings to the reader of a comparison."""

from __future__ import annotations

import numpy as np
import pytest
from deliberation_logs import deliberation, honest, log_with
from simulated_labels import labels, simulated

from intent.comparison.data import identical_repeats, mixed_payoffs
from intent.comparison.tests import few_permutations, small_counts
from intent.estimate.design_units import copied_games, few_clusters, pooled_games


def test_few_games_are_named():
    assert (
        few_clusters(["A", "B"], [4, 5], "games") == "fewer than 5 games in A: their intervals are unreliable"
    )
    assert few_clusters(["A", "B"], [5, 5], "games") is None
    assert "in a, b, c and 2 more:" in str(few_clusters(list("abcde"), [1] * 5, "games"))


def test_too_few_permutations_are_named():
    assert few_permutations([0.01, 0.3], 99, 0.95) is None
    assert few_permutations([], 0, 0.95) is None
    assert "give no p below 0.01, which 2 tests have" in str(few_permutations([0.01, 0.01, 0.3], 99, 0.95))
    caution = str(few_permutations([0.3] * 6, 99, 0.95))
    assert "0.06 after Holm's correction of 6 tests, so that none can fall to 0.05" in caution
    assert few_permutations([0.3] * 6, int(caution.split()[-3]), 0.95) is None


def test_games_that_are_pooled_are_named():
    assert str(pooled_games(["a", "b"], ["model"])).startswith("play of 2 games is pooled (a, b)")
    assert pooled_games(["a", "b"], ["game"]) is None
    assert pooled_games(["a"], []) is None


def test_rewards_and_penalties_in_one_group_are_named():
    table = labels("CDTW", payoff_kind=["reward", "penalty"] * 2, game=["x"] * 4)
    assert mixed_payoffs(table, ["game"]).startswith("payoffs are rewards and penalties together")
    assert mixed_payoffs(table, []) is not None
    assert mixed_payoffs(table, ["payoff_kind"]) is None
    assert mixed_payoffs(table.drop(columns="payoff_kind"), ["game"]) is None


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


def games_of(*plays, agents=("private", "public")):
    rounds = [[(honest(int(a), "AB"), honest(int(b), "AB")) for a, b in play.split()] for play in plays]
    return log_with(*(deliberation("chicken", played, agents) for played in rounds))


def test_copies_of_a_game_are_named():
    assert "in 1 of 1 repeated settings" in str(copied_games(games_of("00 01", "00 01")))
    assert copied_games(games_of("00 01", "00 10")) is None
    assert copied_games(games_of("00 01")) is None
    assert copied_games(games_of("00", "00", agents=("TFT", "TFT"))) is None
