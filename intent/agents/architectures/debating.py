"""The course of a debate: who speaks when, when it is over, and what is counted. Knows no prompts."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from intent.agents.agent import Ask
from intent.agents.architectures.deciding import Heard, heard
from intent.agents.architectures.options import Options
from intent.agents.architectures.role_play import Speaker, other_speaks
from intent.agents.architectures.two_sides import TwoSides
from intent.agents.client import Message, Settings
from intent.agents.replies.normalise import spellings
from intent.agents.replies.stated import read_stated

__all__ = ["DebateOptions", "Debated", "Topic", "debate"]


class DebateOptions(Options):
    """Options of the architecture.

    Attributes
    ----------
    most_turns : int
        Turns of the assistant after which a debate has stalled.
    turns : int
        Turns of the assistant after which a constrained model is asked for the label, `most_turns` at most;
        others decide when they will.
    stalled : {"missing", "restart", "decide"}
        No decision, as after a reply that cannot be read; the debate again from its beginning, up to
        `restarts` times; or a last request for nothing but the decision.
    restarts : int
    role_play : {"keep", "cut"}
        Whether lines that a speaker writes for the other one stay in the turn.
    """

    most_turns: int = Field(default=6, ge=1, le=100)
    turns: int = Field(default=1, ge=1, le=100)
    stalled: Literal["missing", "restart", "decide"] = "missing"
    restarts: int = Field(default=3, ge=0, le=100)
    role_play: Literal["keep", "cut"] = "keep"

    @field_validator("turns")
    @classmethod
    def _reached(cls, turns: int, info: ValidationInfo) -> int:
        """A debate that has stalled before would never come to the label."""
        if turns > info.data.get("most_turns", turns):
            raise ValueError(f"expected most_turns, {info.data['most_turns']}, or less")
        return turns


@dataclass(frozen=True, eq=False)
class Topic:
    """What is debated.

    Parameters
    ----------
    keyword : {"DECISION", "ANSWER"}
        By which the decision maker ends the debate.
    opening : from nothing to TwoSides
        The debate at its beginning.
    name : str
        What prompts call the player.
    settings : Settings
        Of both speakers; never constrained.
    labels : tuple of str
        A message of the decision maker that is one of these ends the debate too.
    fixed : int, optional
        Turns of the assistant after which the debate is over; None until the decision maker ends it.
    """

    keyword: Literal["DECISION", "ANSWER"]
    opening: Callable[[], TwoSides]
    name: str
    settings: Settings
    labels: tuple[str, ...] = ()
    fixed: int | None = None


@dataclass
class Debated:
    """How a debate went.

    Parameters
    ----------
    sides : TwoSides
        Of the last debate, where it was begun again.
    last : Heard or None
        The last turn.
    ended_by : tuple of Message, optional
        The request to which the decision maker answered with its decision; None where it stated none.
    stalled : bool
        Whether `most_turns` were used up, at last.
    turns, role_play, assistant_decided, restarts : int
        As in `intent.schema.DETAILS`, over all debates.
    reasonings : list of str or None
    """

    sides: TwoSides
    last: Heard | None = None
    ended_by: tuple[Message, ...] | None = None
    stalled: bool = False
    turns: int = 0
    role_play: int = 0
    assistant_decided: int = 0
    restarts: int = 0
    reasonings: list[str | None] = field(default_factory=list)


async def debate(ask: Ask, topic: Topic, options: DebateOptions) -> Debated:
    """Let the two speak in turn, the assistant first, until the decision maker decides or a cap is reached.

    1. The assistant's turn. Where the number of its turns is fixed, the debate may be over now.
    2. The decision maker's turn. Its own words alone can end the debate: a statement of the keyword
       (`read_stated`, so that neither quotation nor instruction counts), or a bare label.
    3. After `most_turns` the debate stalls; it is begun again where `stalled` says so.
    """
    found = Debated(topic.opening())
    while True:
        for turn in range(1, options.most_turns + 1):
            await _advise(ask, topic, options, found)
            if topic.fixed is not None and turn >= topic.fixed:
                return found
            if await _respond(ask, topic, options, found):
                return found
        if options.stalled != "restart" or found.restarts >= options.restarts:
            found.stalled = True
            return found
        found.restarts += 1
        found.sides = topic.opening()


async def _advise(ask: Ask, topic: Topic, options: DebateOptions, found: Debated) -> None:
    purpose = "advise" if topic.keyword == "DECISION" else "question"
    said = heard(await ask(found.sides.assistant, topic.settings, purpose=purpose))
    text = _kept("assistant", said, topic, options, found)
    found.turns += 1
    found.assistant_decided += read_stated(text, topic.keyword) is not None
    found.sides.advise(text)


async def _respond(ask: Ask, topic: Topic, options: DebateOptions, found: Debated) -> bool:
    """The decision maker's turn; whether it ends the debate."""
    asked = found.sides.decider
    settings = topic.settings.model_copy(update={"choices": topic.labels})
    purpose = "choose" if topic.keyword == "DECISION" else "question"
    text = _kept("decider", heard(await ask(asked, settings, purpose=purpose)), topic, options, found)
    found.sides.respond(text)
    stated = read_stated(text, topic.keyword) is not None
    if stated or (topic.labels and spellings(topic.labels).label(text) is not None):
        found.ended_by = asked
    return found.ended_by is not None


def _kept(speaker: Speaker, said: Heard, topic: Topic, options: DebateOptions, found: Debated) -> str:
    """The words of a turn, up to those that it writes for the other speaker where these are cut."""
    text = unicodedata.normalize("NFC", said.text)
    begin = other_speaks(text, speaker, topic.name)
    found.role_play += begin is not None
    if options.role_play == "cut" and begin is not None:
        text = text[:begin].rstrip()
    found.last = replace(said, text=text)
    found.reasonings.append(said.reasoning)
    return text
