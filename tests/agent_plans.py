"""Plans of games for tests, and games of agents that ask no model."""

from __future__ import annotations

from typing import Any

from intent.agents.agent import Agent
from intent.agents.plan import GamePlan, SeatPlan
from intent.games.catalogue import game, public_goods
from intent.games.game import Game
from intent.play.match import Match, Round
from intent.runner.driver import play_game

BATTLE, GOODS = game("battle-sexes"), public_goods(2)


def plan_of(
    *players: str, stage: Game | str = "prisoner-dilemma-trps", rounds: int = 4, **fields: Any
) -> GamePlan:
    """A plan with these players; ``others`` goes to every seat."""
    of_seat = {key: fields.pop(key) for key in ("others",) if key in fields}
    chosen = game(stage) if isinstance(stage, str) else stage
    return GamePlan.of(
        chosen,
        game_id="g",
        rounds=rounds,
        seats=tuple(SeatPlan(player=p, name=f"agent{i}", **of_seat) for i, p in enumerate(players, start=1)),
        **fields,
    )


async def no_model(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("nobody here asks a model")


async def played(plan: GamePlan, agents: tuple[Agent, ...], seed: int = 0) -> Match:
    """The match that the agents play, as a run would drive it."""
    rounds: list[Round] = []

    def keep(played: Round, *_: Any) -> None:
        rounds.append(played)

    await play_game(plan.model_copy(update={"seed": seed}), agents, lambda number, seat: no_model, keep)
    columns = tuple(dict(agent.columns) for agent in agents)
    return Match(plan.stage(), plan.horizon(), tuple(rounds), columns, {"game_id": plan.game_id})


def moves(match: Match, seat: int) -> str:
    """The last letter of every action: C and D, or A and B of OptionA and OptionB."""
    return "".join("?" if action is None else action[-1] for action in match.actions(seat))
