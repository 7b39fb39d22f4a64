"""Which request fails, and how."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from intent.agents.clients.pick import fraction
from intent.errors import UnknownNameError, UsageError

__all__ = ["FAULTS", "Faults"]

FAULTS: Mapping[str, str] = MappingProxyType(
    {
        "429": "too many requests, without Retry-After",
        "429-after": "too many requests, with Retry-After in seconds",
        "500": "server error",
        "401": "key refused, in a message that repeats the key",
        "timeout": "no answer, ever",
        "cut": "the connection ends before an answer",
        "cut-body": "the connection ends within the answer",
        "malformed": "JSON that breaks off",
        "empty": "an empty body",
        "blank": "a chat completion without text",
        "huge": "a text of 1 MB instead of the label",
        "html": "a page instead of JSON, with status 200",
    }
)
"""Name to what happens."""


@dataclass(frozen=True)
class Faults:
    """Probabilities of faults.

    Parameters
    ----------
    rates : tuple of (name, probability)
        Of `FAULTS`; the rest of the probability is an answer.
    seed : int
    """

    rates: tuple[tuple[str, float], ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        for name, rate in self.rates:
            if name not in FAULTS:
                raise UnknownNameError("fault", name, FAULTS)
            if not (math.isfinite(rate) and rate >= 0):
                raise UsageError(f"fault {name}: expected a probability, got {rate}")
        if sum(rate for _, rate in self.rates) > 1 + 1e-9:
            raise UsageError("probabilities of faults sum to more than 1")

    @classmethod
    def of(cls, rates: Mapping[str, float] | Iterable[str], seed: int = 0) -> Faults:
        """From a mapping, or texts ``NAME=PROBABILITY`` (a name alone is certain)."""
        if isinstance(rates, Mapping):
            return cls(tuple(rates.items()), seed)
        pairs = []
        for text in rates:
            name, _, rate = text.partition("=")
            try:
                pairs.append((name, float(rate or 1)))
            except ValueError:
                raise UsageError(f"fault {text!r}: expected NAME=PROBABILITY") from None
        return cls(tuple(pairs), seed)

    def draw(self, body: bytes, time: int) -> str | None:
        """The fault of the `time`-th request (from 1) with a body of this digest; None answers it."""
        left = fraction("fault", self.seed, body, time)
        for name, rate in self.rates:
            if left < rate:
                return name
            left -= rate
        return None
