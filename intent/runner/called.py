"""What is known of a call when it is over, and what is told of it while it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from intent.agents.client import Reply

__all__ = ["Called", "Event", "EventKind", "Failure", "Listener"]


@dataclass(frozen=True)
class Failure:
    """A request that failed.

    Parameters
    ----------
    error : str
    seconds : float, from sending to failing
    waited : float
        Seconds before it was sent again, 0 where it was not.
    status : int or None, of HTTP
    """

    error: str
    seconds: float
    waited: float
    status: int | None = None


@dataclass(frozen=True)
class Called:
    """An answered call.

    Parameters
    ----------
    reply : Reply
    seconds : float
        From sending to the reply, of the request that was answered; 0 from the cache.
    tries : int
        Requests sent; 0 from the cache.
    failures : tuple of Failure
        Of the requests before.
    cached : bool
    cost : float or None
        Of all its requests. None where the model has no price, an estimate where the endpoint does not
        count tokens.
    """

    reply: Reply
    seconds: float
    tries: int
    failures: tuple[Failure, ...] = ()
    cached: bool = False
    cost: float | None = None


EventKind = Literal["waiting", "retrying", "slowed", "failed"]
"""Waits for a limit; is sent again; the same, and the whole endpoint pauses; is given up."""


@dataclass(frozen=True)
class Event:
    """Something that keeps a call from being answered at once.

    Parameters
    ----------
    kind : EventKind
    model, endpoint : str
    seconds : float
        How long it will take, as far as is known.
    text : str
        Name of the limit, or what went wrong.
    """

    kind: EventKind
    model: str
    endpoint: str
    seconds: float
    text: str


Listener = Callable[[Event], None]
