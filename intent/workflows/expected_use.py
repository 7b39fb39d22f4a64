"""What games are expected to take: decisions, calls, tokens, cost, and what keeps models from being asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from intent.errors import IntentError

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.runner.prices import Price
    from intent.workflows.experiment.runtime import Runtime

__all__ = ["REPLY_TOKENS", "Need", "client_notes", "needed_in_all", "priced", "tokens_in"]

REPLY_TOKENS = 16
"""Tokens that a reply is taken to have where its length is not limited; reasoning is not counted."""


@dataclass(frozen=True)
class Need:
    """What one game is expected to take, and takes at most."""

    decisions: float
    calls: float
    most_calls: int
    prompt_tokens: float
    reply_tokens: float
    cost: float | None

    def of(self, repetitions: int) -> dict[str, Any]:
        """The numbers of so many games."""
        return {key: None if n is None else n * repetitions for key, n in asdict(self).items()}


def needed_in_all(conditions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The sums of what conditions take; the cost is None where that of any is unknown."""
    costs = [c["cost"] for c in conditions]
    summed = ("decisions", "calls", "most_calls", "prompt_tokens", "reply_tokens")
    return {
        **{key: sum(c[key] for c in conditions) for key in summed},
        "cost": None if None in costs else sum(costs),
    }


def priced(player: str, prices: Mapping[str, Price], prompt_tokens: float, tokens: float) -> float | None:
    """What tokens of prompts and of replies cost of a player; None where no price is known."""
    from intent.runner.prices import price_of

    price = price_of(player, prices)
    return None if price is None else (prompt_tokens * price.prompt + tokens * price.completion) / 1e6


def tokens_in(text: str) -> float:
    """Tokens of a text, roughly: a quarter of its ASCII characters and three quarters of the others."""
    ascii_ = sum(character.isascii() for character in text)
    return ascii_ / 4 + (len(text) - ascii_) * 0.75


def client_notes(experiment: Runtime, plans: Sequence[GamePlan]) -> list[str]:
    """What keeps the models of some games from being asked: prices that a budget needs, keys."""
    from intent.agents.clients.registry import make_client
    from intent.runner.prices import require_prices
    from intent.workflows.run_models import model_names

    notes = []
    names = model_names(plans)
    if experiment.budget is not None:
        try:
            require_prices(names, experiment.prices)
        except IntentError as error:
            notes.append(str(error))
    for name in names:
        if name.startswith(("openai/", "anthropic/", "scripted/")):
            try:
                make_client(name)
            except IntentError as error:
                notes.append(f"cannot be played yet: {error}")
    return notes
