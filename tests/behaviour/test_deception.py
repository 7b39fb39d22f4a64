"""A liar, an honest player and a silent one are told apart."""

from __future__ import annotations

import numpy as np
import pytest
from deliberation_logs import deliberation, honest, liar, log_with, silent

from experiments.private_deliberation.measures import deception_rates
from intent.behaviour.metric_table import deception

L = ("OptionA", "OptionB")
PD = "prisoner-dilemma-deliberation"


def test_each_player_is_what_it_is() -> None:
    rounds = [(liar(1, L), honest(0, L)), (liar(0, L), silent(1, L))]
    table = deception(log_with(deliberation(PD, rounds)))
    first = table[table["seat"] == 1]
    assert list(first["announced"]) == ["OptionA", "OptionB"]
    assert list(first["intended"]) == list(first["taken"]) == ["OptionB", "OptionA"]
    assert list(first["deceptive"]) == list(first["intended_deceptive"]) == [True, True]
    second = table[table["seat"] == 2]
    assert list(second["deceptive"]) == list(second["intended_deceptive"]) == [False, None]


def test_a_change_of_mind_deceives_without_intention() -> None:
    said = (1, "I will choose OptionA.", "I will choose OptionA.")
    row = deception(log_with(deliberation(PD, [(said, silent(0, L))]))).iloc[0]
    assert (row["deceptive"], row["intended_deceptive"]) == (True, False)


def test_a_missing_move_deceives_nobody() -> None:
    said = (-1, "I will choose OptionA.", None)
    row = deception(log_with(deliberation(PD, [(said, silent(0, L))]))).iloc[0]
    assert (row["announced"], row["taken"], row["deceptive"]) == ("OptionA", None, None)


def test_a_log_without_texts() -> None:
    table = deception(log_with(deliberation(PD, [(silent(0, L), silent(1, L))])))
    assert table[["announced", "intended", "deceptive"]].isna().all().all()
    assert list(table["taken"]) == ["OptionA", "OptionB"]


def test_rates_have_their_denominators() -> None:
    rounds = [(liar(1, L), honest(0, L)), (honest(0, L), silent(1, L)), (silent(0, L), silent(0, L))]
    table = deception(log_with(deliberation(PD, rounds), deliberation(PD, rounds)))
    rates = deception_rates(table, ["seat"], rng=np.random.default_rng(0)).set_index(["measure", "seat"])
    assert rates.loc[("announces", 1), ["n", "estimate"]].tolist() == [6, pytest.approx(2 / 3)]
    assert rates.loc[("deceptive", 1), ["n", "estimate"]].tolist() == [4, 0.5]
    assert rates.loc[("deceptive", 2), ["n", "estimate"]].tolist() == [2, 0]
