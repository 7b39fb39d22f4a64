"""A client whose answers a test dictates, and that remembers when it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from virtual_time import now

from intent.agents.client import Message, Reply, Settings, Tool, Usage

ASKED = (Message("user", "OptionA or OptionB?"),)
USAGE = Usage(prompt_tokens=40, completion_tokens=10)


class FakeEndpoint:
    """Answers after `latency` seconds; `faults(n)` is what the n-th request, from 0, raises.

    Attributes
    ----------
    times : list of float, when requests came
    most : int, requests that were in flight at once
    """

    def __init__(
        self,
        faults: Callable[[int], Exception | None] = lambda n: None,
        *,
        latency: float = 0.0,
        name: str = "openai/fake",
        usage: Usage = USAGE,
    ) -> None:
        self.name, self.endpoint, self.concurrency = name, "openai", 64
        self.times: list[float] = []
        self.seeds: list[int | None] = []
        self.most = self._in_flight = 0
        self._faults, self._latency, self._usage = faults, latency, usage

    def body(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> dict[str, Any]:
        return {"messages": [m.content for m in messages], "seed": settings.seed}

    async def complete(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> Reply:
        n = len(self.times)
        fault = self._faults(n)
        self.times.append(now())
        self.seeds.append(settings.seed)
        self._in_flight += 1
        self.most = max(self.most, self._in_flight)
        try:
            await asyncio.sleep(self._latency)
        finally:
            self._in_flight -= 1
        if fault is not None:
            raise fault
        return Reply(f"answer {n + 1}", usage=self._usage, sent=self.body(messages, settings))

    async def close(self) -> None:
        pass


def first(n: int, error: Callable[[], Exception]) -> Callable[[int], Exception | None]:
    """Faults of the first n requests."""
    return lambda i: error() if i < n else None
