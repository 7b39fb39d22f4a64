"""A conversation in which a tool may be called once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from intent.agents.agent import Ask
from intent.agents.architectures.deciding import Heard, Settled, heard, reminded
from intent.agents.architectures.protocols import CallProtocol
from intent.agents.client import Message, Settings
from intent.agents.plan import ReplyRules
from intent.agents.replies import Reading
from intent.agents.tools.advice import TOOL_NAME, Advice, Adviser
from intent.agents.tools.calls import Call, Calls

__all__ = ["Consultation", "Talk", "consult"]


@dataclass(frozen=True)
class Talk:
    """How a conversation is held.

    Parameters
    ----------
    ask : Ask
    settings : Settings, not constrained
    read : from the text of a reply, without calls, to a Reading
    rules : ReplyRules
    say : from a phrase and its values to its words
    reminder : str
    purpose : str
    brief : bool
        Whether the conversation ends with the first reply or the answer to its call, because a call for the
        label alone follows.
    """

    ask: Ask
    settings: Settings
    read: Callable[[str], Reading]
    rules: ReplyRules
    say: Callable[..., str]
    reminder: str
    purpose: str
    brief: bool = False


@dataclass(frozen=True)
class Consultation:
    """What came of a conversation.

    Parameters
    ----------
    reading : Reading
        Of the last reply.
    replies : tuple of Heard, in order
    messages : tuple of Message
        The conversation so far, with the answers to all calls.
    status : {"called", "not_called", "invalid", "unknown"}
    asked, refused : int
        Calls, and those of them that were not honoured.
    early : bool
        Whether a decision came with the honoured call.
    rest : str
        The last reply's text without calls.
    advice : Advice, optional
    unread : tuple of str
        Why replies that should have decided could not be read.
    """

    reading: Reading
    replies: tuple[Heard, ...]
    messages: tuple[Message, ...]
    status: str = "not_called"
    asked: int = 0
    refused: int = 0
    early: bool = False
    rest: str = ""
    advice: Advice | None = None
    unread: tuple[str, ...] = ()

    @property
    def settled(self) -> Settled:
        """The last reply with its reading."""
        return Settled(self.reading, self.replies[-1], self.unread)

    @property
    def advised(self) -> str | None:
        """The action that the tool advised."""
        return self.advice.action if self.advice else None

    def details(self) -> dict[str, Any]:
        """What the log's column ``details`` says of the call."""
        advice = self.advice or Advice(None)
        return {
            "status": self.status,
            "calls": self.asked,
            "refused": self.refused,
            "stated": dict(advice.stated) if advice.stated else None,
            "stated_right": advice.right,
            "as_text": advice.as_text,
            "best": list(advice.best) if advice.best else None,
            "early": self.early,
        }


async def consult(
    talk: Talk, base: Sequence[Message], protocol: CallProtocol, adviser: Adviser, rng: np.random.Generator
) -> Consultation:
    """Ask, answer the first call and refuse all others, until a reply can be read or the tries are spent.

    A reply with the honoured call costs no try; every other one that cannot be read does, so that a model
    that calls for ever comes to an end.

    Parameters
    ----------
    base : sequence of Message
    rng : Generator
        Given to the adviser once at most.
    """
    anchor = messages = tuple(base)
    replies: list[Heard] = []
    unread: list[str] = []
    status, advice, early = "not_called", None, False
    asked = refused = tries = 0
    while True:
        settings = protocol.settings(talk.settings, called=status != "not_called")
        answer = await talk.ask(messages, settings, purpose=talk.purpose, tools=protocol.tools)
        last = heard(answer)
        replies.append(last)
        found = protocol.calls(last)
        reading = talk.read(found.rest)
        asked += found.count
        first = found.calls[0] if found.calls and status == "not_called" else None
        refused += found.count - (first is not None)
        if first is not None:
            early = reading.action is not None
            status, advice = _honoured(first, adviser, rng)
            anchor = messages = _answered(messages, last, found, protocol, talk, _worded(advice, talk))
            if talk.brief:
                break
            continue
        tries += 1
        if reading.action is None and not talk.brief:
            unread.append(reading.why or "")
        if talk.brief or reading.action is not None or tries > talk.rules.retries:
            break
        if found.calls:
            anchor = messages = _answered(messages, last, found, protocol, talk)
        else:
            messages = reminded(anchor, last.text, talk.reminder) if talk.rules.remind else anchor
    facts = (status, asked, refused, early, found.rest, advice, tuple(unread))
    return Consultation(reading, tuple(replies), messages, *facts)


def _honoured(call: Call, adviser: Adviser, rng: np.random.Generator) -> tuple[str, Advice]:
    """The answer to the one call, and how it went."""
    if call.name not in (TOOL_NAME, ""):
        return "unknown", Advice(None, problem=call.name)
    advice = adviser.advise(call.arguments, rng)
    return ("called" if advice.problem is None else "invalid"), advice


def _worded(advice: Advice, talk: Talk) -> str:
    if advice.problem is not None:
        return talk.say("tool_error", problem=advice.problem)
    return talk.say("tool_result", advised=advice.action)


def _answered(
    messages: tuple[Message, ...],
    last: Heard,
    found: Calls,
    protocol: CallProtocol,
    talk: Talk,
    *first: str,
) -> tuple[Message, ...]:
    """The conversation with the reply and what its calls are answered: `first`, then refusals."""
    refusals = [talk.say("tool_refused")] * (len(found.calls) - len(first))
    return protocol.exchange(messages, last, found, [*first, *refusals])
