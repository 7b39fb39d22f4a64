"""Our players, fitted models among them, in the Axelrod library; the same moves and payoffs on both sides."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from axelrod_players import quiet_axelrod

from intent import Tracker, fit_model, generate
from intent.base.errors import GameError, UnknownNameError
from intent.games.catalogue import game
from intent.play.bridges.axelrod import LibraryPlayer, axelrod_game, axelrod_player
from intent.play.match import Horizon
from intent.play.players import ConstantPlayer, SequencePlayer, named_player
from intent.play.referee import play

pytestmark = pytest.mark.axelrod

SEEDS, ROUNDS = 1000, 8
STAGE = game("prisoner-dilemma-trps")


@pytest.fixture(scope="module")
def axl():
    try:
        return quiet_axelrod()
    except ImportError:
        pytest.skip("pip install 'strategy-intent[axelrod]'")


@pytest.fixture(scope="module")
def fits(tmp_path_factory):
    """Folders of a mixture of responses, of automata and of a regression, as ``intent fit`` writes them."""
    log = generate("canonical4", 400, rounds=10, eps=0.05, seed=3)
    root = tmp_path_factory.mktemp("fits")
    folders = {}
    for model in ("memory-two:2", "automata:canonical4", "logit"):
        folders[model] = root / model.replace(":", "-")
        fit_model(log, model, output=folders[model])
    return folders


def both_sides(axl, ours, rival: str, seeds: int = SEEDS) -> None:
    """A player of ours against one of the library, in our referee and in the library's match."""
    there, theirs = axelrod_player(ours), getattr(axl, rival)()
    here, library = named_player(ours), LibraryPlayer(rival)
    match = axl.Match([there, theirs], turns=ROUNDS)
    pay = axelrod_game(STAGE)
    for seed in range(seeds):
        played = play(STAGE, [here, library], Horizon(ROUNDS, known=False), np.random.default_rng(seed))
        _, _, of_library = np.random.default_rng(seed).spawn(3)
        for player in (there, theirs):
            player.reset()
        there.set_seed(0)
        there._stream = np.random.default_rng(seed).spawn(3)[1]
        theirs.set_seed(int(of_library.integers(2**31)))
        joint = [match.simultaneous_play(there, theirs) for _ in range(ROUNDS)]
        assert [tuple(map(str, pair)) for pair in joint] == [one.actions for one in played.rounds]
        assert [pay.score(pair) for pair in joint] == [one.payoffs for one in played.rounds]


@pytest.mark.slow
@pytest.mark.parametrize("ours", ["TFT", "GTFT(0.3)", "WSLS", "RANDOM"])
def test_strategies_move_alike_on_both_sides_over_1000_seeds(axl, ours):
    both_sides(axl, ours, "Random")


@pytest.mark.slow
@pytest.mark.parametrize("model", ["memory-two:2", "automata:canonical4"])
def test_fitted_models_move_alike_on_both_sides_over_1000_seeds(axl, fits, model):
    both_sides(axl, fits[model], "Random")


def test_models_that_are_asked_anew_move_alike_too(axl, fits):
    both_sides(axl, fits["logit"], "TitForTat", seeds=5)


def test_a_match_of_the_library_is_repeated_by_its_seed(axl, fits):
    def moves(seed):
        return axl.Match([axelrod_player(fits["memory-two:2"]), axl.Random()], turns=20, seed=seed).play()

    assert moves(1) == moves(1)
    assert moves(1) != moves(2)


def test_a_fitted_model_moves_as_often_as_its_tracker_says(axl, fits):
    """The share of C in the first round against the probability that the tracker gives."""
    player = axelrod_player(fits["memory-two:2"])
    expected = Tracker(fits["memory-two:2"]).belief.next_move
    first = []
    for seed in range(SEEDS):
        player.reset()
        player.set_seed(seed)
        first.append(str(player.strategy(axl.Cooperator())) == "C")
    assert np.mean(first) == pytest.approx(expected, abs=4 * np.sqrt(0.25 / SEEDS))


def test_tournaments_clones_and_pickles(axl, fits):
    entrants = [axelrod_player("TFT"), axelrod_player(fits["memory-two:2"]), axl.Defector()]
    results = axl.Tournament(entrants, turns=5, repetitions=2, seed=1).play(progress_bar=False)
    assert sorted(results.ranked_names) == ["Defector", "intent TFT", "intent memory-two-2"]
    again = pickle.loads(pickle.dumps(entrants[1]))  # noqa: S301 - our own bytes
    for player in (again, entrants[1].clone()):
        assert (
            axl.Match([player, axl.Defector()], turns=9, seed=4).play()
            == axl.Match([entrants[1], axl.Defector()], turns=9, seed=4).play()
        )


def test_self_play_has_two_memories(axl):
    """A clone that plays beside the player must not look into its state."""
    player = axelrod_player("TFT", eps=0.3)
    first, second = axl.Match([player, player.clone()], turns=200, seed=3).play()[0:2]
    moves = axl.Match([player, player.clone()], turns=200, seed=3).play()
    assert moves[:2] == [first, second]
    assert [str(a) for a, _ in moves] != [str(b) for _, b in moves]


def test_sure_strategies_are_no_chance_to_the_library(axl):
    stochastic = axl.Classifiers["stochastic"]
    assert not stochastic(axelrod_player("GRUDGER"))
    assert stochastic(axelrod_player("GRUDGER", eps=0.1))
    assert stochastic(axelrod_player("GTFT(0.1)"))
    assert (
        axl.Match([axelrod_player("GRUDGER"), axl.Alternator()], turns=5).play()
        == axl.Match([axl.Grudger(), axl.Alternator()], turns=5).play()
    )


def test_noise_of_the_library_is_what_a_player_sees(axl):
    """State moves on what was played: TFT answers the flipped move."""
    moves = axl.Match([axelrod_player("TFT"), axl.Cooperator()], turns=300, noise=0.2, seed=2).play()
    theirs = axl.Match([axl.TitForTat(), axl.Cooperator()], turns=300, noise=0.2, seed=2).play()
    assert moves == theirs


def test_payoffs_are_those_of_the_game(axl):
    for name in ("prisoner-dilemma-trps", "prisoner-dilemma", "delight", "stag-hunt"):
        stage = game(name)
        labels = [
            stage.cooperative_action(1),
            next(a for a in stage.actions if a != stage.cooperative_action(1)),
        ]
        sign, pay = 1 if stage.kind == "reward" else -1, axelrod_game(stage)
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            pair = tuple(axl.Action.C if k == 0 else axl.Action.D for k in (i, j))
            assert pay.score(pair) == tuple(sign * x for x in stage.payoff((labels[i], labels[j])))


def test_what_cannot_play_is_a_line(axl):
    with pytest.raises(UnknownNameError, match="did you mean TFT"):
        axelrod_player("TFTT")
    with pytest.raises(GameError, match="no cooperative action for seat 1"):
        axelrod_player("TFT", game("battle-sexes"))
    player = axelrod_player(SequencePlayer([None]))
    with pytest.raises(GameError, match="no move, expected one in every round"):
        axl.Match([player, axl.Defector()], turns=1).play()
    assert "SequencePlayer" in axelrod_player(SequencePlayer(["C"])).name
    assert axl.Match([axelrod_player(ConstantPlayer("D")), axl.Cooperator()], turns=2).final_score() is None
