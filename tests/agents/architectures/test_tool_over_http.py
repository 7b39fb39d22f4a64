"""What a tool agent sends through the OpenAI client, and a run of tool agents that is played again."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest
from agent_plans import plan_of
from canned_endpoint import canned_endpoint
from stub_asks import PROMPTS, first_view, with_seat

from intent.agents.agent import Answer, architecture
from intent.agents.client import Settings
from intent.agents.clients.openai import OpenAIClient
from intent.agents.tools import TOOL_NAME

pytest.importorskip("openai")
pytest.importorskip("nashpy")

STATED = json.dumps({"temptation": 15, "reward": 10, "punishment": 5, "sucker": 0})


def completion_of(content: str | None, *arguments: str) -> dict:
    calls = [
        {"id": f"c{i}", "type": "function", "function": {"name": TOOL_NAME, "arguments": text}}
        for i, text in enumerate(arguments)
    ]
    message = {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {})}
    return {"choices": [{"message": message, "finish_reason": "tool_calls" if calls else "stop"}]}


def bodies_of(answer, settings: Settings) -> tuple:
    """The decision of seat 1, and the requests that arrived."""
    plan = plan_of("openai/m", "scripted/TFT", stage="prisoner-dilemma-trps")
    plan = with_seat(plan, settings, architecture="tool", attitude="compute")

    async def whole() -> tuple:
        async with canned_endpoint(answer) as endpoint:
            client = OpenAIClient(f"openai/m@{endpoint.url}")

            async def ask(messages, settings=None, *, purpose="choose", tools=()):
                return Answer(await client.complete(messages, settings, tools), "g/1/1/1")

            agent = architecture("tool")(plan, 1, PROMPTS)
            decision = await agent.choose(first_view(plan), ask, np.random.default_rng(0))
            await client.close()
            return decision, endpoint.bodies

    return asyncio.run(whole())


def test_a_conversation_as_the_endpoint_sees_it() -> None:
    def answer(body: dict) -> dict:
        return (
            completion_of("DECISION: D") if "tool_choice" in body else completion_of(None, STATED, "no JSON")
        )

    decision, (first, second) = bodies_of(answer, Settings(temperature=0.5))
    assert (decision.action, decision.advice, decision.details["refused"]) == ("D", "D", 1)
    assert first["tools"] == second["tools"]
    assert "tool_choice" not in first
    assert second["tool_choice"] == "none"
    roles = [message["role"] for message in second["messages"]]
    assert roles[-3:] == ["assistant", "tool", "tool"]
    calls, one, two = second["messages"][-3:]
    assert [call["id"] for call in calls["tool_calls"]] == [one["tool_call_id"], two["tool_call_id"]]
    assert [json.loads(call["function"]["arguments"]) for call in calls["tool_calls"]] == [
        json.loads(STATED),
        {},
    ]


def test_only_the_last_request_is_constrained() -> None:
    def answer(body: dict) -> dict:
        return completion_of('{"choice": "C"}') if "response_format" in body else completion_of("hm", STATED)

    decision, (first, second) = bodies_of(answer, Settings(constrained=True))
    assert (decision.action, decision.status, decision.details["status"]) == ("C", "parsed", "called")
    assert "response_format" not in first
    assert second["tool_choice"] == "none"
