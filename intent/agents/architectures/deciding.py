"""Asking until a reply can be read: what all architectures of language models do alike.

An agent renders its messages, says how a reply is read, and gets back the last answer with its reading
(`ask_until_read`); `decided` turns that into the move, the default or the missing move of the plan's rules.
What others write reaches a prompt as text and nothing else: only the seat's own replies are parsed here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from intent.agents.agent import Answer, Ask, Decision
from intent.agents.client import Message, Reply, Settings, Tool
from intent.agents.plan import GamePlan, ReplyRules, SeatPlan
from intent.agents.prompts.facts import listed
from intent.agents.prompts.history import LONGEST_MESSAGE
from intent.agents.replies import Parser, Reading, read_reply, strip_reasoning
from intent.agents.replies.stated import read_decision
from intent.errors import UsageError, shorten
from intent.play.view import View

__all__ = [
    "LONGEST_REASONING",
    "Heard",
    "Settled",
    "as_answer",
    "ask_until_read",
    "check_default",
    "choosing",
    "cut",
    "decided",
    "free",
    "heard",
    "join_reasoning",
    "read_label",
    "read_stated_label",
    "reminded",
]

LONGEST_REASONING = 20_000
"""Characters of reasoning that a move keeps; the stored reply has all of it."""

CUT = " […]"
"""Stands for what is beyond; messages to the others have `LONGEST_MESSAGE` characters too."""


@dataclass(frozen=True)
class Heard:
    """An answer taken apart.

    Parameters
    ----------
    text : str
        Without reasoning, stripped.
    reasoning : str or None
        From wherever the endpoint put it, at most `LONGEST_REASONING` characters.
    reference : str
        The name that the reply is stored by.
    reply : Reply
        As it came, with its tool calls.
    """

    text: str
    reasoning: str | None
    reference: str
    reply: Reply


@dataclass(frozen=True)
class Settled:
    """The last answer and what was read in it.

    Parameters
    ----------
    reading : Reading
        Without an action where no reply could be read.
    last : Heard
    unread : tuple of str
        Why replies could not be read, in their order, that of the last answer too.
    """

    reading: Reading
    last: Heard
    unread: tuple[str, ...] = ()


async def ask_until_read(
    ask: Ask,
    base: Sequence[Message],
    settings: Settings,
    read: Callable[[str], Reading],
    rules: ReplyRules,
    reminder: Callable[[], str],
    *,
    purpose: str = "choose",
    tools: Sequence[Tool] = (),
) -> Settled:
    """Ask, and again up to ``rules.retries`` times where the reply cannot be read.

    The same messages are sent again, or, with ``rules.remind``, those followed by the last reply and a
    reminder of what is expected.

    Parameters
    ----------
    base : sequence of Message
    settings : Settings
    read : from a reply without reasoning to a Reading
    reminder : called where a reminder is needed
    """
    messages: Sequence[Message] = base
    unread: list[str] = []
    for _ in range(rules.retries + 1):
        last = heard(await ask(messages, settings, purpose=purpose, tools=tools))
        reading = read(last.text)
        if reading.action is not None:
            break
        unread.append(reading.why or "")
        if rules.remind:
            messages = reminded(base, last.text, reminder())
    return Settled(reading, last, tuple(unread))


def decided(settled: Settled, rules: ReplyRules, **more: Any) -> Decision:
    """The move that was read, or what the plan's rules put in its place.

    Parameters
    ----------
    more
        Further attributes of the decision, in place of those of the last answer (``reasoning``) too.
        ``details`` grow by the reasons why replies could not be read, where there are any.
    """
    if settled.unread:
        more["details"] = {**more.get("details", {}), "unread": list(settled.unread)}
    kept = {
        "reasoning": settled.last.reasoning,
        "reply": settled.last.reference,
        "prompt": settled.last.reference,
        **more,
    }
    if settled.reading.action is not None:
        return Decision(settled.reading.action, **kept)
    if rules.then == "default":
        return Decision(rules.default, "defaulted", **kept)
    return Decision(None, "missing", end=rules.then == "end", **kept)


def check_default(plan: GamePlan) -> None:
    """Refuse ``then: default`` without a default, or with one that is no action of the game.

    Raises
    ------
    UsageError
    """
    actions = plan.stage().actions
    if plan.reply.then == "default" and plan.reply.default not in actions:
        raise UsageError(
            f"{plan.game_id}: reply.default {shorten(plan.reply.default)!r}, "
            f"expected one of {', '.join(actions)}"
        )


def choosing(seat: SeatPlan, view: View, plan: GamePlan) -> Settings:
    """The seat's settings with the labels of the view, in the order of the prompt."""
    return seat.settings.model_copy(update={"choices": listed(view.actions, plan.listed_first)})


def free(settings: Settings) -> Settings:
    """The settings for text that is no label: not constrained."""
    return settings.model_copy(update={"constrained": False, "choices": ()})


def read_label(text: str, labels: Sequence[str], plan: GamePlan, settings: Settings) -> Reading:
    """The label that is the whole reply, by the plan's parser.

    A constrained reply is a label by itself, whatever the prompt asked for.
    """
    reading = read_reply(text, labels, plan.reply.parser)
    if reading.action is None and settings.constrained:
        return read_reply(text, labels, "strict")
    return reading


def read_stated_label(text: str, labels: Sequence[str], plan: GamePlan, settings: Settings) -> Reading:
    """The label that the reply states as its DECISION, else the label that is the whole reply.

    The substring search of the parser ``fairgame`` would find a label in any train of thought, so it reads
    nothing here but a whole label.
    """
    if not settings.constrained:
        stated = read_decision(text, labels)
        if stated.action is not None:
            return stated
        # Some requests here are for a bare label, whatever the parser: that of the last call of several.
        parsers: tuple[Parser, ...] = ("json", "strict") if plan.reply.parser == "json" else ("strict",)
        wholes = (read_reply(text, labels, parser) for parser in parsers)
        return next((whole for whole in wholes if whole.action is not None), stated)
    return read_label(text, labels, plan, settings)


def reminded(base: Sequence[Message], reply: str, reminder: str) -> tuple[Message, ...]:
    """`base`, followed by the reply that could not be read and the reminder."""
    if reply:
        shown = Message("assistant", cut(reply, LONGEST_MESSAGE))
        return (*base, shown, Message("user", reminder))
    # Endpoints refuse empty messages, and some chat formats two of one role in a row.
    last = base[-1]
    return (*base[:-1], replace(last, content=f"{last.content}\n\n{reminder}"))


def heard(answer: Answer) -> Heard:
    """The answer's text, and the reasoning from wherever the endpoint put it."""
    text, inside = strip_reasoning(answer.reply.text)
    reasoning = join_reasoning(answer.reply.reasoning, inside)
    return Heard(text, reasoning, answer.reference, answer.reply)


def join_reasoning(*thoughts: str | None) -> str | None:
    """The thoughts with an empty line between, up to `LONGEST_REASONING` characters; None without any."""
    return cut("\n\n".join(thought for thought in thoughts if thought), LONGEST_REASONING) or None


def cut(text: str, limit: int) -> str:
    """`text`, or its first `limit` characters and a sign that there is more."""
    return text if len(text) <= limit else text[:limit].rstrip() + CUT


def as_answer(text: str) -> str | None:
    """What is kept of the answer to a question: the end of a long one, where answers are stated."""
    return text[-LONGEST_MESSAGE:].strip() or None
