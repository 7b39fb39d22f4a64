"""A conversation over several calls: what a later request says beyond the first, and who said what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from intent.agents.architectures.deciding import cut
from intent.agents.client import Message
from intent.agents.prompts.history import LONGEST_MESSAGE

__all__ = ["beyond", "follow", "with_more"]


def beyond(first: Sequence[Message], later: Sequence[Message]) -> str:
    """What the last message of `later` says that the last of `first` does not: all after their common lines.

    Both are prompts of the same view, alike up to the request; so rules and history are not said again.
    The whole message where they are alike.
    """
    lines = later[-1].content.splitlines()
    pairs = zip(first[-1].content.splitlines(), lines, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return "\n".join(lines[shared:]).strip() or later[-1].content


def follow(talk: Sequence[Message], reply: str, request: str) -> tuple[Message, ...]:
    """The conversation, what the model replied (up to `LONGEST_MESSAGE` characters), and the next request.

    Endpoints refuse empty messages, and some chat formats two of one role in a row; so after an empty reply
    the request is added to the last one.
    """
    if reply.strip():
        return (*talk, Message("assistant", cut(reply, LONGEST_MESSAGE)), Message("user", request))
    return with_more(talk, request)


def with_more(talk: Sequence[Message], text: str) -> tuple[Message, ...]:
    """The conversation with `text` at the end of its last message."""
    last = talk[-1]
    return (*talk[:-1], replace(last, content=f"{last.content}\n\n{text}"))
