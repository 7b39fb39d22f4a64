"""The synchronous driver."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.errors import GameError
from intent.games.catalogue import game
from intent.play.match import Horizon, View
from intent.play.players import AutomatonPlayer, ConstantPlayer, SequencePlayer
from intent.play.referee import play
from intent.strategies.catalogue import strategy

PD = game("prisoner-dilemma-trps")


def noisy(seed: int, other: str = "RANDOM") -> tuple[str | None, ...]:
    players = [AutomatonPlayer(strategy("TFT"), 0.3), AutomatonPlayer(strategy(other))]
    return play(PD, players, Horizon(30), np.random.default_rng(seed)).actions(1)


def test_same_seed_same_match() -> None:
    assert noisy(1) == noisy(1) != noisy(2)


def test_a_player_draws_from_its_own_stream() -> None:
    class Greedy(ConstantPlayer):
        def act(self, view: View, rng: np.random.Generator) -> str:
            rng.random(view.round)
            return self.action

    def first_seat(other: ConstantPlayer) -> tuple[str | None, ...]:
        players = [AutomatonPlayer(strategy("RANDOM")), other]
        return play(PD, players, Horizon(20), np.random.default_rng(1)).actions(1)

    assert first_seat(Greedy("C")) == first_seat(ConstantPlayer("C"))


def test_stop_rules_and_descriptions_reach_the_match(rng: np.random.Generator) -> None:
    players = [AutomatonPlayer(strategy("TFT")), SequencePlayer("DDDD")]
    match = play(PD, players, Horizon(4), rng, stop=["DD"], columns={"language": "en"})
    assert match.payoffs(1) == (0, 1)
    assert match.seats == ({"strategy": "TFT"}, {})
    assert match.columns == {"language": "en"}


def test_one_player_per_seat(rng: np.random.Generator) -> None:
    with pytest.raises(GameError, match="1 players, expected 2"):
        play(PD, [ConstantPlayer("C")], Horizon(1), rng)


def test_players_that_can_speak_do(rng: np.random.Generator) -> None:
    class Announces(SequencePlayer):
        def speak(self, view: View, rng: np.random.Generator) -> str:
            return f"{self.actions[view.round - 1]} after {view.messages}"

    players = [ConstantPlayer("C"), Announces("CD")]
    match = play(PD, players, Horizon(2), rng, communication="sequential")
    assert [r.moves[1].message for r in match.rounds] == ["C after ((1, None),)", "D after ((1, None),)"]
    assert [r.moves[0].message for r in match.rounds] == [None, None]
    assert play(PD, players, Horizon(2), rng).rounds[0].moves[1].message is None
