"""The tidy table of play: one row per game, round and seat, with what describes it."""

from __future__ import annotations

import numpy as np
import pytest
from play_logs import PD, log_of, match

from intent.behaviour.play_table import conditions, played
from intent.games.catalogue import game
from intent.games.game import PublicGoods


def row(table, round_, seat):
    return table[(table["round"] == round_) & (table["seat"] == seat)].iloc[0]


def test_a_move_with_all_that_describes_it():
    log = log_of(match(PD.scaled(10), "CD", "DD", persona=("hợp tác", "ích kỷ"), language="vi"))
    first = row(played(log), 1, 1)
    assert (first["cooperated"], first["choice"], first["payoff"], first["normalised"]) == (1, -1, 100, 1.0)
    assert (first["persona"], first["pairing"], first["composition"]) == ("cooperative", "CS", "mixed")
    assert first["language"] == "vi"


def test_a_default_is_no_choice_unless_asked_for_but_its_payoff_counts():
    log = log_of(match(PD, "cD", "DD"))
    assert np.isnan(row(played(log), 1, 1)["choice"])
    assert row(played(log), 1, 1)["payoff"] == 10
    assert row(played(log, keep_defaulted=True), 1, 1)["choice"] == -1


def test_a_round_with_a_missing_move_has_no_payoff():
    table = played(log_of(match(PD, "CC", ".C")))
    assert np.isnan(row(table, 1, 1)["payoff"])
    assert row(table, 1, 1)["choice"] == -1
    assert np.isnan(row(table, 1, 2)["choice"])
    assert row(table, 2, 2)["payoff"] == 2


def test_without_a_cooperative_action_the_order_of_options_counts():
    table = played(log_of(match(game("battle-sexes"), "CD", "DD")))
    assert row(table, 1, 1)["choice"] == 1
    assert row(table, 2, 1)["choice"] == -1
    assert table["cooperated"].isna().all()


def test_a_strategy_is_named_and_not_focal_beside_a_model():
    log = log_of(match(PD, "C", "D", model=("m", None)))
    log.seats["strategy"] = log.seats["model"].isna().map({True: "TFT", False: None})
    table = played(log)
    assert table["model"].tolist() == ["m", "TFT"]
    assert table["focal"].tolist() == [True, False]


def test_a_scale_that_is_not_given_is_one():
    log = log_of(match(PD, "C", "C"), match(PD.scaled(0.1), "C", "C", scale=0.1))
    assert played(log)["scale"].tolist() == [1.0, 1.0, 0.1, 0.1]


def test_conditions_vary_and_are_no_outcomes():
    log = log_of(
        match(PD, "CC", "CD", language="en", framing="plain", repetition=1),
        match(PD, "DC", "CD", language="vi", framing="plain", repetition=2),
    )
    assert conditions(played(log)) == ["language"]


def test_several_steps_of_a_round_make_one_row():
    log = log_of(match(PD, "C", "C"))
    later = log.moves.assign(step=2, action=None, cooperated=None, payoff=1.0)
    log.moves = type(log.moves)(
        {c: [*log.moves[c].tolist(), *later[c].tolist()] for c in log.moves.columns}
    ).assign(game_id=lambda m: m["game_id"].astype(log.moves["game_id"].dtype))
    table = played(log)
    assert len(table) == 2
    assert table["payoff"].tolist() == [3.0, 3.0]
    assert table["cooperated"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("column", ["game_id", "round", "seat"])
def test_rows_are_in_order(column, rng):
    from play_logs import public_goods_games

    table = played(public_goods_games(rng))
    keys = table[["game_id", "round", "seat"]]
    assert keys.equals(keys.sort_values(["game_id", "round", "seat"], kind="stable"))


def test_public_goods_games_of_all_factors_are_one_game():
    goods = [PublicGoods(name, 2, 10, r) for name, r in (("public-goods", 1.5), ("public-goods(1.9)", 1.9))]
    table = played(log_of(*[match(g, "C", "D") for g in goods]))
    assert table["game"].tolist() == ["public-goods"] * 4
    assert table["factor"].tolist() == [1.5, 1.5, 1.9, 1.9]
