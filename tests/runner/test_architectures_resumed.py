"""Agents that remember over rounds: a game that was broken off goes on as if it had not been."""

from __future__ import annotations

import asyncio
import hashlib
from itertools import count

import pytest

from intent.agents.agent import make_agents
from intent.agents.client import Reply
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.sources import own_prompts
from intent.base.errors import RetryableError
from intent.games.catalogue import game
from intent.runner.caller import Called
from intent.runner.run import Run


class Model:
    """Answers by the draw; gives up at some call."""

    def __init__(self, last: int | None = None) -> None:
        self.numbers, self.last = count(1), last

    async def call(self, messages, settings, tools=(), *, draw, on_send=None, on_failure=None) -> Called:
        if next(self.numbers) == self.last:
            raise RetryableError("overloaded")
        label = "AB"[hashlib.sha256(draw.encode()).digest()[0] % 2]
        text = f"{{{{thought of {draw[-40:]}}}}} Hello.\nDECISION: Option{label}"
        return Called(Reply(text, sent={"n": len(messages)}), 0.1, 1)


@pytest.mark.parametrize("architecture", ["private", "public", "debate"])
@pytest.mark.parametrize("communication", ["none", "sequential"])
@pytest.mark.parametrize("stages", ["together", "apart"])
def test_a_broken_off_game_goes_on_as_it_would_have(architecture, communication, stages, tmp_path):
    options = {} if architecture == "debate" else {"stages": stages}
    seat = SeatPlan(player="stub/m", name="Ann", architecture=architecture, options=options)
    planned = GamePlan.of(
        game("prisoner-dilemma-conventional"),
        game_id="g",
        rounds=3,
        communication=communication,
        memory=2,
        seats=(seat, seat.model_copy(update={"name": "Bob"})),
    )

    def make(name: str) -> Run:
        return Run.create(tmp_path / name, [planned], facts={"name": "r"}, prompts={"intent": "{}"})

    def play(run: Run, model: Model) -> int:
        agents = make_agents(planned, {"intent": own_prompts()})
        return asyncio.run(run.play(lambda player: model, lambda of: agents)).finished

    whole, broken = make("whole"), make("broken")
    assert play(whole, Model()) == 1
    assert play(broken, Model(last=5)) == 0
    assert play(broken, Model()) == 1
    assert broken.log().moves.equals(whole.log().moves)
    assert broken.check() == []
