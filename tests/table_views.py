"""What seats of the gamma-bench games see as a match goes on, for tests of prompts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from intent.agents.plan import GamePlan, SeatPlan
from intent.games.game import CourseGame
from intent.gamma.catalogue import gamma_game
from intent.play.match import View
from intent.play.referee import Referee

SMALL: Mapping[str, dict[str, Any]] = {"battle_royale": {"lowest": 10}, "pirate": {"gold": 4}}
"""Parameters that keep a small game going for some rounds."""


def table_of(name: str, n_players: int = 4, rounds: int = 4, **fields: Any) -> GamePlan:
    """A plan of a game; ``seat`` holds what all seats have, ``parameters`` those of the game."""
    seat = {"player": "openai/none", **fields.pop("seat", {})}
    parameters = {**SMALL.get(name, {}), **fields.pop("parameters", {})}
    stage = fields.pop("stage", None) or gamma_game(name, n_players=n_players, **parameters)
    seats = tuple(SeatPlan(name=f"player_{i}", **seat) for i in range(1, stage.n_players + 1))
    return GamePlan.of(stage, game_id="g", rounds=rounds, seats=seats, prompts="gamma", **fields)


def views_of(
    plan: GamePlan, missing: Collection[tuple[int, int]] = (), seed: int = 1, rejected: bool = True
) -> Iterator[View]:
    """All views of a match of random players, before each move; `missing` holds (round, seat).

    Pirates vote against everything, unless they are not to be `rejected`, so that the game goes on.
    """
    game = plan.stage()
    assert isinstance(game, CourseGame)
    referee = Referee(game, plan.horizon(), rng=np.random.default_rng(seed))
    rng = np.random.default_rng(seed + 1)
    while not referee.over:
        for seat in referee.pending():
            view = referee.view(seat)
            yield view
            action = None
            if (view.round, seat) not in missing:
                legal = game.legal(seat, view.question)
                action = (
                    game.equilibrium(seat, view.question, rng) if legal is None else str(rng.choice(legal))
                )
                if rejected and view.question.get("role") == "vote":
                    action = legal[-1] if legal else None
            referee.submit(seat, action, "parsed" if action else "missing")


def last_view(plan: GamePlan, seat: int, **how: Any) -> View:
    """The last view of a seat in such a match."""
    return [view for view in views_of(plan, **how) if view.seat == seat][-1]
