"""Asks that answer from a list, and turns of agents that are asked through them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import numpy as np

from intent.agents.agent import Answer, Decision, architecture
from intent.agents.client import Reply, Settings
from intent.agents.plan import GamePlan
from intent.agents.prompts.sources import own_prompts
from intent.play.match import View
from intent.play.referee import Referee

PROMPTS = own_prompts()


class Says:
    """An ask that answers in turn and keeps what it was asked; a tuple is a text and its tool calls."""

    def __init__(self, *replies: str | Reply | tuple[str, list[dict[str, str]]]) -> None:
        self.replies, self.requests = list(replies), []

    async def __call__(self, messages, settings=None, *, purpose="choose", tools=()):
        self.requests.append((tuple(messages), settings, purpose, tuple(tools)))
        reply = self.replies[len(self.requests) - 1]
        if isinstance(reply, tuple):
            reply = Reply(reply[0], tool_calls=tuple(reply[1]))
        return Answer(reply if isinstance(reply, Reply) else Reply(reply), f"g/1/1/{len(self.requests)}")


def first_view(plan: GamePlan, seat: int = 1) -> View:
    """What the seat sees in round 1."""
    referee = Referee(
        plan.stage(), plan.horizon(), communication=plan.communication, rng=np.random.default_rng(0)
    )
    return referee.view(seat)


def with_seat(plan: GamePlan, settings: Settings | None = None, **fields: Any) -> GamePlan:
    """The plan with these attributes of seat 1."""
    if settings is not None:
        fields["settings"] = settings
    return plan.model_copy(update={"seats": (plan.seats[0].model_copy(update=fields), *plan.seats[1:])})


def turn(ask: Says, plan: GamePlan, question: str | None = None, seed: int = 0) -> Decision:
    """What seat 1 decides, or answers, in round 1."""
    agent = architecture(plan.seats[0].architecture)(plan, 1, PROMPTS)
    view, rng = first_view(plan), np.random.default_rng(seed)
    if question is not None:
        return asyncio.run(agent.answer(question, view, ask, rng))
    act = agent.speak if view.phase == "message" else agent.choose
    return asyncio.run(act(view, ask, rng))


def call(name: str = "consult_adviser", arguments: str = "{}", id: str = "1") -> Mapping[str, str]:
    """A native tool call as a reply has it."""
    return {"id": id, "name": name, "arguments": arguments}
