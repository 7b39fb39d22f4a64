"""Asking models for parts of a strategy, attempt by attempt, until enough strategies play.

Nothing is asked twice, and every exchange is on record.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from intent.agents.client import Message, Settings
from intent.agents.clients.registry import clean
from intent.base.errors import IntentError, RefusedError, RetryableError, RunError
from intent.base.masking import redact
from intent.runner.caller import Called, Caller, Replies, reply_key
from intent.runner.driver import together

__all__ = [
    "EXCHANGES",
    "LONGEST",
    "OUTCOMES",
    "Attempt",
    "Desk",
    "Outcome",
    "Place",
    "Purpose",
    "attempts_for",
    "choose_attempts",
    "default_limit",
    "in_waves",
    "spent_in",
]


EXCHANGES = "exchanges.jsonl"

LONGEST = 1_000_000
"""Characters of a reply that are kept."""

Purpose = Literal["words", "critique", "rewrite", "plan", "convert", "code", "repair"]

_FIELDS = ("style", "attitude", "attempt", "purpose", "model", "messages")
_OF_THE_REQUEST = re.compile(
    r"content.{0,3}(?:filter|policy|management)|context.{0,3}(?:length|window|size|holds)|context_",
    re.IGNORECASE,
)
"""In refusals by an endpoint that concern one request, not the key or the model."""

_EMPTY = "the answer is empty"
"""What clients say of an answer without text, once they have asked as often as they may."""


@dataclass(frozen=True)
class Place:
    """One attempt: the `number`-th for an attitude in a style, from 1, of a task with this `seed`."""

    seed: int
    style: str
    attitude: str
    number: int

    def draw(self, purpose: str) -> str:
        """What tells this call from every other; seeds and the cache follow it."""
        return f"write/{self.seed}/{self.style}/{self.attitude}/{self.number}/{purpose}"


class _Stopped(RunError):
    """Another call has failed before this one was sent."""


class Desk:
    """Asks, and keeps what was answered.

    A request is known by model, messages, settings and draw. What a folder holds is not asked again. After
    an error nothing more is sent; calls in flight are waited for and kept.

    Parameters
    ----------
    folder : Path
        Holds, or gets, ``exchanges.jsonl``.
    callers : mapping from names of models to Caller
    seeded : collection of names of models that take seeds

    Attributes
    ----------
    used : dict, key -> row of every exchange that was asked for

    Raises
    ------
    DataError, OutputError
        As `Replies`.
    """

    def __init__(self, folder: Path, callers: Mapping[str, Caller], seeded: Sequence[str] = ()) -> None:
        self._replies = Replies(folder / EXCHANGES, _FIELDS)
        self._callers, self._seeded = dict(callers), frozenset(seeded)
        self.used: dict[str, dict[str, Any]] = {}
        self._error: BaseException | None = None

    async def ask(
        self, place: Place, purpose: Purpose, model: str, messages: Sequence[Message], settings: Settings
    ) -> str:
        """The reply's text, from the record if it is there.

        Keys of interfaces in it are blacked out. An answer that stays empty is an empty text, and so is
        that to a request which the endpoint's filter or the model's context will never let through.

        Raises
        ------
        EndpointError, BudgetSpent, OutputError
        """
        if model in self._seeded:
            settings = settings.model_copy(update={"seeded": True})
        contents = [{"role": m.role, "content": m.content} for m in messages]
        sampled = settings.model_dump(mode="json", exclude_defaults=True)
        draw = place.draw(purpose)
        key = reply_key({"model": model, "messages": contents, "settings": sampled, "draw": draw})
        if key not in self._replies.known:
            called = await self._called(model, messages, settings, draw)
            answer = {"error": called} if isinstance(called, str) else _answered(called)
            self._replies.add(
                {
                    "key": key,
                    "style": place.style,
                    "attitude": place.attitude,
                    "attempt": place.number,
                    "purpose": purpose,
                    "model": model,
                    "draw": draw,
                    "messages": contents,
                    "settings": sampled,
                    "text": "",
                    **answer,
                }
            )
        self.used[key] = self._replies.known[key]
        return str(self.used[key]["text"])

    async def _called(
        self, model: str, messages: Sequence[Message], settings: Settings, draw: str
    ) -> Called | str:
        """The answered call, or why this request will never have an answer."""
        try:
            self._go_on()
            return await self._callers[model].call(messages, settings, draw=draw, on_send=self._go_on)
        except _Stopped:
            assert self._error is not None
            raise self._error from None
        except RetryableError as error:
            if _EMPTY in str(error):
                return str(error)
            self._error = self._error or error
            raise
        except RefusedError as error:
            if _OF_THE_REQUEST.search(str(error)):
                return str(error)
            self._error = self._error or error
            raise
        except IntentError as error:
            self._error = self._error or error
            raise

    def _go_on(self) -> None:
        if self._error is not None:
            raise _Stopped

    @property
    def cost(self) -> float | None:
        """What the exchanges that were asked for have cost; None where a price is unknown."""
        costs = [row.get("cost") for row in self.used.values()]
        return None if None in costs else float(sum(cost or 0.0 for cost in costs))


def spent_in(folder: Path) -> float:
    """What the exchanges of a folder have cost."""
    known = Replies(folder / EXCHANGES, _FIELDS).known if folder.is_dir() else {}
    return float(sum(row.get("cost") or 0.0 for row in known.values()))


def _answered(called: Called) -> dict[str, Any]:
    """What is kept of a reply; the messages stand apart, and headers are not kept."""
    reply = called.reply
    text = redact(clean(reply.text))
    sent = {name: value for name, value in reply.sent.items() if name not in ("messages", "system")}
    return {
        "text": text[:LONGEST],
        "cut": len(text) > LONGEST,
        "reasoning": None if reply.reasoning is None else redact(clean(reply.reasoning))[:LONGEST],
        "snapshot": reply.model,
        "fingerprint": reply.fingerprint,
        "sent": sent,
        "finish_reason": reply.finish_reason,
        "prompt_tokens": reply.usage.prompt_tokens,
        "completion_tokens": reply.usage.completion_tokens,
        "reasoning_tokens": reply.usage.reasoning_tokens,
        "cost": called.cost,
        "seconds": round(called.seconds, 3),
        "tries": called.tries,
        "cached": called.cached,
    }


Outcome = Literal["good", "repaired", "refused", "empty", "no_code", "gate", "fault"]

OUTCOMES: tuple[Outcome, ...] = ("good", "repaired", "refused", "empty", "no_code", "gate", "fault")
"""Plays at once; plays after one repair; the model declined; it said nothing; its reply holds no code that
can be read; the gate does not let the code in; the code fails when it plays."""


@dataclass(frozen=True)
class Attempt:
    """An attempt that is over.

    Parameters
    ----------
    reason : str
        One line on what is wrong, of the last round; empty where it plays.
    words : str
        The strategy as described; after a plan and an empty line in prose.
    source : str
        What plays, or the last code that does not.
    scenario : str, optional
        The everyday setting that the plan was made in.
    """

    place: Place
    outcome: Outcome
    reason: str = ""
    words: str = ""
    source: str = ""
    scenario: str | None = None

    @property
    def plays(self) -> bool:
        """Whether it counts as one of the strategies asked for."""
        return self.outcome in ("good", "repaired")


def default_limit(n: int) -> int:
    """Attempts for an attitude, at most: 3 n + 5."""
    return 3 * n + 5


def choose_attempts(attempts: Sequence[Attempt], n: int) -> tuple[Attempt, ...]:
    """The `n` attempts of the lowest numbers that play."""
    return tuple(sorted((a for a in attempts if a.plays), key=lambda a: a.place.number)[:n])


async def in_waves(
    groups: Mapping[tuple[str, str], Callable[[Place], Awaitable[Attempt]]],
    *,
    n: int,
    limit: int,
    seed: int,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> dict[tuple[str, str], tuple[Attempt, ...]]:
    """Attempts of every style and attitude.

    The first wave holds attempts 1 to `n` of each, for each number all attitudes in turn; each further wave
    as many as are missing. A wave begins when the one before is over, so that which attempts are made, and
    which of them are taken, does not depend on how fast anything is answered.

    Parameters
    ----------
    groups : mapping from (style, attitude) to what makes an attempt
    n : int, strategies wanted for each
    limit : int, attempts for each at most
    update : function of attempts done and issued

    Raises
    ------
    IntentError
        Of the first attempt that raised, once those under way are over.
    """
    attempts: dict[tuple[str, str], list[Attempt]] = {group: [] for group in groups}
    done = 0

    async def one(group: tuple[str, str], number: int) -> Attempt:
        nonlocal done
        attempt = await groups[group](Place(seed, *group, number))
        done += 1
        update(done, issued)
        return attempt

    while wave := _missing(attempts, n, limit):
        issued = done + len(wave)
        update(done, issued)
        for attempt in await together([one(group, number) for group, number in wave]):
            attempts[attempt.place.style, attempt.place.attitude].append(attempt)
    return {group: tuple(sorted(over, key=lambda a: a.place.number)) for group, over in attempts.items()}


def attempts_for(
    by_group: Mapping[tuple[str, str], tuple[Attempt, ...]], style: str
) -> dict[str, tuple[Attempt, ...]]:
    """Attitude -> attempts of one style."""
    return {attitude: attempts for (of, attitude), attempts in by_group.items() if of == style}


def _missing(
    by_group: Mapping[tuple[str, str], Sequence[Attempt]], n: int, limit: int
) -> list[tuple[tuple[str, str], int]]:
    """Groups and numbers of the next wave, numbers first."""
    wave = []
    for group, attempts in by_group.items():
        lacking = n - sum(attempt.plays for attempt in attempts)
        first = len(attempts) + 1
        wave += [(group, number) for number in range(first, min(first + lacking, limit + 1))]
    return sorted(wave, key=lambda item: item[1])
