"""What calls cost, estimated before they are sent and bounded. No prices are shipped: they change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from intent.agents.client import Settings, Usage
from intent.base.errors import BudgetSpent, UsageError, shorten

__all__ = [
    "FREE",
    "Budget",
    "BudgetSpent",
    "Price",
    "TokenEstimate",
    "completed",
    "price_of",
    "require_prices",
    "tokens_of",
]


MILLION = 1_000_000

FREE_KINDS = ("local/", "gguf:", "scripted/", "python/", "human")


class Price(BaseModel):
    """Price of a model, per million tokens, in whatever currency the budget is in.

    Two or three numbers, ``[2.5, 10]``, may stand for the values in their order.

    Attributes
    ----------
    cached : of prompt tokens that the endpoint had in its cache; None: as other prompt tokens
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: float = Field(ge=0, allow_inf_nan=False)
    completion: float = Field(ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            return value
        return dict(zip(("prompt", "completion", "cached"), value, strict=False))

    @property
    def free(self) -> bool:
        """Whether no call costs anything."""
        return not (self.prompt or self.completion or self.cached)

    def cost(self, usage: Usage) -> float:
        """What a call cost: ``cached * price.cached + (prompt - cached) * price.prompt + completion * …``.

        `usage.prompt_tokens` includes the cached ones, `usage.completion_tokens` those of reasoning.
        Unknown numbers count as 0.
        """
        prompt, completion = usage.prompt_tokens or 0, usage.completion_tokens or 0
        cached = min(usage.cached_tokens or 0, prompt)
        of_cached = self.prompt if self.cached is None else self.cached
        return ((prompt - cached) * self.prompt + cached * of_cached + completion * self.completion) / MILLION


FREE = Price(prompt=0, completion=0)


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The stated price of a model; models on this machine are free; None where nobody knows."""
    return prices.get(model) or (FREE if model.startswith(FREE_KINDS) else None)


def require_prices(models: Iterable[str], prices: Mapping[str, Price]) -> None:
    """Check before a run with a budget that its calls can be counted.

    Raises
    ------
    UsageError
        A model without a price.
    """
    unknown = sorted({model for model in models if price_of(model, prices) is None})
    if unknown:
        raise UsageError(
            f"a budget needs the price of every model, and {', '.join(map(shorten, unknown))} has none;"
            f" state it per million tokens: --price {unknown[0]}=PROMPT,REPLY"
        )


class TokenEstimate:
    """Estimates from above, and learns from what replies say.

    Prompt: half a token per byte of the body (English takes about a quarter, Chinese a third to a half)
    until a reply says more, then the largest ratio seen. Completion: ``max_tokens``; where that is not
    set, 1,024 or the largest seen, if that is more.
    """

    def __init__(self) -> None:
        self._ratio: float | None = None
        self._longest = 1_024

    def __call__(self, size: int, settings: Settings) -> Usage:
        """The estimate for a body of `size` bytes."""
        prompt = round(size * (0.5 if self._ratio is None else self._ratio)) + 1
        return Usage(prompt_tokens=prompt, completion_tokens=settings.max_tokens or self._longest)

    def learn(self, size: int, usage: Usage) -> None:
        """Take note of what a body of `size` bytes took."""
        if usage.prompt_tokens and size:
            self._ratio = max(self._ratio or 0.0, usage.prompt_tokens / size)
        self._longest = max(self._longest, usage.completion_tokens or 0)


def completed(usage: Usage, estimate: Usage) -> Usage:
    """What the endpoint counted, with the estimate where it did not."""
    if usage.prompt_tokens is None:
        usage = replace(usage, prompt_tokens=estimate.prompt_tokens)
    if usage.completion_tokens is None:
        usage = replace(usage, completion_tokens=estimate.completion_tokens)
    return usage


def tokens_of(usage: Usage) -> int | None:
    """Prompt and completion together, None where either is unknown."""
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return usage.prompt_tokens + usage.completion_tokens


class Budget:
    """Money that calls set aside before they are sent, and pay from when they are over.

    What is spent exceeds the limit at most by the amount by which the estimates of the calls in flight
    fall short.

    Parameters
    ----------
    limit : float, in the currency of the prices
    spent : what earlier parts of the same run cost

    Attributes
    ----------
    spent : float, cost of the calls that are over
    reserved : float, what the calls in flight are thought to cost at most

    Raises
    ------
    UsageError
        A limit that is not a number from 0.
    """

    def __init__(self, limit: float, spent: float = 0.0) -> None:
        if not 0 <= limit < float("inf"):
            raise UsageError(f"budget {limit}, expected a number from 0")
        self.limit, self.spent, self.reserved = limit, spent, 0.0
        self._in_flight = 0
        self._turn = asyncio.Lock()
        self._settled = asyncio.Event()

    async def reserve(self, amount: float) -> None:
        """Set an amount aside; where calls in flight may give enough back, wait for them, in order.

        Raises
        ------
        BudgetSpent
            It would not fit if nothing else were in flight.
        """
        async with self._turn:
            while self.spent + self.reserved + amount > self.limit:
                if self.spent + amount > self.limit:
                    raise BudgetSpent(
                        f"{self.spent:.4g} of the budget of {self.limit:g} is spent, and the next call"
                        f" may cost {amount:.4g}"
                    )
                self._settled.clear()
                await self._settled.wait()
            self._in_flight += 1
            self.reserved += amount

    def settle(self, amount: float, cost: float) -> None:
        """Replace an amount set aside by what the call cost; 0 for one that was never answered."""
        self._in_flight -= 1
        self.reserved = self.reserved - amount if self._in_flight else 0.0
        self.spent += cost
        self._settled.set()
