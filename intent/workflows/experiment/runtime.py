"""How a run is driven, whatever is played: rates, prices, failures, the cache."""

from __future__ import annotations

from pydantic import Field

from intent.runner.limits import Limits
from intent.runner.prices import Price
from intent.runner.retry import RetryRules
from intent.workflows.values import Values

__all__ = ["Runtime"]


class Runtime(Values):
    """What decides nothing about the games, and may differ when a run is resumed.

    Attributes
    ----------
    concurrency : int, optional
        Calls in flight per endpoint, in place of the client's own.
    window : int, optional
        Games in play at a time; by default many, and few where one model answers one call at a time.
    limits : endpoint or model -> limits of rate
    retry : rules of asking again after failures of an endpoint
    prices : model -> price per million tokens of prompt and reply: ``[2.5, 10]``
    budget : float, optional
        What the run may cost, in the currency of the prices.
    cache : bool or path
        Keeps replies for other runs, in a file of the user's own or in this one.
    """

    concurrency: int | None = Field(default=None, ge=1)
    window: int | None = Field(default=None, ge=1)
    limits: dict[str, Limits] = Field(default_factory=dict)
    retry: RetryRules = RetryRules()
    prices: dict[str, Price] = Field(default_factory=dict)
    budget: float | None = Field(default=None, gt=0)
    cache: bool | str = False
