"""Small runs whose model answers by rule, in this process."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intent.agents.agent import Decision
from intent.agents.client import Message, Reply, Settings, Usage
from intent.agents.plan import GamePlan, SeatPlan
from intent.games.catalogue import game
from intent.runner.caller import Called, Failure
from intent.runner.driver import Outcome
from intent.runner.run import Run

PD = game("prisoner-dilemma-trps")


def plan(number: int = 1, **changes: Any) -> GamePlan:
    """A game of five rounds: a model against TFT with noise."""
    fields = {
        "game_id": f"g{number:03d}",
        "rounds": 5,
        "seats": (
            SeatPlan(player="stub/model", name="agent1", persona="selfish"),
            SeatPlan(player="scripted/TFT@0.2", name="agent2"),
        ),
        "repetition": number,
        "seed": number,
        "columns": {"lambda": 0.1},
    }
    return GamePlan.of(PD, **(fields | changes))


def plans(n: int, **changes: Any) -> list[GamePlan]:
    """`n` repetitions."""
    return [plan(i, **changes) for i in range(1, n + 1)]


@dataclass
class StubCaller:
    """Answers C or D by a hash of the draw; `before` may raise or wait."""

    before: Callable[[int], Any] = lambda n: None
    latency: float = 0.0
    draws: list[str] = field(default_factory=list)

    async def call(
        self,
        messages: Sequence[Message],
        settings: Settings,
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        draw: str,
        on_send: Callable[[], None] | None = None,
        on_failure: Callable[[Failure], None] | None = None,
    ) -> Called:
        if on_send is not None:
            on_send()
        self.draws.append(draw)
        self.before(len(self.draws))
        await asyncio.sleep(self.latency)
        label = "CD"[hashlib.sha256(draw.encode()).digest()[0] % 2]
        sent = {"model": "stub", "messages": [{"role": m.role, "content": m.content} for m in messages]}
        return Called(Reply(label, model="stub-1", usage=Usage(12, 1), sent=sent), 0.5, 1, cost=0.001)


class StubAgent:
    """Asks for the whole history; scripted seats play by their own."""

    def __init__(self, plan: GamePlan, seat: int, wording: str = "Your move") -> None:
        self.columns = {"model": plan.seats[seat - 1].player, "persona": plan.seats[seat - 1].persona}
        self.wording = wording

    async def choose(self, view, ask, rng) -> Decision:
        told = (
            f"{self.wording}. Round {view.round}. You {list(view.own)}, they {[list(o) for o in view.others]}"
        )
        answer = await ask([Message("user", told)])
        return Decision(answer.reply.text, reply=answer.reference, prompt=answer.reference)

    async def speak(self, view, ask, rng) -> Decision:
        answer = await ask([Message("user", f"Say something. {view.messages}")], purpose="message")
        return Decision(None, message=f"I shall play {answer.reply.text}")


def stub_agents(plan: GamePlan, wording: str = "Your move") -> tuple[Any, ...]:
    """Agents of all seats."""
    from intent.agents.agent import ScriptedAgent

    return tuple(
        ScriptedAgent(plan, i) if seat.player.startswith("scripted/") else StubAgent(plan, i, wording)
        for i, seat in enumerate(plan.seats, start=1)
    )


def make(folder: Path, planned: Sequence[GamePlan], **options: Any) -> Run:
    """A new run of the plans."""
    return Run.create(folder, planned, facts={"name": "stub"}, prompts={"intent": "{}"}, **options)


def play(run: Run, caller: StubCaller | None = None, agents: Any = stub_agents, **options: Any) -> Outcome:
    """Play it with one caller for all models."""
    made = caller or StubCaller()
    return asyncio.run(run.play(lambda player: made, agents, **options))
