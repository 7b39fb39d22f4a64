"""Plans and games in progress that the tests of prompts put into words."""

from __future__ import annotations

from typing import Any

import numpy as np

from intent.agents.plan import GamePlan, SeatPlan
from intent.games.catalogue import game as named
from intent.play.match import View
from intent.play.referee import Referee

NAMES = ("Ann", "Bob", "Cleo")


def plan(game: str = "prisoner-dilemma", language: str = "en", **changes: Any) -> GamePlan:
    """A plan of ten rounds with a cooperative first player and selfish others."""
    stage = changes.pop("stage", None) or named(game)
    personas = changes.pop("personas", ("cooperative", "selfish", "selfish"))
    chance = changes.pop("chance", 0)
    seats = tuple(
        SeatPlan(player="human", name=name, persona=persona, opponent_persona_probability=chance)
        for name, persona in list(zip(NAMES, personas, strict=True))[: stage.n_players]
    )
    facts = {"rounds": 10, "seats": seats, "language": language} | changes
    return GamePlan.of(stage, game_id="g", **facts)


def view(of: GamePlan, moves: str = "", seat: int = 1, message: str | None = None) -> View:
    """What a seat sees after rounds such as ``AB BB``; ``-`` is a missing move."""
    game = of.stage()
    referee = Referee(game, of.horizon(), rng=np.random.default_rng(1))
    for joint in moves.split():
        for at, letter in enumerate(joint, start=1):
            action = None if letter == "-" else game.actions["AB".index(letter)]
            referee.submit(at, action, "parsed" if action else "missing", message)
    return referee.view(seat)
