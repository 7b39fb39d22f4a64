"""The named games: the inherited contract, the published examples, and names."""

from __future__ import annotations

import json
from itertools import product

import pytest

from intent.base.errors import GameError, UnknownNameError
from intent.games.catalogue import ALIASES, CATALOGUE, NamedGame, game, public_goods, x_parameterised
from intent.games.description import classify
from intent.games.equilibria import dominant_actions, pure_equilibria
from intent.games.game import Game, MatrixGame, PublicGoods


@pytest.mark.parametrize(
    "row", CATALOGUE.values(), ids=str(list(CATALOGUE)).strip("[]").replace("'", "").split(", ")
)
def test_contract_of_a_game(row: NamedGame) -> None:
    assert isinstance(row, Game)
    assert row.citation
    assert game(row.name) == row
    assert classify(row).name != "other"
    for joint in product(row.actions, repeat=row.n_players):
        assert len(row.payoff(joint)) == row.n_players
    for seat in range(1, row.n_players + 1):
        assert row.cooperative_action(seat) in (*row.actions, None)
    assert json.loads(row.to_json())
    again = (
        MatrixGame.from_json(row.to_json(), row.name, row.kind)
        if isinstance(row, MatrixGame)
        else PublicGoods.from_json(row.to_json(), row.name)
    )
    assert again == row


@pytest.mark.parametrize(
    ("name", "dilemma", "cooperation"),
    [
        ("prisoner-dilemma", "prisoner's dilemma", "OptionB"),
        ("prisoner-dilemma-trps", "prisoner's dilemma", "C"),
        ("prisoner-dilemma-deliberation", "prisoner's dilemma", "OptionA"),
        ("dilemma", "prisoner's dilemma", "Cooperate"),
        ("confusion", "stag hunt", "Cooperate"),
        ("snow-drift", "snowdrift (chicken)", "OptionA"),
        ("chicken", "snowdrift (chicken)", "Swerve"),
        ("stag-hunt", "stag hunt", "OptionA"),
        ("harmony-game", "harmony", "OptionA"),
        ("battle-sexes", "battle of the sexes", None),
        ("battle-sexes-10-10", "coordination", None),
        ("matching-pennies", "matching pennies", None),
        ("head-tail", "coordination", None),
        ("public-goods", "public goods dilemma", "OptionA"),
    ],
)
def test_classes_and_roles(name: str, dilemma: str, cooperation: str | None) -> None:
    assert classify(game(name)).name == dilemma
    assert game(name).cooperative_label == cooperation


@pytest.mark.parametrize("name", ["delight", "delight-points"])
def test_delight_is_a_dilemma_with_the_names_of_its_options_exchanged(name: str) -> None:
    delight = game(name)
    assert pure_equilibria(delight) == (("Cooperate", "Cooperate"),)
    assert [d.action for d in dominant_actions(delight) if d] == ["Cooperate"] * 2
    assert delight.cooperative_label == "Defect"


def test_confusion_has_two_equilibria_and_no_dominant_action() -> None:
    assert pure_equilibria(game("confusion")) == (("Cooperate",) * 2, ("Defect",) * 2)
    assert dominant_actions(game("confusion")) == (None, None)


@pytest.mark.parametrize("name", ["dilemma", "delight", "confusion"])
def test_years_are_fifteen_minus_points(name: str) -> None:
    years, points = game(name), game(f"{name}-points")
    assert (years.kind, points.kind) == ("penalty", "reward")
    for joint in product(years.actions, repeat=2):
        assert years.payoff(joint) == tuple(15 - p for p in points.payoff(joint))


@pytest.mark.parametrize(
    ("x", "dilemma"), [(1, "stag hunt"), (2.9, "stag hunt"), (3.1, "prisoner's dilemma")]
)
def test_x_turns_a_stag_hunt_into_a_dilemma(x: float, dilemma: str) -> None:
    assert classify(x_parameterised(x)).name == dilemma
    assert game(f"x-parameterised({x})") == x_parameterised(x)


def test_names_are_forgiving() -> None:
    assert (
        game("Prisoner's Dilemma") is game("PD") is game("prisoner_dilemma") is CATALOGUE["prisoner-dilemma"]
    )
    assert game("PGG(1.1)") == public_goods(1.1)
    assert all(target in CATALOGUE or target == "x-parameterised" for target in ALIASES.values())


def test_unknown_names_suggest_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean stag-hunt"):
        game("stag-hunter")
    with pytest.raises(UnknownNameError):
        game("stag-hunt(3)")


@pytest.mark.parametrize("name", ["x-parameterised", "x-parameterised(many)", "x-parameterised(inf)"])
def test_a_parameter_has_to_be_a_number(name: str) -> None:
    with pytest.raises(GameError):
        game(name)
