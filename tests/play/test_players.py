"""Players without a language model, one match at a time."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.errors import GameError, StrategyError
from intent.games.catalogue import game, public_goods
from intent.games.game import Game
from intent.play.match import Horizon
from intent.play.players import AutomatonPlayer, ConstantPlayer, SequencePlayer
from intent.play.referee import Referee, play
from intent.strategies.catalogue import Strategy, catalogue, strategy
from intent.strategies.likelihood import log_likelihood
from intent.strategies.sets import strategy_set

PD = game("prisoner-dilemma-trps")


def against(name: str, other: str, rng: np.random.Generator, stage: Game = PD) -> str:
    """What a strategy plays against given moves, C and D as the game's labels say."""
    labels = {
        "C": stage.cooperative_action(2),
        "D": next(a for a in stage.actions if a != stage.cooperative_action(2)),
    }
    players = [AutomatonPlayer(strategy(name)), SequencePlayer([labels[m] for m in other])]
    match = play(stage, players, Horizon(len(other)), rng)
    return "".join("C" if action == stage.cooperative_action(1) else "D" for action in match.actions(1))


@pytest.mark.parametrize(
    ("name", "other", "own"),
    [
        ("TFT", "CDDCC", "CCDDC"),
        ("WSLS", "CDDDC", "CCDCD"),
        ("GRUDGER", "CDCCC", "CCDDD"),
        ("DTFT", "CCDCC", "DCCDC"),
    ],
)
@pytest.mark.parametrize("stage", ["prisoner-dilemma-trps", "prisoner-dilemma", "snow-drift", "delight"])
def test_literal_play_whatever_the_labels(
    name: str, other: str, own: str, stage: str, rng: np.random.Generator
) -> None:
    assert against(name, other, rng, game(stage)) == own


@pytest.mark.parametrize("row", [*catalogue(), *strategy_set("rr20")], ids=lambda s: f"{s.name}-{s.memory}")
def test_play_without_noise_is_never_impossible(row: Strategy, rng: np.random.Generator) -> None:
    players = [AutomatonPlayer(row), AutomatonPlayer(strategy("RANDOM"))]
    match = play(PD, players, Horizon(40), rng)
    own, other = (np.array([[a == "C" for a in match.actions(seat)]], dtype=np.int8) for seat in (1, 2))
    assert np.isfinite(log_likelihood(own, other, None, [row], 0.0)).all()


def test_noise_flips_at_its_rate(rng: np.random.Generator) -> None:
    players = [AutomatonPlayer(strategy("ALLC"), eps=0.1), ConstantPlayer("D")]
    moves = play(PD, players, Horizon(4000), rng).actions(1)
    assert abs(moves.count("D") / 4000 - 0.1) < 4 * (0.1 * 0.9 / 4000) ** 0.5


@pytest.mark.parametrize("name", ["GRIM", "TFT", "T2", "GTFT"])
def test_a_resumed_player_goes_on_as_if_never_interrupted(name: str, rng: np.random.Generator) -> None:
    referee, player = Referee(PD, Horizon(30)), AutomatonPlayer(strategy(name), eps=0.2)
    while not referee.over:
        view = referee.view(1)
        resumed = AutomatonPlayer(strategy(name), eps=0.2).act(view, np.random.default_rng(view.round))
        assert player.act(view, np.random.default_rng(view.round)) == resumed
        referee.submit(1, resumed)
        referee.submit(2, "C" if rng.random() < 0.7 else "D")


def test_a_player_starts_afresh_in_a_new_match(rng: np.random.Generator) -> None:
    grim = AutomatonPlayer(strategy("GRIM"))
    for _ in range(2):
        assert play(PD, [grim, SequencePlayer("DC")], Horizon(2), rng).actions(1) == ("C", "D")


def test_intentions_survive_noise_where_they_are_remembered(rng: np.random.Generator) -> None:
    (grim,) = (s.with_memory("intended") for s in strategy_set("GRIM"))
    match = play(PD, [AutomatonPlayer(grim, eps=0.3), ConstantPlayer("C")], Horizon(400), rng)
    assert 0.6 < match.actions(1).count("C") / 400 < 0.8


@pytest.mark.parametrize(("others", "own"), [("any", "CCCD"), ("majority", "CCDD"), ("all", "CDDD")])
def test_more_than_two_players_are_read_as_one(others: str, own: str, rng: np.random.Generator) -> None:
    stage = public_goods(2, n_players=4)
    give, keep = stage.actions
    rounds = [(give, give, keep), (give, keep, keep), (keep, keep, keep), (give, give, give)]
    players = [AutomatonPlayer(strategy("TFT"), others=others)]  # type: ignore[arg-type]
    match = play(stage, [*players, *map(SequencePlayer, zip(*rounds, strict=True))], Horizon(4), rng)
    assert "".join("C" if a == give else "D" for a in match.actions(1)) == own


def test_a_missing_move_leaves_the_automaton_where_it_was(rng: np.random.Generator) -> None:
    match = play(PD, [AutomatonPlayer(strategy("TFT")), SequencePlayer(["D", None, "C"])], Horizon(3), rng)
    assert match.actions(1) == ("C", "D", "D")


def test_what_cannot_be_played_is_refused(rng: np.random.Generator) -> None:
    tft = AutomatonPlayer(strategy("TFT"))
    with pytest.raises(GameError, match="battle-sexes has no cooperative action for seat 1"):
        play(game("battle-sexes"), [tft, tft], Horizon(2), rng)
    with pytest.raises(GameError, match="expected others='any'"):
        play(public_goods(2), [tft] * 3, Horizon(2), rng)
    with pytest.raises(GameError, match="no action for round 2, only 1 given"):
        play(PD, [tft, SequencePlayer(["C"])], Horizon(2), rng)
    with pytest.raises(StrategyError, match=r"expected \[0, .5\)"):
        AutomatonPlayer(strategy("TFT"), eps=0.5)


def test_one_player_in_two_matches_at_once_keeps_them_apart(rng: np.random.Generator) -> None:
    """GRUDGER met a defection in the first match only."""
    player = AutomatonPlayer(strategy("GRUDGER"))
    tables = [Referee(game("prisoner-dilemma-trps"), Horizon(3)) for _ in range(2)]
    played: list[str] = ["", ""]
    for number in range(3):
        for i, table in enumerate(tables):
            action = player.act(table.view(1), rng)
            played[i] += action
            table.submit(1, action)
            table.submit(2, "D" if (i, number) == (0, 0) else "C")
    assert played == ["CDD", "CCC"]


def test_the_first_action_may_stand_in_for_cooperation(rng: np.random.Generator) -> None:
    """In the battle of the sexes TFT then goes where the other went."""
    stage = game("battle-sexes")
    a, b = stage.actions
    players = [AutomatonPlayer(strategy("TFT"), stand_in=a), SequencePlayer([b, a, b])]
    assert play(stage, players, Horizon(3), rng).actions(1) == (a, b, a)


def test_a_sequence_may_be_repeated_and_noisy(rng: np.random.Generator) -> None:
    players = [SequencePlayer("CDD", repeat=True), SequencePlayer("C", 0.1, repeat=True)]
    match = play(PD, players, Horizon(4000), rng)
    assert "".join(map(str, match.actions(1)[:7])) == "CDDCDDC"
    assert abs(match.actions(2).count("D") / 4000 - 0.1) < 4 * (0.1 * 0.9 / 4000) ** 0.5
