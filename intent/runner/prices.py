"""What calls cost: prices per million tokens, as the user states them. None are shipped: they change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from intent.agents.client import Usage
from intent.errors import UsageError, shorten

__all__ = ["FREE", "Price", "price_of", "require_prices"]

MILLION = 1_000_000

FREE_KINDS = ("local/", "gguf:", "scripted/", "python/", "human")


class Price(BaseModel):
    """Price of a model, per million tokens, in whatever currency the budget is in.

    Two or three numbers, ``[2.5, 10]``, may stand for the values in their order.

    Attributes
    ----------
    prompt, completion : float
    cached : float
        Of prompt tokens that the endpoint had in its cache; None: as other prompt tokens.
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
