"""Games that another library steps: as values, as matches, and what they refuse. No library is needed."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from intent.agents.plan import parse_player
from intent.agents.table import scripted_table_player
from intent.base.errors import GameError, MissingExtraError, UnknownNameError
from intent.games.catalogue import game
from intent.games.game import CourseGame, game_from_json
from intent.play.bridges.environment import EnvironmentGame, Opened, environment_game, parameters_of
from intent.play.match import Horizon, to_log
from intent.play.players import ConstantPlayer, SequencePlayer
from intent.play.referee import play

ACTIONS = (("up", "down", "stay"), ("left", "right"), ("left", "right"))


class ThreeRounds:
    """Pays the number of the action; the third seat leaves after a round, and all is over after three."""

    def __init__(self, rng):
        self.played, self.luck = 0, rng

    @property
    def over(self):
        return self.played == 3

    @property
    def seats(self):
        return (1, 2, 3) if self.played == 0 else (1, 2)

    def legal(self, seat):
        return ACTIONS[seat - 1][: 2 if self.played == 1 else None]

    def step(self, actions):
        self.played += 1
        return {seat: float(ACTIONS[seat - 1].index(action)) for seat, action in actions.items()}


GAME = EnvironmentGame("ours", "three", ACTIONS, Opened(ACTIONS, ThreeRounds))


def scripted(*names):
    return [scripted_table_player(parse_player(f"scripted/{n}"), GAME, i) for i, n in enumerate(names, 1)]


def test_a_match_is_what_the_environment_says():
    assert isinstance(GAME, CourseGame)
    match = play(
        GAME,
        scripted("constant:down", "constant:right", "constant:left"),
        Horizon(9),
        np.random.default_rng(1),
    )
    assert len(match.rounds) == 3
    assert match.actions(3) == ("left", None, None)
    assert match.payoffs(1) == (1.0, 1.0, 1.0)
    log = to_log([match], source="test")
    assert log.moves["action"].tolist()[:3] == ["down", "right", "left"]
    assert log.moves["cooperated"].isna().all()


def test_a_random_player_keeps_to_what_is_legal():
    legal = [{"up", "down", "stay"}, {"up", "down"}, {"up", "down", "stay"}]
    for seed in range(50):
        players = scripted("RANDOM", "RANDOM", "RANDOM")
        match = play(GAME, players, Horizon(9), np.random.default_rng(seed))
        assert all(action in known for action, known in zip(match.actions(1), legal, strict=True))


def test_an_illegal_move_is_refused_with_what_is_possible():
    players = [ConstantPlayer("stay"), ConstantPlayer("left"), ConstantPlayer("left")]
    with pytest.raises(GameError, match=r"round 2, seat 1: action 'stay', expected one of up, down"):
        play(GAME, players, Horizon(9), np.random.default_rng(0))


def test_a_round_with_a_missing_move_is_not_stepped():
    players = [SequencePlayer([None, *["up"] * 3]), ConstantPlayer("right"), ConstantPlayer("left")]
    match = play(GAME, players, Horizon(9), np.random.default_rng(0))
    assert match.payoffs(2) == (None, 1.0, 1.0, 1.0)


def test_the_value_goes_through_json_and_opens_nothing():
    text = GAME.to_json()
    again = game_from_json(text, "any", None)
    assert again == GAME
    assert again.opened is None
    evil = {**json.loads(text), "library": "os", "environment": "system"}
    read = game_from_json(json.dumps(evil), "any", None)
    with pytest.raises(UnknownNameError, match="unknown library of environments 'os'"):
        read.course(np.random.default_rng(0))


@pytest.mark.parametrize(
    "change",
    [
        {"actions": "up"},
        {"actions": [["up", 3]]},
        {"actions": [["up", "up"]]},
        {"actions": []},
        {"library": 3},
        {"x": 1},
    ],
)
def test_rules_of_another_shape_are_refused(change):
    with pytest.raises(GameError):
        game_from_json(json.dumps({**json.loads(GAME.to_json()), **change}), "any", None)


def test_what_an_environment_does_not_tell_is_said():
    with pytest.raises(GameError, match="equilibrium play is not known of an environment"):
        GAME.equilibrium(1, {}, np.random.default_rng(0))
    with pytest.raises(GameError, match="what a joint action pays"):
        GAME.payoff(("up", "left", "left"))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("blotto", ("blotto", {})),
        ("blotto( coins=4, share=.5, zero=False )", ("blotto", {"coins": 4, "share": 0.5, "zero": False})),
        ("classic/rps-v2(num_actions=5)", ("classic/rps-v2", {"num_actions": 5})),
    ],
)
def test_names_have_parameters(text, meaning):
    assert parameters_of(text, "game") == meaning


@pytest.mark.parametrize("text", ["", "a(b", "a b", "a(1)", "__import__('os')", "a(b=1,)x"])
def test_other_forms_of_a_name_are_refused(text):
    with pytest.raises(GameError, match="expected a name such as"):
        parameters_of(text, "game")


def test_an_unknown_library_is_said():
    with pytest.raises(UnknownNameError, match="did you mean openspiel"):
        environment_game("openspeil", "matrix_pd")


@pytest.mark.parametrize(
    ("module", "name", "line"),
    [
        (
            "pyspiel",
            "openspiel:matrix_pd",
            "open-spiel is not installed; run: pip install 'strategy-intent[bridges]'",
        ),
        (
            "pettingzoo",
            "classic/rps-v2",
            "pettingzoo is not installed; run: pip install 'strategy-intent[bridges]'",
        ),
    ],
)
def test_a_missing_library_says_what_installs_it(monkeypatch, module, name, line):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError) as caught:
        game(name) if ":" in name else environment_game("pettingzoo", name)
    assert str(caught.value) == line
