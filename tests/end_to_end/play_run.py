"""Plays a run folder against an endpoint, in a process of its own that can be killed."""

from __future__ import annotations

import asyncio
from pathlib import Path

from intent.agents.agent import make_agents
from intent.agents.client import Settings
from intent.agents.clients.registry import make_client
from intent.agents.plan import GamePlan, ReplyRules, SeatPlan
from intent.agents.prompts.sources import load_prompts, prompts_from_json
from intent.games.catalogue import game
from intent.runner.caller import Terms, make_callers
from intent.runner.driver import Outcome
from intent.runner.limits import RetryRules
from intent.runner.run import Run


def planned(url: str, n: int, rounds: int, timeout: float = 30.0) -> list[GamePlan]:
    """Games of two models, and of a model against a noisy strategy, by turns."""
    stage = game("prisoner-dilemma")
    settings = Settings(seeded=True, temperature=1.0, timeout=timeout)
    model = SeatPlan(player=f"openai/any@{url}", name="agent1", persona="cooperative", settings=settings)
    rivals = (model.model_copy(update={"name": "agent2"}), SeatPlan(player="scripted/TFT@0.1", name="agent2"))
    return [
        GamePlan.of(
            stage,
            game_id=f"g{i:05d}",
            rounds=rounds,
            reply=ReplyRules(retries=3),
            seats=(model, rivals[i % 2]),
            repetition=i + 1,
            seed=i,
        )
        for i in range(n)
    ]


def create(folder: Path, plans: list[GamePlan]) -> Run:
    """The run folder, with our own prompts."""
    prompts = {"intent": load_prompts("intent").to_json()}
    return Run.create(folder, plans, facts={"name": "scripted"}, prompts=prompts)


async def play(folder: Path, concurrency: int, window: int | None = None) -> Outcome:
    """Play what is left, with retries that do not wait long."""
    run = Run.open(folder)
    prompts = {name: prompts_from_json(text) for name, text in run.prompts().items()}
    names = {seat.player for plan in run.plans() for seat in plan.seats if "@http" in seat.player}
    clients = [make_client(name) for name in sorted(names)]
    rules = RetryRules(attempts=40, base=0.01, cap=0.2)
    callers = make_callers(clients, Terms(rules), concurrency=concurrency)
    try:
        return await run.play(callers.__getitem__, lambda plan: make_agents(plan, prompts), window=window)
    finally:
        for client in clients:
            await client.close()


def played(folder: Path, concurrency: int) -> None:
    """What a process does that is there to be killed."""
    asyncio.run(play(folder, concurrency))
