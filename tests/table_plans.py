"""Plans of the eight gamma-bench games for tests, and games of their agents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from intent.agents.agent import Agent, Answer, Ask, make_agents
from intent.agents.client import Reply
from intent.agents.clients.registry import make_client
from intent.agents.plan import GamePlan, SeatPlan
from intent.gamma.catalogue import GAMMA_GAMES, gamma_game
from intent.gamma.prompts import gamma_prompts
from intent.play.match import Match, Round
from intent.runner.driver import play_game

GAMES = tuple(GAMMA_GAMES)


def table_plan(
    game: str, *players: str, rounds: int = 3, parameters: dict[str, Any] | None = None, **fields: Any
) -> GamePlan:
    """A plan with these players; ``options``, ``architecture`` and ``settings`` are of every seat."""
    of_seat = {key: fields.pop(key) for key in ("options", "architecture", "settings") if key in fields}
    stage = gamma_game(game, n_players=len(players), **(parameters or {}))
    seats = tuple(
        SeatPlan(player=player, name=f"agent{i}", **of_seat) for i, player in enumerate(players, start=1)
    )
    return GamePlan.of(stage, game_id="g", rounds=rounds, seats=seats, prompts="gamma", **fields)


def table_agents(plan: GamePlan) -> tuple[Agent, ...]:
    """The agents, with our prompts."""
    return make_agents(plan, {"gamma": gamma_prompts()})


def asks_clients(plan: GamePlan, asked: list[Any] | None = None) -> Callable[[int, int], Ask]:
    """Asks that go to the seat's own artificial model; what is asked is kept in a list, if given."""
    clients = {seat.player: make_client(seat.player) for seat in plan.seats if seat.kind == "model"}

    def ask_of(number: int, seat: int) -> Ask:
        calls = 0

        async def ask(messages: Any, settings: Any = None, **_: Any) -> Answer:
            nonlocal calls
            calls += 1
            if asked is not None:
                asked.append((seat, tuple(messages), settings))
            client = clients[plan.seats[seat - 1].player]
            seeded = settings.model_copy(update={"seed": 1_000 * number + 10 * seat + calls})
            return Answer(await client.complete(messages, seeded), f"g/{number}/{seat}/{calls}")

        return ask

    return ask_of


def replies_of(*texts: str) -> Callable[[int, int], Ask]:
    """Asks that are all answered from one list, again from its beginning."""
    said = 0

    def ask_of(number: int, seat: int) -> Ask:
        async def ask(messages: Any, settings: Any = None, **_: Any) -> Answer:
            nonlocal said
            said += 1
            return Answer(Reply(texts[(said - 1) % len(texts)]), f"g/{number}/{seat}/{said}")

        return ask

    return ask_of


def played_table(
    plan: GamePlan, ask_of: Callable[[int, int], Ask] | None = None, agents: tuple[Agent, ...] | None = None
) -> Match:
    """The match of a plan's agents; models are asked by `asks_clients` unless `ask_of` is given."""
    rounds: list[Round] = []

    def keep(played: Round, *_: Any) -> None:
        rounds.append(played)

    made = table_agents(plan) if agents is None else agents
    asyncio.run(play_game(plan, made, ask_of or asks_clients(plan), keep))
    return Match(
        plan.stage(),
        plan.horizon(),
        tuple(rounds),
        tuple(dict(agent.columns) for agent in made),
        {"game_id": "g"},
    )


def moves_of(match: Match, seat: int) -> list[str | None]:
    """The actions of a seat in the rounds in which it moved."""
    return [move.action for played in match.rounds for move in played.moves if move.seat == seat]
