"""Prompt transforms: a model reads and writes in another form, such as a cipher, and nobody else notices.

A transform changes all messages on their way to the model, and the text of its reply on the way back. It is
named in a seat's options, ``{"transform": "caesar:3"}``, whatever the architecture; outsiders add theirs by
entry points of the group ``intent.prompt_transforms``: name -> callable that takes what stands after the
colon and returns a `PromptTransform`. The store keeps what was sent and replied, in its other form; reading,
reminders and the log have the plain one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Protocol, cast

import numpy as np

from intent.agents.agent import TRANSFORM, Agent, Answer, Answering, Ask, Decision
from intent.agents.client import Message, Settings, Tool
from intent.agents.plan import GamePlan
from intent.base.errors import IntentError, PromptError, UnknownNameError, UsageError, one_line, shorten
from intent.base.registry import point, points
from intent.base.replies import strip_reasoning
from intent.play.match import View

__all__ = [
    "ENTRY_POINTS",
    "TRANSFORMS",
    "Caesar",
    "PromptTransform",
    "transform_of",
    "transformed_agent",
]

ENTRY_POINTS = "intent.prompt_transforms"


class PromptTransform(Protocol):
    """A pure pair of functions."""

    def messages(self, messages: Sequence[Message]) -> Sequence[Message]:
        """What the model is sent in place of these messages."""
        ...

    def reply(self, text: str) -> str:
        """The plain text of what the model replied."""
        ...


@dataclass(frozen=True)
class Caesar:
    """The shift cipher: every Latin letter stands for the one `shift` places before it in the alphabet.

    A system message in plain words says so; digits, punctuation and other scripts stay.

    Parameters
    ----------
    shift : int, 1 to 25

    Examples
    --------
    >>> Caesar(3).messages([Message("user", "Go xyz 5!")])[-1].content
    'Jr abc 5!'
    >>> Caesar(3).reply("Jr abc 5!")
    'Go xyz 5!'
    """

    shift: int

    @classmethod
    def of(cls, argument: str) -> Caesar:
        """From what stands after ``caesar:``.

        Raises
        ------
        UsageError
            No whole number from 1 to 25.
        """
        if not (argument.isascii() and argument.isdigit() and 1 <= int(argument[:3]) <= 25):
            raise UsageError(f"caesar:{shorten(argument)}: expected a shift from 1 to 25, as in caesar:3")
        return cls(int(argument[:3]))

    def messages(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The instruction, then the messages in cipher."""
        instruction = (
            f"All messages below are written in a shift cipher: each Latin letter stands for the one "
            f"{self.shift} before it in the alphabet (D for {_shifted('D', -self.shift)}, A for "
            f"{_shifted('A', -self.shift)}). Digits and other signs stand for themselves. Reply in the same "
            "cipher."
        )
        coded = [replace(one, content=_shifted(one.content, self.shift)) for one in messages]
        if coded and coded[0].role == "system":
            return [replace(coded[0], content=f"{instruction}\n\n{coded[0].content}"), *coded[1:]]
        return [Message("system", instruction), *coded]

    def reply(self, text: str) -> str:
        """The text, shifted back."""
        return _shifted(text, -self.shift)


TRANSFORMS: Mapping[str, Callable[[str], PromptTransform]] = MappingProxyType({"caesar": Caesar.of})
"""Name -> what makes the transform from the text after the colon."""


def transform_of(name: str) -> PromptTransform:
    """The transform of a name such as ``caesar:3``.

    Raises
    ------
    UnknownNameError
        No such transform.
    UsageError
        It does not take what stands after the colon, or an outsider's cannot be loaded.
    """
    head, _, argument = name.partition(":")
    if head in TRANSFORMS:
        return TRANSFORMS[head](argument.strip())
    there = point(ENTRY_POINTS, head)
    if there is None:
        raise UnknownNameError("prompt transform", name, [*TRANSFORMS, *points(ENTRY_POINTS)])
    try:
        return _Outside(head, there.load()(argument.strip()))
    except Exception as error:
        raise UsageError(f"prompt transform {one_line(name)!r} cannot be made: {_cause(error)}") from error


@dataclass(frozen=True)
class _Outside:
    """An outsider's transform; where it raises, or gives what is no message or text, an error names it."""

    name: str
    inner: PromptTransform

    def __post_init__(self) -> None:
        for part in ("messages", "reply"):
            if not callable(getattr(self.inner, part, None)):
                raise TypeError(f"{type(self.inner).__name__} has no {part}")

    def messages(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Those of the outsider."""
        prompt = self._of(self.inner.messages, messages)
        if not isinstance(prompt, list | tuple) or not all(isinstance(one, Message) for one in prompt):
            raise self._error(f"messages gave {type(prompt).__name__}, expected a list of Message")
        return prompt

    def reply(self, text: str) -> str:
        """That of the outsider."""
        answer = self._of(self.inner.reply, text)
        if not isinstance(answer, str):
            raise self._error(f"reply gave {type(answer).__name__}, expected str")
        return answer

    def _of(self, part: Callable[[Any], Any], value: object) -> Any:
        try:
            return part(value)
        except Exception as error:
            raise self._error(_cause(error)) from error

    def _error(self, why: str) -> PromptError:
        return PromptError(f"prompt transform {one_line(self.name)!r}: {why}")


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {one_line(error)}"


def transformed_agent(plan: GamePlan, seat: int, make: Callable[[GamePlan], Agent]) -> Agent:
    """The agent that `make` makes, behind the transform that its seat's options name.

    Parameters
    ----------
    make : from the plan, without that option, to the agent

    Raises
    ------
    UnknownNameError, UsageError
        As `transform_of`; a transform of constrained replies, which cannot be in another form, or of an agent
        with a tool, whose calls are no text.
    """
    mine = plan.seats[seat - 1]
    where, name = f"{plan.game_id}: options of {mine.architecture} ({mine.name})", mine.options[TRANSFORM]
    if not isinstance(name, str):
        raise UsageError(f"{where}: transform {shorten(name)!r}, expected a name such as caesar:3")
    try:
        transform = transform_of(name)
    except IntentError as error:
        raise UsageError(f"{where}: {error}") from None
    if mine.settings.constrained:
        raise UsageError(f"{where}: transform {shorten(name)!r} of constrained replies, expected one of both")
    if mine.architecture == "tool":
        raise UsageError(f"{where}: transform {shorten(name)!r} of calls of a tool, expected one of both")
    options = {option: value for option, value in mine.options.items() if option != TRANSFORM}
    bare_seat = mine.model_copy(update={"options": options})
    seats = (*plan.seats[: seat - 1], bare_seat, *plan.seats[seat:])
    agent = make(plan.model_copy(update={"seats": seats}))
    return (_AnsweringBehind if isinstance(agent, Answering) else _Behind)(agent, transform, name)


class _Behind:
    """An agent that asks through a transform."""

    def __init__(self, agent: Agent, transform: PromptTransform, name: str) -> None:
        self._agent, self._transform, self._name = agent, transform, name

    @property
    def columns(self) -> Mapping[str, Any]:
        """The agent's own, and the transform."""
        return {**self._agent.columns, TRANSFORM: self._name}

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The agent's move."""
        return await self._agent.choose(view, _asking(ask, self._transform), rng)

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The agent's message."""
        return await self._agent.speak(view, _asking(ask, self._transform), rng)


class _AnsweringBehind(_Behind):
    """The same, of an agent that answers questions."""

    async def answer(self, question: str, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The agent's answer."""
        agent = cast(Answering, self._agent)
        return await agent.answer(question, view, _asking(ask, self._transform), rng)


def _asking(ask: Ask, transform: PromptTransform) -> Ask:
    async def ask_in_form(
        messages: Sequence[Message],
        settings: Settings | None = None,
        *,
        purpose: str = "choose",
        tools: Sequence[Tool] = (),
    ) -> Answer:
        answer = await ask(transform.messages(messages), settings, purpose=purpose, tools=tools)
        # The tags of reasoning are the model's own and stand in the plain.
        text, inside = strip_reasoning(answer.reply.text)
        thoughts = "\n\n".join(thought for thought in (answer.reply.reasoning, inside) if thought)
        reply = replace(answer.reply, text=transform.reply(text), reasoning=thoughts or None)
        return replace(answer, reply=reply)

    return ask_in_form


def _shifted(text: str, shift: int) -> str:
    return text.translate(_table(shift % 26))


def _table(shift: int) -> dict[int, int]:
    return {base + i: base + (i + shift) % 26 for base in (ord("A"), ord("a")) for i in range(26)}
