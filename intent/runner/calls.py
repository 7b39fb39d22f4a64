"""What is known of a call when it is over, and what is told of it while it is not.

What a call is known by: its place in the run, and what was asked.

A kept call, as the reply that it was; a failed request, as it is counted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from intent.agents.client import Message, Reply, Settings, Tool, Usage
from intent.agents.plan import GamePlan
from intent.base.errors import RetryableError, RunError, shorten
from intent.base.masking import redact
from intent.runner.database import unpack

__all__ = [
    "RECORDED_COLUMNS",
    "CallKey",
    "Called",
    "Event",
    "EventKind",
    "Failure",
    "Listener",
    "RecordedCall",
    "Request",
    "call_name",
    "draw_text",
    "failure_row",
    "recorded_call",
    "request_digest",
]


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


class CallKey(NamedTuple):
    """The place of a call in its run.

    Attributes
    ----------
    game : int
        Place of the game among the plans, from 1.
    round, seat : int
        From 1.
    attempt : int
        All calls of a seat in a round are counted from 1, those of the message phase first.
    """

    game: int
    round: int
    seat: int
    attempt: int


def call_name(game_id: str, key: CallKey) -> str:
    """``<game_id>/<round>/<seat>/<attempt>``, as moves and errors refer to a call."""
    return f"{game_id}/{key.round}/{key.seat}/{key.attempt}"


def draw_text(plan: GamePlan, key: CallKey) -> str:
    """What tells the draw of this call from every other one of the run.

    It depends on plan and place alone: the same after a resume, in whatever order games are played,
    and different for any two calls, so that repetitions never share a reply or a seed.
    """
    return f"{plan.seed}/{call_name(plan.game_id, key)}"


def request_digest(
    player: str, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool]
) -> bytes:
    """Sixteen bytes that change with anything an agent asks.

    Settings at their defaults do not enter, so that a setting of a later version changes nothing; nor do
    calls of tools where a message has none.
    """
    content = [
        player,
        [[m.role, m.content, *_tools_of(m)] for m in messages],
        settings.model_dump(mode="json", exclude_defaults=True),
        [dict(tool) for tool in tools],
    ]
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def _tools_of(message: Message) -> list[Any]:
    """What a message says of tools, nothing where it says nothing."""
    if not message.tool_calls and message.tool_call_id is None:
        return []
    return [[dict(call) for call in message.tool_calls], message.tool_call_id]


@dataclass(frozen=True)
class Request:
    """What an agent asks, and where.

    Parameters
    ----------
    key : CallKey
    player : str, as in the plan
    purpose : str
    messages : tuple of Message
    settings : Settings
    tools : tuple of Tool
    draw : str, as `draw_text`
    family : str
        Requests of one family are alike in most of their text.
    """

    key: CallKey
    player: str
    purpose: str
    messages: tuple[Message, ...]
    settings: Settings
    tools: tuple[Tool, ...]
    draw: str
    family: str

    @property
    def digest(self) -> bytes:
        """As `request_digest`."""
        return request_digest(self.player, self.messages, self.settings, self.tools)


RECORDED_COLUMNS = (
    "base, game, round, seat, attempt, asked, text, reasoning, model, created, fingerprint, finish_reason, "
    "prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, body, tool_calls"
)


_KINDS = {
    "time-out": ("no answer within", "timed out"),
    "unreadable answer": ("the answer is", "expected a JSON"),
}
"""What failures without a status are counted as, by words of their messages."""


@dataclass(frozen=True)
class RecordedCall:
    """A kept call.

    Parameters
    ----------
    key : CallKey
    asked : bytes
        Digest of the request, as `intent.runner.calls.request_digest`.
    reply : Reply
    """

    key: CallKey
    asked: bytes
    reply: Reply


def recorded_call(row: Sequence[Any], base: bytes | None) -> RecordedCall:
    """The call of a row of `RECORDED_COLUMNS`.

    Parameters
    ----------
    row : sequence
    base : bytes or None
        The text that its body is packed with.

    Raises
    ------
    RunError
        The row is damaged.
    """
    _, game, number, seat, attempt, digest, text, reasoning, *facts, body, tools = row
    key = CallKey(game, number, seat, attempt)
    try:
        sent, tool_calls = json.loads(unpack(body, base) or "{}"), json.loads(unpack(tools) or "[]")
        model, created, fingerprint, finish_reason, *tokens = facts
        reply = Reply(
            text=unpack(text) or "",
            reasoning=unpack(reasoning),
            model=model,
            created=created,
            fingerprint=fingerprint,
            finish_reason=finish_reason,
            usage=Usage(*tokens),
            sent=dict(sent),
            tool_calls=tuple(dict(t) for t in tool_calls),
        )
    except (ValueError, TypeError, RecursionError) as error:
        raise RunError(f"call {tuple(key)} is damaged: {shorten(error)}") from None
    return RecordedCall(key, digest, reply)


def failure_row(failure: object) -> tuple[str, str, float | None]:
    """Kind, message and seconds of a failed request: a `Failure`, or the error of a call."""
    text, seconds = str(failure), None
    if isinstance(failure, Failure):
        text, seconds = failure.error, failure.seconds
    text, status = shorten(redact(text), 500), getattr(failure, "status", None)
    if status is not None:
        return f"HTTP {status}", text, seconds
    if not isinstance(failure, Failure | RetryableError):
        return type(failure).__name__, text, seconds
    kinds = (kind for kind, words in _KINDS.items() if any(word in text for word in words))
    return next(kinds, "connection"), text, seconds
