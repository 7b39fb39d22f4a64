"""When a request that failed is sent again, and after how long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from intent.errors import RetryableError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["RetryRules", "backoff", "overloaded"]

OVERLOADED = frozenset({429, 503, 529})


class RetryRules(BaseModel):
    """How often and how long a call is tried. Time spent waiting for limits and places does not count.

    Attributes
    ----------
    attempts : int
        Requests sent for one call, the first one included. Those that an overloaded endpoint refused
        while it answered other calls do not count.
    base, cap : float, seconds
        The k-th wait is drawn from 0 to ``min(cap, base * 2 ** (k - 1))``.
    longest : float, seconds
        Most that is waited because an endpoint asks for it (``Retry-After``).
    total : float, seconds
        Most that all requests of a call and the waits between them may take.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    attempts: int = Field(default=8, ge=1, le=1_000)
    base: float = Field(default=1.0, ge=0, le=3_600)
    cap: float = Field(default=60.0, ge=0, le=86_400)
    longest: float = Field(default=600.0, ge=0, le=86_400)
    total: float = Field(default=3_600.0, gt=0, le=864_000)


def backoff(rules: RetryRules, failed: int, retry_after: float | None, rng: np.random.Generator) -> float:
    """Seconds to wait after the failure number `failed`, counted from 1: capped exponential, full jitter.

    What the endpoint asks for is waited in full, up to `rules.longest`, and the jitter comes on top of it,
    since all calls that it refused were told the same time.

    References
    ----------
    Brooker 2015, Exponential Backoff and Jitter, AWS Architecture Blog.
    """
    jitter = rng.uniform(0, min(rules.cap, rules.base * 2.0 ** min(failed - 1, 64)))
    return float(jitter if retry_after is None else min(max(retry_after, 0), rules.longest) + jitter)


def overloaded(error: RetryableError) -> bool:
    """Whether the endpoint, not this one request, needs a pause."""
    return error.status in OVERLOADED or error.retry_after is not None
