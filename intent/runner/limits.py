"""How much may be asked of an endpoint or a model: calls at a time, requests and tokens per time."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["DAY", "Account", "Bound", "Limits"]

SECOND = 1_000_000
DAY = 86_400 * SECOND
"""The longest window, in microseconds."""

WINDOWS = {"minute": 60 * SECOND, "hour": 3_600 * SECOND, "day": DAY}

Count = Field(default=None, ge=1, le=10**12)


@dataclass(frozen=True)
class Bound:
    """At most `limit` requests, or tokens, in any time of length `window`.

    Parameters
    ----------
    name : str, such as ``requests_per_minute``
    limit : int
    window : int, microseconds
    """

    name: str
    limit: int
    window: int


@dataclass(frozen=True)
class Account:
    """What one endpoint, or one model, is limited to; `key` is what the ledger knows it by."""

    key: str
    requests: tuple[Bound, ...]
    tokens: tuple[Bound, ...]


class Limits(BaseModel):
    """Limits of one endpoint, or of one model; None is no limit.

    The windows slide: in no minute, whenever it begins, are there more than ``requests_per_minute``.

    Attributes
    ----------
    concurrency : int
        Calls in flight, of one process; None takes the client's own number.
    requests_per_minute, requests_per_hour, requests_per_day : int
    tokens_per_minute, tokens_per_hour, tokens_per_day : int
        Prompt and reply together.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    concurrency: int | None = Field(default=None, ge=1, le=100_000)
    requests_per_minute: int | None = Count
    requests_per_hour: int | None = Count
    requests_per_day: int | None = Count
    tokens_per_minute: int | None = Count
    tokens_per_hour: int | None = Count
    tokens_per_day: int | None = Count

    def account(self, key: str) -> Account | None:
        """These limits as the ledger takes them; None where nothing is limited per time."""
        requests, tokens = (
            tuple(
                Bound(name, limit, window)
                for unit, window in WINDOWS.items()
                if (limit := getattr(self, name := f"{what}_per_{unit}")) is not None
            )
            for what in ("requests", "tokens")
        )
        return Account(key, requests, tokens) if requests or tokens else None
