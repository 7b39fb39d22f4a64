"""Runs of tool agents: what calls did is in the log, and a run that was stopped draws the same advice."""

from __future__ import annotations

import asyncio
import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pytest
from stub_runs import StubCaller, make, plan, play

from intent.agents.agent import make_agents
from intent.agents.client import Reply
from intent.agents.plan import SeatPlan
from intent.agents.prompts.sources import own_prompts
from intent.runner.caller import Called

pytest.importorskip("nashpy")

TIED = json.dumps({"temptation": "10", "reward": 15, "punishment": 5, "sucker": 0})
"""Two equilibria: the advice is drawn."""


@dataclass
class ToolCaller(StubCaller):
    """Calls the tool where it may, sometimes twice, never or wrongly, then decides; all by the draw."""

    async def call(self, messages, settings, tools=(), *, draw, **on: Any) -> Called:
        made = await super().call(messages, settings, tools, draw=draw, **on)
        way = hashlib.sha256(draw.encode()).digest()[1] % 5
        calls = [{"id": str(i), "name": "consult_adviser", "arguments": TIED} for i in range(1 + (way == 1))]
        if way == 2:
            calls[0]["arguments"] = "{"
        if tools and settings.tool_choice is None and way:
            return replace(made, reply=Reply("", tool_calls=tuple(calls), sent=made.reply.sent))
        return replace(made, reply=replace(made.reply, text=f"So.\nDECISION: {made.reply.text}"))


def planned(n: int = 6) -> list:
    seats = (
        SeatPlan(player="openai/m", name="agent1", architecture="tool", attitude="compute"),
        SeatPlan(player="scripted/TFT@0.2", name="agent2"),
    )
    return [plan(i, seats=seats, questions=("opponent_next",)) for i in range(1, n + 1)]


def agents(of):
    return make_agents(of, {"intent": own_prompts()})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    run = make(tmp_path_factory.mktemp("whole") / "run", planned())
    play(run, ToolCaller(), agents)
    return run


def test_the_log_tells_what_calls_did(whole) -> None:
    moves = whole.log().moves
    mine = moves[moves["seat"] == 1]
    details = [json.loads(text) for text in mine["details"]]
    assert {one["status"] for one in details} == {"called", "not_called", "invalid"}
    assert all((one["best"] == ["C", "D"]) == (one["status"] == "called") for one in details)
    assert set(mine["advice"].dropna()) == {"C", "D"}
    assert all(one["as_text"] and not one["stated_right"] for one in details if one["status"] == "called")
    assert moves.loc[moves["seat"] == 2, "advice"].isna().all()


def test_calls_of_questions_are_counted_apart(whole) -> None:
    calls = whole.calls()
    assert set(calls["purpose"]) == {"choose", "question"}
    assert len(whole.log().questions) == 30


@pytest.mark.parametrize("after", [1, 4, 33])
def test_a_run_that_was_stopped_gets_the_same_advice(tmp_path, whole, after: int) -> None:
    run, caller = make(tmp_path / "run", planned()), ToolCaller(latency=0.001)

    async def broken_off() -> None:
        task = asyncio.create_task(run.play(lambda player: caller, agents, window=3))
        caller.before = lambda n: task.cancel() if n == after else None
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(broken_off())
    play(run, ToolCaller(), agents)
    assert run.log().equals(whole.log())
