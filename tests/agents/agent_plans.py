"""Plans of games for tests, and a short driver of agents that ask no model."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np

from intent.agents.agent import Agent, Ask
from intent.agents.plan import GamePlan, SeatPlan
from intent.games.catalogue import game, public_goods
from intent.games.game import Game
from intent.play.referee import Referee
from intent.play.rounds import Match

BATTLE, GOODS = game("battle-sexes"), public_goods(2)


def plan_of(
    *players: str, stage: Game | str = "prisoner-dilemma-trps", rounds: int = 4, **fields: Any
) -> GamePlan:
    """A plan with these players; ``others`` goes to every seat."""
    of_seat = {key: fields.pop(key) for key in ("others",) if key in fields}
    chosen = game(stage) if isinstance(stage, str) else stage
    return GamePlan(
        game_id="g",
        game=chosen.name,
        payoffs=chosen.to_json(),
        payoff_kind=chosen.kind,
        rounds=rounds,
        seats=tuple(SeatPlan(player=p, name=f"agent{i}", **of_seat) for i, p in enumerate(players, start=1)),
        **fields,
    )


async def no_model(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("nobody here asks a model")


async def played(plan: GamePlan, agents: tuple[Agent, ...], seed: int = 0) -> Match:
    """The match that the agents play, all who are pending at once."""
    ask: Ask = no_model
    of_horizon, *of_seat = np.random.default_rng(seed).spawn(1 + len(agents))
    referee = Referee(
        plan.stage(), plan.horizon(), stop=plan.stop, communication=plan.communication, rng=of_horizon
    )
    while not referee.over:
        speaking, seats = referee.phase == "message", referee.pending()
        turns = [
            (agents[s - 1].speak if speaking else agents[s - 1].choose)(referee.view(s), ask, of_seat[s - 1])
            for s in seats
        ]
        for seat, decision in zip(seats, await asyncio.gather(*turns), strict=True):
            if speaking:
                referee.speak(seat, decision.message)
            else:
                referee.submit(seat, decision.action, decision.status)
    columns = tuple(dict(agent.columns) for agent in agents)
    return Match(plan.stage(), plan.horizon(), referee.record, columns, {"game_id": plan.game_id})


def moves(match: Match, seat: int) -> str:
    """The last letter of every action: C and D, or A and B of OptionA and OptionB."""
    return "".join("?" if action is None else action[-1] for action in match.actions(seat))
