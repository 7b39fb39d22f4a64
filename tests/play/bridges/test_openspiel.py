"""OpenSpiel: its games and bots here, ours there; the same moves and payoffs on both sides."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from intent.base.errors import GameError, StrategyError, UnknownNameError, UsageError
from intent.games.catalogue import game, public_goods
from intent.games.game import MatrixGame, game_from_json
from intent.play.bridges.environment import environment_game
from intent.play.bridges.openspiel import BotPlayer, player_bot, spiel_game
from intent.play.match import Horizon
from intent.play.players import ConstantPlayer, SequencePlayer, named_player
from intent.play.referee import play

pyspiel = pytest.importorskip("pyspiel", reason="pip install 'strategy-intent[bridges]'")

SEEDS = 1000


@pytest.mark.parametrize(
    "name", ["matrix_pd", "matrix_sh", "matrix_cd", "matrix_bos", "matrix_mp", "matrix_coordination"]
)
def test_payoffs_are_those_of_the_game(name):
    ours, theirs = game(f"openspiel:{name}"), pyspiel.load_game(name)
    for i, j in itertools.product((0, 1), repeat=2):
        state = theirs.new_initial_state()
        state.apply_actions([i, j])
        assert ours.payoff((ours.actions[i], ours.actions[j])) == tuple(state.returns())
    assert game_from_json(ours.to_json(), ours.name, ours.kind) == ours


@pytest.mark.parametrize("name", ["prisoner-dilemma", "battle-sexes", "public-goods", "stag-hunt"])
def test_our_games_there_pay_the_same(name):
    ours = public_goods(2) if name == "public-goods" else game(name)
    theirs, sign = spiel_game(ours), 1 if ours.kind == "reward" else -1
    for joint in itertools.product(range(2), repeat=ours.n_players):
        state = theirs.new_initial_state()
        state.apply_actions(list(joint))
        assert state.returns() == [sign * x for x in ours.payoff([ours.actions[i] for i in joint])]


def repetition(stage, bots, rounds):
    """Moves and payoffs of OpenSpiel's repeated game."""
    state = spiel_game(stage, rounds).new_initial_state()
    moves, paid = [], []
    while not state.is_terminal():
        actions = [bot.step(state) for bot in bots]
        state.apply_actions(actions)
        moves.append(tuple(stage.actions[a] for a in actions))
        paid.append(tuple(state.rewards()))
    return moves, paid


def streams(seed, n):
    """Those that `play` gives its players."""
    return np.random.default_rng(seed).spawn(1 + n)[1:]


@pytest.mark.parametrize(
    ("name", "players"),
    [
        ("openspiel:matrix_pd", [("TFT", 0.1), ("GTFT(0.3)", 0.05)]),
        pytest.param("prisoner-dilemma", [("WSLS", 0.2), ("RANDOM", 0.0)], marks=pytest.mark.slow),
        pytest.param(
            "public-goods", [("GRUDGER", 0.1), ("TFT", 0.1), ("RANDOM", 0.0)], marks=pytest.mark.slow
        ),
    ],
)
def test_our_players_move_alike_in_both_over_1000_seeds(name, players):
    stage, rounds = game(name), 6
    several = "majority" if stage.n_players > 2 else None
    sign = 1 if stage.kind == "reward" else -1
    seated = [named_player(n, eps, others=several) for n, eps in players]
    for seed in range(SEEDS):
        here = play(stage, seated, Horizon(rounds), np.random.default_rng(seed))
        bots = [
            player_bot(player, stage, seat, rng)
            for seat, (player, rng) in enumerate(zip(seated, streams(seed, len(seated)), strict=True), 1)
        ]
        moves, paid = repetition(stage, bots, rounds)
        assert moves == [one.actions for one in here.rounds]
        assert paid == [tuple(sign * x for x in one.payoffs) for one in here.rounds]


def test_a_bot_moves_alike_in_both_over_1000_seeds():
    stage = game("openspiel:matrix_pd")
    seated, long = [BotPlayer("uniform_random"), BotPlayer("uniform_random")], spiel_game(stage, 100_000)
    for seed in range(SEEDS):
        here = play(stage, seated, Horizon(5), np.random.default_rng(seed))
        seeds = [int(rng.integers(2**31)) for rng in streams(seed, 2)]
        bots = [pyspiel.load_bot("uniform_random", long, at, {"seed": s}) for at, s in enumerate(seeds)]
        moves, _ = repetition(stage, bots, 5)
        assert moves == [one.actions for one in here.rounds]


@pytest.mark.parametrize("name", ["matrix_rps", "matching_pennies_3p", "blotto(coins=3,fields=2,players=3)"])
def test_games_of_more_actions_or_players_pay_the_same_over_1000_seeds(name):
    ours, theirs = environment_game("openspiel", name), pyspiel.load_game(name.replace(")", ")"))
    legal = theirs.new_initial_state().legal_actions(0)
    assert ours.n_players == theirs.num_players()
    assert [len(labels) for labels in ours.actions_by_seat] == [len(legal)] * ours.n_players
    for seed in range(SEEDS):
        moves = np.random.default_rng(seed).integers(len(legal), size=(3, ours.n_players))
        players = [
            SequencePlayer([ours.actions_by_seat[s][m] for m in moves[:, s]]) for s in range(ours.n_players)
        ]
        match = play(ours, players, Horizon(3), np.random.default_rng(seed))
        for row, one in zip(moves, match.rounds, strict=True):
            state = theirs.new_initial_state()
            state.apply_actions([legal[m] for m in row])
            assert one.payoffs == tuple(state.returns())


def test_chance_before_and_after_the_move_is_drawn_from_the_seed():
    weather = environment_game("openspiel", weather_game)
    paid = []
    for seed in range(400):
        players = [ConstantPlayer("go"), ConstantPlayer("stay")]
        match = play(weather, players, Horizon(3), np.random.default_rng(seed))
        paid += match.payoffs(1)
        again = play(weather, players, Horizon(3), np.random.default_rng(seed))
        assert again.payoffs(1) == match.payoffs(1)
    shares = [paid.count(value) / len(paid) for value in (-1.0, 1.0, 9.0, 11.0)]
    assert shares == pytest.approx([0.3 * 0.5, 0.3 * 0.5, 0.7 * 0.5, 0.7 * 0.5], abs=0.04)


def weather_game():
    """Rain (.3) or sun, then both move at once, then a coin adds or takes one; going pays ten in the sun."""
    kind = pyspiel.GameType(
        short_name="weather",
        long_name="weather",
        dynamics=pyspiel.GameType.Dynamics.SIMULTANEOUS,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.ONE_SHOT,
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=2,
        max_chance_outcomes=2,
        num_players=2,
        min_utility=-1.0,
        max_utility=11.0,
        utility_sum=None,
        max_game_length=1,
    )

    class State(pyspiel.State):
        def __init__(self, game):
            super().__init__(game)
            self.drawn, self.moves = [], None

        def current_player(self):
            if len(self.drawn) == 2:
                return pyspiel.PlayerId.TERMINAL
            chance = not self.drawn or self.moves is not None
            return pyspiel.PlayerId.CHANCE if chance else pyspiel.PlayerId.SIMULTANEOUS

        def _legal_actions(self, player):
            return [0, 1]

        def chance_outcomes(self):
            return [(0, 0.3), (1, 0.7)] if not self.drawn else [(0, 0.5), (1, 0.5)]

        def _apply_action(self, action):
            self.drawn.append(action)

        def _apply_actions(self, actions):
            self.moves = list(actions)

        def _action_to_string(self, player, action):
            return ("go", "stay")[action]

        def is_terminal(self):
            return len(self.drawn) == 2

        def returns(self):
            return [10.0 * self.drawn[0] * (move == 0) + (2 * self.drawn[1] - 1) for move in self.moves]

    class Weather(pyspiel.Game):
        def __init__(self):
            super().__init__(kind, info, {})

        def new_initial_state(self):
            return State(self)

    return Weather()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "tic_tac_toe",
            "is sequential: its players move in turn; possible are games of one simultaneous move",
        ),
        ("kuhn_poker", "is sequential"),
        ("goofspiel", "takes several moves; possible are"),
        ("markov_soccer", "takes several moves"),
        ("matrix_rps", "has 3 by 3 actions; expected two players with two actions each"),
        ("matching_pennies_3p", "has 2 by 2 by 2 actions"),
        ("nfg_game(filename=/etc/passwd)", "a parameter that is a text, expected numbers"),
        ("matrix_pd(", "expected a name such as"),
    ],
)
def test_what_is_no_matrix_game_is_a_line_that_says_what_is_possible(name, words):
    with pytest.raises(GameError, match=words.replace("(", r"\(")) as caught:
        game(f"openspiel:{name}")
    assert "\n" not in str(caught.value)


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean matrix_pd"):
        game("openspiel:matrix_pdd")
    with pytest.raises(UnknownNameError, match="did you mean uniform_random"):
        BotPlayer("uniform_rand")


def test_bots_have_noise_and_gaps():
    stage = game("prisoner-dilemma-trps")
    first = BotPlayer("fixed_action_preference", eps=0.4)
    match = play(stage, [first, SequencePlayer(["C", None] * 100)], Horizon(200), np.random.default_rng(3))
    assert 0.3 < match.actions(1).count("D") / 200 < 0.5
    assert first.columns == {"strategy": "openspiel:fixed_action_preference"}
    with pytest.raises(StrategyError):
        BotPlayer("uniform_random", eps=0.7)


def test_a_bot_that_names_no_action_is_refused():
    class Beyond(pyspiel.Bot):
        def step(self, state):
            return 7

        def inform_actions(self, state, actions):
            pass

    with pytest.raises(GameError, match="action 7, expected one of 2 actions"):
        play(
            game("pd"),
            [BotPlayer(lambda *_: Beyond()), named_player("TFT")],
            Horizon(2),
            np.random.default_rng(0),
        )


def test_a_bot_that_does_not_play_the_game_is_said():
    with pytest.raises(UsageError, match="does not play this game"):
        play(
            game("pd"),
            [BotPlayer("uniform_restricted_actions"), named_player("TFT")],
            Horizon(2),
            np.random.default_rng(0),
        )


def test_a_bot_that_a_function_makes_sits_in_a_seat_of_ours():
    def uniform(made, player, seed):
        return pyspiel.make_uniform_random_bot(player, seed)

    match = play(game("pd"), [BotPlayer(uniform), named_player("TFT")], Horizon(30), np.random.default_rng(5))
    assert set(match.actions(1)) == {"OptionA", "OptionB"}


def test_a_state_that_does_not_follow_is_read_anew():
    stage = game("prisoner-dilemma-trps")
    bot = player_bot(named_player("TFT"), stage, 1, np.random.default_rng(0))
    state = spiel_game(stage, 3).new_initial_state()
    state.apply_actions([0, 1])
    assert bot.step(state) == 1
    other = spiel_game(stage, 3).new_initial_state()
    other.apply_actions([0, 0])
    assert bot.step(other) == 0
    bot.restart_at(state)
    assert bot.step(state) == 1


def test_games_without_a_table_are_not_shown_to_openspiel():
    from intent.gamma.catalogue import gamma_game

    with pytest.raises(GameError, match="expected one"):
        spiel_game(gamma_game("bar"))
    with pytest.raises(GameError, match="16 at most"):
        spiel_game(public_goods(2, n_players=20))


def test_an_experiment_names_games_and_bots(tmp_path):
    from intent import play_experiment

    file = tmp_path / "spiel.yaml"
    file.write_text(
        "game: openspiel:matrix_pd\nrounds: 5\nplayers: [scripted/TFT, 'scripted/openspiel:uniform_random']\n"
        "repetitions: 4\n"
    )
    log = play_experiment(file, tmp_path / "run").log
    assert set(log.games["game"]) == {"openspiel:matrix_pd"}
    assert set(log.seats["strategy"]) == {"TFT", "openspiel:uniform_random"}
    assert isinstance(game_from_json(log.games["payoffs"][0], "x", "reward"), MatrixGame)


def test_generate_plays_against_a_bot():
    from intent import generate

    log = generate("TFT,ALLD", 6, rounds=4, opponent="openspiel:uniform_random", seed=1)
    assert len(log) == 6
    assert set(log.seats.query("seat == 2")["strategy"]) == {"openspiel:uniform_random"}
