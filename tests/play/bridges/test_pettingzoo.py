"""PettingZoo: our games pass its own tests and play as our referee does; its environments are games here."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from intent.base.errors import GameError, UnknownNameError
from intent.games.catalogue import game, public_goods
from intent.play.bridges.environment import environment_game
from intent.play.bridges.pettingzoo import parallel_env
from intent.play.match import Horizon
from intent.play.players import ConstantPlayer, SequencePlayer, named_player
from intent.play.referee import play

pytest.importorskip("pettingzoo", reason="pip install 'strategy-intent[bridges]'")

SEEDS = 1000

GAMES = [
    (game("prisoner-dilemma"), 10),
    (game("battle-sexes"), Horizon(20, continuation=0.8)),
    (public_goods(2, n_players=4), Horizon(5, known=False)),
]


@pytest.mark.parametrize(("stage", "horizon"), GAMES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning:pettingzoo.*")
def test_our_games_pass_their_tests(stage, horizon, capsys):
    from pettingzoo.test import parallel_api_test, parallel_seed_test

    parallel_api_test(parallel_env(stage, horizon), num_cycles=50)
    within = {2: ConstantPlayer(stage.actions[1])}
    parallel_api_test(parallel_env(stage, horizon, within), num_cycles=50)
    parallel_seed_test(lambda: parallel_env(stage, horizon, implementation_error=0.1), num_cycles=50)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("error", [0.0, 0.1])
def test_players_within_move_as_in_our_referee_over_1000_seeds(error):
    stage, free = game("prisoner-dilemma"), ["OptionA", "OptionB", "OptionB", "OptionA", "OptionA", "OptionB"]
    player, lone = named_player("GTFT(0.3)", eps=0.1), SequencePlayer(free)
    env = parallel_env(stage, 6, {2: player}, implementation_error=error)
    for seed in range(SEEDS):
        here = play(
            stage, [lone, player], Horizon(6), np.random.default_rng(seed), implementation_error=error
        )
        seen, _ = env.reset(seed=seed)
        moves, paid = [], []
        for action in free:
            seen, rewards, *_ = env.step({"seat_1": stage.actions.index(action)})
            moves.append(tuple(stage.actions[a] for a in seen["seat_1"]))
            paid.append(rewards["seat_1"])
        assert not env.agents
        assert moves == [one.actions for one in here.rounds]
        assert paid == [-one.payoffs[0] for one in here.rounds]


def test_each_agent_sees_its_own_move_first():
    env = parallel_env(public_goods(2), 2)
    seen, infos = env.reset(seed=1)
    assert seen["seat_2"].tolist() == [2, 2, 2]
    assert infos["seat_1"] == {"round": 0, "actions": ("OptionA", "OptionB")}
    seen, rewards, ended, cut, _ = env.step({"seat_1": 0, "seat_2": 1, "seat_3": 1})
    assert seen["seat_2"].tolist() == [1, 0, 1]
    assert env.state().tolist() == [0, 1, 1]
    assert rewards["seat_1"] == pytest.approx(20 / 3 - 10)
    assert not any(ended.values())
    *_, ended, cut, _ = env.step({"seat_1": 0, "seat_2": 1, "seat_3": 1})
    assert all(ended.values())
    assert not any(cut.values())
    assert env.agents == []


@pytest.mark.parametrize(
    "actions",
    [
        {},
        {"seat_1": 0},
        {"seat_1": 0, "seat_2": 2},
        {"seat_1": 0, "seat_2": "C"},
        {"seat_1": -1, "seat_2": 0},
    ],
)
def test_illegal_actions_are_a_line(actions):
    env = parallel_env(game("pd"), 3)
    env.reset(seed=0)
    with pytest.raises(GameError, match=r"seat_\d: action .*, expected a number from 0 to 1"):
        env.step(actions)


def test_a_match_that_is_over_and_seats_that_are_not_there():
    env = parallel_env(game("pd"), 1)
    env.reset(seed=0)
    env.step({"seat_1": 0, "seat_2": 0})
    with pytest.raises(GameError, match=r"the match is over, expected reset\(\)"):
        env.step({"seat_1": 0, "seat_2": 0})
    with pytest.raises(GameError, match="at least one of 2 free"):
        parallel_env(game("pd"), 3, {1: named_player("TFT"), 2: named_player("TFT")})
    with pytest.raises(GameError, match=r"players in seats \[3\]"):
        parallel_env(game("pd"), 3, {3: named_player("TFT")})


def test_our_environment_is_a_game_here_too_over_1000_seeds():
    """There and back: the payoffs of rounds played through PettingZoo are those of the matrix."""
    stage = game("prisoner-dilemma-trps")
    there = environment_game("pettingzoo", lambda: parallel_env(stage, 4))
    assert there.actions == ("0", "1")
    for seed in range(SEEDS):
        moves = np.random.default_rng(seed).integers(2, size=(4, 2))
        players = [SequencePlayer([str(m) for m in moves[:, s]]) for s in (0, 1)]
        match = play(there, players, Horizon(9), np.random.default_rng(seed))
        assert [one.payoffs for one in match.rounds] == [
            stage.payoff([stage.actions[m] for m in row]) for row in moves
        ]


def test_rock_paper_scissors_pays_the_same_over_1000_seeds():
    pytest.importorskip("pygame", reason="pip install 'pettingzoo[classic]'")
    import pettingzoo

    ours = environment_game("pettingzoo", "classic/rps-v2(num_actions=5)")
    assert ours.actions == ("0", "1", "2", "3", "4")
    theirs = pettingzoo.make("parallel", "classic/rps-v2", num_actions=5)
    for seed in range(SEEDS):
        moves = np.random.default_rng(seed).integers(5, size=(3, 2))
        players = [SequencePlayer([str(m) for m in moves[:, s]]) for s in (0, 1)]
        match = play(ours, players, Horizon(3), np.random.default_rng(seed))
        theirs.reset(seed=seed)
        for row, one in zip(moves, match.rounds, strict=True):
            paid = theirs.step({"player_0": int(row[0]), "player_1": int(row[1])})[1]
            assert one.payoffs == (paid["player_0"], paid["player_1"])
    assert (
        len(
            play(
                ours, players[:0] + [SequencePlayer(["0"] * 99)] * 2, Horizon(99), np.random.default_rng(0)
            ).rounds
        )
        == 15
    )


def test_masks_say_what_is_legal():
    from gymnasium import spaces

    class Masked:
        possible_agents = ("a", "b")

        def __init__(self):
            self.agents = ["a", "b"]

        def action_space(self, agent):
            return spaces.Discrete(3, start=5)

        def _seen(self):
            return {agent: {"action_mask": np.array([1, 0, 1])} for agent in self.agents}, {}

        def reset(self, seed=None, options=None):
            return self._seen()

        def step(self, actions):
            assert set(actions.values()) <= {5, 7}
            return self._seen()[0], dict.fromkeys(actions, 2.0), {}, {}, {}

        def close(self):
            pass

    made = environment_game("pettingzoo", Masked)
    assert made.actions == ("5", "6", "7")
    assert play(
        made, [SequencePlayer(["5"]), SequencePlayer(["7"])], Horizon(1), np.random.default_rng(0)
    ).payoffs(1) == (2.0,)
    with pytest.raises(GameError, match="action '6', expected one of 5, 7"):
        play(made, [SequencePlayer(["5"]), SequencePlayer(["6"])], Horizon(1), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("classic/chess-v6", "is sequential: its agents move in turn; possible are parallel environments"),
        ("classic/rps-v2(num_actions=4)", "cannot be made: The number of actions must be an odd number"),
        ("os.system", "unknown parallel environment of PettingZoo"),
    ],
)
def test_what_cannot_be_a_game_is_a_line(name, words):
    with pytest.raises((GameError, UnknownNameError), match=words):
        environment_game("pettingzoo", name)


def test_actions_that_are_no_numbers_are_refused():
    from gymnasium import spaces

    class Continuous:
        possible_agents = ("a",)

        def action_space(self, agent):
            return spaces.Box(0, 1)

    with pytest.raises(GameError, match="has actions of kind Box; possible are"):
        environment_game("pettingzoo", Continuous)


def test_an_environment_is_no_matrix_game():
    with pytest.raises(GameError, match="is an environment without a payoff table"):
        game("pettingzoo:classic/rps-v2")


def test_the_value_of_a_game_says_nothing_of_an_open_environment():
    made = environment_game("pettingzoo", lambda: parallel_env(game("pd"), 2))
    assert made.to_json().startswith('{"rules":"environment","library":"pettingzoo"')
    assert copy.deepcopy(type(made)(made.library, made.environment, made.actions_by_seat)) == made
