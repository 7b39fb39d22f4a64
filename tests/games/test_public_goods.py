"""The linear public goods game."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import GameError
from intent.games.game import Game, PublicGoods

GAME = PublicGoods("public-goods", 3, 10, 2.0)


def test_payoffs_agree_with_the_published_logs_to_the_last_digit() -> None:
    assert repr(GAME.payoff(["OptionA", "OptionA", "OptionB"])[0]) == "3.333333333333334"
    assert repr(GAME.payoff(["OptionA", "OptionB", "OptionB"])[0]) == "-3.333333333333333"
    assert GAME.payoff(["OptionB"] * 3) == (0, 0, 0)


def test_the_first_action_is_cooperation() -> None:
    assert isinstance(GAME, Game)
    assert [GAME.cooperative_action(seat) for seat in (1, 2, 3)] == ["OptionA"] * 3
    assert GAME.cooperative_label == "OptionA"


@given(st.integers(2, 6), st.integers(1, 20), st.integers(1, 40), st.data())
def test_giving_serves_every_other_player(n: int, cost: int, tenths: int, data: st.DataObject) -> None:
    game = PublicGoods("any", n, cost, tenths / 10)
    joint = data.draw(st.lists(st.sampled_from(game.actions), min_size=n, max_size=n))
    without, given_ = game.payoff(["OptionB", *joint[1:]]), game.payoff(["OptionA", *joint[1:]])
    assert all(given_[i] > without[i] for i in range(1, n))


@given(st.integers(2, 50), st.floats(0.01, 1e6), st.floats(0.01, 100))
def test_json_round_trip_of_parameters(n: int, cost: float, factor: float) -> None:
    game = PublicGoods("any", n, cost, factor)
    assert PublicGoods.from_json(game.to_json(), "any") == game


@pytest.mark.parametrize(
    ("players", "cost", "factor"),
    [(1, 10, 2), (True, 10, 2), (3, 0, 2), (3, 10, -1), (3, float("nan"), 2), (3, 10**400, 2), (3, 10, True)],
)
def test_impossible_parameters_are_refused(players: int, cost: float, factor: float) -> None:
    with pytest.raises(GameError, match="expected"):
        PublicGoods("bad", players, cost, factor)


@pytest.mark.parametrize("text", ["{}", "3", '{"n_players":3,"cost":"x","factor":2,"actions":["A","B"]}',
                                  '{"n_players":3,"cost":1,"factor":2,"actions":5}'])  # fmt: skip
def test_bad_parameters_in_json_are_refused(text: str) -> None:
    with pytest.raises(GameError, match=r"^pgg: "):
        PublicGoods.from_json(text, "pgg")


def test_wrong_joint_actions_are_refused() -> None:
    with pytest.raises(GameError, match="2 actions, expected those of 3 seats"):
        GAME.payoff(["OptionA", "OptionA"])
    with pytest.raises(GameError, match="'C' is not one of"):
        GAME.payoff(["OptionA", "OptionA", "C"])
