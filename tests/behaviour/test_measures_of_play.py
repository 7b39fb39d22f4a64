"""Normalised payoffs, trajectories, cooperation, contributors and mismatch, by hand and by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from play_logs import PD, log_of, match, public_goods_games, scaled_games

from intent.behaviour.means import Intervals, cell_means
from intent.behaviour.payoffs import normalised_payoffs, payoffs_by_condition
from intent.behaviour.play_table import (
    choice_trajectories,
    contributor_counts,
    cooperation_rates,
    mismatch_by_round,
    of_games,
    played,
    round_mismatch,
)
from intent.games.game import PublicGoods

GOODS = PublicGoods("public-goods", 3, 10, 2.0)
FEW = Intervals(200, 0.95)


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
def test_normalised_penalty_by_hand(scale):
    players = normalised_payoffs(played(log_of(match(PD.scaled(scale), "CCDD", "CDCD"))))
    # Penalties of seat 1 at scale 1: CC 2, CD 10, DC 0, DD 6; the largest is 10, over 4 rounds.
    assert players["normalised"].tolist() == pytest.approx([18 / 40, 18 / 40])
    assert players["payoff"].tolist() == pytest.approx([18 * scale, 18 * scale])
    assert players["n_rounds"].tolist() == [4, 4]


def test_rounds_without_payoff_count_in_neither_sum_nor_number():
    players = normalised_payoffs(played(log_of(match(PD, "CC.", "CDC"), match(PD, ".", "C"))))
    assert players["normalised"].tolist()[:2] == pytest.approx([12 / 20, 2 / 20])
    assert players["n_missing"].tolist() == [1, 1, 1, 1]
    assert players["normalised"].isna().tolist() == [False, False, True, True]


def test_penalties_by_condition_weigh_players_alike(rng):
    log = log_of(
        match(PD, "C", "C", persona=("cooperative", "selfish")),
        match(PD, "C", "D", persona=("selfish", "cooperative")),
    )
    found = payoffs_by_condition(played(log), ["pairing"], rng=rng, intervals=FEW)
    assert found["pairing"].tolist() == ["CS"]
    assert found[["n", "n_games", "estimate"]].to_numpy().tolist() == [[4, 2, pytest.approx(0.35)]]


def test_choice_trajectory_by_hand(rng):
    log = log_of(match(PD, "CD", "CC"), match(PD, "Dc", "C."))
    found = choice_trajectories(played(log), ["model"], rng=rng, intervals=FEW)
    assert found["round"].tolist() == [1, 2]
    assert found["estimate"].tolist() == pytest.approx([-0.5, 0.0])
    assert found["n"].tolist() == [4, 2]


def test_unanimous_choices_are_not_certain(rng):
    log = log_of(*[match(PD, "C", "C") for _ in range(10)])
    found = choice_trajectories(played(log), [], rng=rng, intervals=FEW).iloc[0]
    assert (found["estimate"], found["low"]) == (-1, -1)
    assert found["high"] == pytest.approx(-1 + 2 * (1 - 0.025**0.1))


def test_one_game_has_no_interval(rng):
    found = cooperation_rates(played(log_of(match(PD, "CD", "CD"))), [], rng=rng).iloc[0]
    assert found["estimate"] == 0.5
    assert np.isnan([found["low"], found["high"]]).all()


def test_cells_agree_with_brute_force(rng):
    table = played(scaled_games(rng))
    found = cooperation_rates(table, ["model", "language", "persona", "scale"], rng=rng, intervals=FEW)
    assert len(found) == 2 * 2 * 2 * 3
    for cell in found.itertuples():
        rows = [
            m.cooperated
            for m in table.itertuples()
            if (m.model, m.language, m.persona, m.scale)
            == (cell.model, cell.language, cell.persona, cell.scale)
        ]
        assert cell.n == len(rows)
        assert cell.estimate == pytest.approx(np.mean(rows))
        assert cell.low <= cell.estimate <= cell.high


def test_contributors_by_hand():
    log = log_of(
        match(GOODS, "CD", "CD", "DD"), match(GOODS, "CC", "CC", "CC"), match(GOODS, "C.", "DC", "DC")
    )
    found = contributor_counts(played(log), [])
    assert found[found["round"] == 1]["n"].tolist() == [0, 1, 1, 1]
    assert found[found["round"] == 2]["n"].tolist() == [1, 0, 0, 1]
    assert found.groupby("round")["share"].sum().tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("moves", "value"),
    [("CCC", 0), ("CCD", 1 / 3), ("CDD", 1 / 3), ("DDD", 0), ("CC", 0), ("CD", 1 / 2), ("CCDDD", 2 / 5)],
)
def test_mismatch_of_one_round(moves, value):
    game = PD if len(moves) == 2 else PublicGoods("g", len(moves), 10, 2.0)
    found = round_mismatch(played(log_of(match(game, *moves))))
    assert found["mismatch"].tolist() == pytest.approx([value])


def test_mismatch_is_one_minus_the_larger_side(rng):
    table = played(public_goods_games(rng, n=4))
    found = round_mismatch(table).set_index(["game_id", "round"])["mismatch"]
    for key, rows in table.groupby(["game_id", "round"], observed=True):
        k = rows["cooperated"].sum()
        assert found[key] == pytest.approx(1 - max(k, 4 - k) / 4)


def test_a_round_with_an_unknown_move_has_no_mismatch():
    found = round_mismatch(played(log_of(match(GOODS, "CC", "CD", ".D"))))
    assert found["round"].tolist() == [2]


def test_mismatch_of_games_by_composition(rng):
    log = log_of(
        match(GOODS, "C", "C", "D", persona=["cooperative"] * 3),
        match(GOODS, "C", "C", "C", persona=["cooperative"] * 3),
        match(GOODS, "D", "D", "C", persona=["selfish", "selfish", "cooperative"]),
    )
    found = mismatch_by_round(round_mismatch(played(log)), ["composition"], rng=rng, intervals=FEW)
    assert dict(zip(found["composition"], found["estimate"], strict=True)) == pytest.approx(
        {"all cooperative": 1 / 6, "mixed": 1 / 3}
    )


def test_columns_that_differ_between_seats_are_joined():
    table = of_games(played(log_of(match(PD, "C", "C", model=("B", "A")), match(PD, "C", "C", model="C"))))
    assert table["model"].tolist() == ["A + B", "A + B", "C", "C"]
    assert table["seat"].tolist() == [1, 2, 1, 2]


def test_cells_without_a_column_or_a_value(rng):
    table = played(log_of(match(PD, "CD", "CD")))
    assert cell_means(table, [], "cooperated", rng=rng)["estimate"].tolist() == [0.5]
    assert cell_means(table.assign(cooperated=np.nan), ["model"], "cooperated", rng=rng).empty
