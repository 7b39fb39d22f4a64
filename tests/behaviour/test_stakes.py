"""What is at stake: the largest payoff of a round against all joint actions, scaled copies, factors."""

from __future__ import annotations

from itertools import product

import pandas as pd
import pytest

from intent.base.errors import UnknownNameError
from intent.behaviour.payoffs import largest_payoff, multiplication_factor, proportional, stakes_column
from intent.games.catalogue import CATALOGUE, game
from intent.games.game import PublicGoods, stage


@pytest.mark.parametrize("name", [*CATALOGUE])
def test_largest_payoff_is_that_of_some_joint_action(name):
    played = game(name)
    joint = product(played.actions, repeat=played.n_players)
    assert largest_payoff(played) == pytest.approx(max(abs(x) for a in joint for x in played.payoff(a)))


@pytest.mark.parametrize("factor", [0.2, 1.1, 2.0, 2.9, 4.5])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_largest_payoff_of_public_goods(n, factor):
    goods = PublicGoods("g", n, 10, factor)
    most = max(abs(x) for a in product(goods.actions, repeat=n) for x in goods.payoff(a))
    assert largest_payoff(goods) == pytest.approx(most)
    assert multiplication_factor(stage(goods.to_json())) == factor


def test_scaled_copies():
    pd_ = game("prisoner-dilemma")
    exchanged = type(pd_).symmetric("pd", ("x", "y"), 2, 10, 0, 6, "penalty")
    assert proportional([pd_, pd_.scaled(0.1), pd_.scaled(10), exchanged])
    assert not proportional([pd_, game("prisoner-dilemma-harsh")])


def test_the_stakes_are_the_first_known_column_that_varies():
    games = pd.DataFrame({"scale": [1, 1], "factor": [1.1, 2.0], "payoff_type": ["a", "b"], "mine": [1, 2]})
    assert stakes_column(games) == "factor"
    assert stakes_column(games.drop(columns="factor")) == "payoff_type"
    assert stakes_column(games[["scale"]]) is None
    assert stakes_column(games, "mine") == "mine"
    with pytest.raises(UnknownNameError, match="mime"):
        stakes_column(games, "mime")


def test_payoffs_that_are_no_game():
    assert stage("{}") is None
    assert stage('{"n_players": 1}') is None
