"""A kept call, as the reply that it was; a failed request, as it is counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from intent.agents.client import Reply, Usage
from intent.errors import RetryableError, RunError, shorten
from intent.masking import redact
from intent.runner.called import Failure
from intent.runner.keys import CallKey
from intent.runner.packing import unpack

__all__ = ["RECORDED_COLUMNS", "RecordedCall", "failure_row", "recorded_call"]

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
        Digest of the request, as `intent.runner.keys.request_digest`.
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
    _, game, number, seat, attempt, asked, text, reasoning, *said, body, tools = row
    key = CallKey(game, number, seat, attempt)
    try:
        sent, tool_calls = json.loads(unpack(body, base) or "{}"), json.loads(unpack(tools) or "[]")
        model, created, fingerprint, finish_reason, *tokens = said
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
    return RecordedCall(key, asked, reply)


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
