"""What `intent games` tells."""

from __future__ import annotations

import re

import pytest

from intent.base import codebook
from intent.base.errors import UsageError
from intent.games.catalogue import CATALOGUE
from intent.games.description import (
    choose_game,
    custom_game,
    describe_game,
    game_facts,
    list_games,
    payoff_rows,
)


def test_rows_have_the_keys_of_the_codebook() -> None:
    meaning = codebook.JSON_OBJECTS["games"]["games"]
    assert [row["name"] for row in list_games()] == list(CATALOGUE)
    names = re.sub(r" \([^)]*\)", "", meaning).removeprefix("list of ")
    assert all(", ".join(row) == names for row in list_games())


def test_one_game_in_full() -> None:
    row = describe_game(choose_game("snow-drift", scale=0.5))
    assert row["payoffs"]["OptionA,OptionB"] == [1, 5]
    assert row["dominant"] == [None, None]
    assert row["equilibria"] == [["OptionA", "OptionB"], ["OptionB", "OptionA"]]


def test_x_and_kind_change_the_game() -> None:
    assert describe_game(choose_game("x-game", x=10))["class"] == "prisoner's dilemma"
    assert describe_game(custom_game("10,6,2,0", "penalty"))["cooperative_action"] == "D"
    assert (
        describe_game(custom_game("10,6,2,0", "reward", scale=0.1))["payoffs"]["C,C"]
        == [0.6000000000000001] * 2
    )


def test_eight_numbers_make_an_asymmetric_game() -> None:
    assert describe_game(custom_game("1,-1,-1,1,-1,1,1,-1", "reward"))["class"] == "matching pennies"


def test_tables_for_two_and_more_players() -> None:
    header, rows = payoff_rows(choose_game("prisoner-dilemma"))
    assert header[1:] == ["OptionA", "OptionB"]
    assert rows == [["OptionA", "6, 6", "0, 10"], ["OptionB", "10, 0", "2, 2"]]
    _, rows = payoff_rows(choose_game("pgg"))
    assert rows[0] == [0, None, "0"]
    assert rows[3] == [3, "10", None]


def test_facts_say_when_cooperation_is_undecidable() -> None:
    facts = dict(game_facts(choose_game("matching-pennies")))
    assert facts["cooperation"].startswith("undecidable")
    assert (facts["dominant"], facts["equilibria"]) == ("none", "none in pure strategies")


@pytest.mark.parametrize("payoffs", ["", "1,2,3", "1,2,x,4", "1,2,3,4,5"])
def test_custom_payoffs_are_four_or_eight_numbers(payoffs: str) -> None:
    with pytest.raises(UsageError, match="expected T,R,P,S or eight numbers"):
        custom_game(payoffs, "reward")


def test_options_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UsageError, match="expected the game x-parameterised"):
        choose_game("stag-hunt", x=3)
    with pytest.raises(UsageError, match="expected a game with two players"):
        choose_game("public-goods", scale=2)
    with pytest.raises(UsageError, match="expected reward or penalty"):
        custom_game("5,3,1,0", "points")
