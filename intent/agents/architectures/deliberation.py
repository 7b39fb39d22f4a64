"""Public deliberation: text that the others read, written before or with the decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.architectures.conversation import beyond, follow
from intent.agents.architectures.deciding import (
    LONGEST_REASONING,
    Heard,
    ask_until_read,
    choosing,
    cut,
    decided,
    free,
    heard,
    join_reasoning,
    read_stated_label,
)
from intent.agents.architectures.model_agent import ModelAgent
from intent.agents.architectures.options import Options, Stages, read_options, staged
from intent.agents.client import Message
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.history import LONGEST_MESSAGE
from intent.agents.prompts.prompt_set import PromptSet
from intent.agents.replies import Reading
from intent.agents.replies.normalise import spellings
from intent.agents.replies.private_text import PrivateText
from intent.agents.replies.public_text import without_statement
from intent.play.view import Phase, View

__all__ = ["DeliberationOptions", "PublicAgent", "deliberation_stages", "joined", "whole"]


class DeliberationOptions(Options):
    """Options of both architectures.

    Attributes
    ----------
    stages : {"auto", "together", "apart"}
        All in one reply, or one call per stage; auto is apart where the seat's replies are constrained.
    """

    stages: Stages = "auto"


@dataclass(frozen=True, eq=False)
class _Thought:
    """What was thought and written before a decision, and the conversation in which it was."""

    first: tuple[Message, ...]
    talk: tuple[Message, ...]
    last: Heard
    parted: PrivateText
    reasoning: str | None


class PublicAgent(ModelAgent):
    """A language model that explains its choice to the others, in text that is public as a whole.

    together
        One call: the text, and a last line ``DECISION: label``.
    apart
        A call for the text, not constrained, then one for the label, which sees the text.

    The text, without the statement of the decision, goes with a move that could be read: the others see it
    from the next round on. In a game with messages it is the message, and the choice is asked for alone.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, 3.1.

    Raises
    ------
    UsageError
        Unknown options, or ``then: default`` without a default.
    """

    blocks: ClassVar[frozenset[str]] = frozenset({"public"})
    _at_once: ClassVar[str] = "explain"

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        super().__init__(plan, seat, prompts)
        self._stages = deliberation_stages(plan, self._seat)
        self._spoken: tuple[int, _Thought] | None = None

    @classmethod
    def calls(cls, plan: GamePlan, seat: SeatPlan) -> tuple[int, int]:
        """Calls per round, the message of a message phase included, as expected and at most."""
        first = int(deliberation_stages(plan, seat) == "apart" or plan.communication != "none")
        return first + 1, first + 1 + plan.reply.retries

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move, with its public text where the game has no messages; `rng` is not used."""
        if self._plan.communication != "none":
            spoken = self._spoken[1] if self._spoken and self._spoken[0] == view.round else None
            return await self._decide(view, ask, spoken)
        if self._stages == "apart":
            return await self._decide(view, ask, await self._think(view, ask, "choose"))
        return await self._decide(view, ask, None, self._at_once)

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The message: the public part of the reply; an empty one is silence."""
        thought = await self._think(view, ask, "message")
        self._spoken = (view.round, thought)
        return Decision(
            None,
            message=cut(thought.parted.public, LONGEST_MESSAGE) or None,
            private_thought=whole(thought.parted.private),
            reasoning=thought.reasoning,
            reply=thought.last.reference,
            prompt=thought.last.reference,
        )

    async def _think(self, view: View, ask: Ask, phase: Phase) -> _Thought:
        """All that comes before the decision; the last call is for the public text."""
        first: tuple[Message, ...] = ()
        talk: tuple[Message, ...] = ()
        replies: list[Heard] = []
        stages = self._requests(view, phase)
        for number, (request, values) in enumerate(stages, start=1):
            prompt = self._prompts.render(view, self._plan, phase, self._inside(request, **values))
            talk = follow(talk, replies[-1].text, beyond(first, prompt)) if replies else prompt
            first = first or prompt
            purpose = "message" if number == len(stages) else "think"
            replies.append(heard(await ask(talk, free(self._seat.settings), purpose=purpose)))
        written = self._part(replies[-1].text)
        private = joined(*(reply.text for reply in replies[:-1]), written.private)
        return _Thought(
            first,
            talk,
            replies[-1],
            replace(written, private=private),
            join_reasoning(*(reply.reasoning for reply in replies)),
        )

    def _requests(self, view: View, phase: Phase) -> list[tuple[str, dict[str, object]]]:
        """What is asked for before the decision, one call after the other."""
        if phase == "message":
            return [("communicate", {})]
        return [("write_public", {})]

    async def _decide(
        self, view: View, ask: Ask, before: _Thought | None, request: str | None = None
    ) -> Decision:
        """The decision after what was thought before, or with it where `request` asks for both.

        The action is read in the public part of a reply only.
        """
        plan, settings = self._plan, choosing(self._seat, view, self._plan)
        options = self._prompts.say("or", plan).join(settings.choices)
        tries: list[PrivateText] = []

        def read(text: str) -> Reading:
            tries.append(self._part(text))
            return read_stated_label(tries[-1].public, view.actions, plan, settings)

        settled = await ask_until_read(
            ask,
            self._asked(view, before, request, options),
            settings,
            read,
            plan.reply,
            lambda: self._prompts.say("remind_decision", plan, options=options),
        )
        parts = tries if before is None else [before.parted, *tries]
        private = joined(*(part.private for part in parts))
        self._remember(view.round, private)
        return decided(
            settled,
            plan.reply,
            message=self._public(settled.reading, tries if before is None else [before.parted], view),
            private_thought=whole(private),
            reasoning=join_reasoning(before.reasoning if before else None, settled.last.reasoning),
            details=self._details(parts[0] if before else parts[-1]),
        )

    def _asked(
        self, view: View, before: _Thought | None, request: str | None, options: str
    ) -> tuple[Message, ...]:
        """The request for a decision, behind the conversation so far."""
        if before is None:
            return self._prompts.render(view, self._plan, "choose", self._inside(request))
        asked = self._prompts.say("decide_now", self._plan, options=options)
        if self._plan.communication != "none":
            asked = beyond(before.first, self._prompts.render(view, self._plan, "choose", self._inside()))
        return follow(before.talk, before.last.text, asked)

    def _public(self, reading: Reading, parts: Sequence[PrivateText], view: View) -> str | None:
        """The text that goes with the move, of the last try that has some.

        After a reminder, which asks for the decision alone, that of the first: what is said with the decision
        then was not written for the others.

        None without a decision, since a reply that could not be read is nothing that its writer meant to
        send, and in a game with messages, where it was sent before.
        """
        if reading.action is None or self._plan.communication != "none":
            return None
        labels = spellings(view.actions)
        for part in parts if self._plan.reply.remind else reversed(parts):
            text = without_statement(part.public[: 2 * LONGEST_MESSAGE], "DECISION")
            if text and labels.label(text) is None:
                return cut(text, LONGEST_MESSAGE)
        return None

    def _part(self, text: str) -> PrivateText:
        """A reply of a public agent is public as a whole."""
        return PrivateText(text, "")

    def _remember(self, number: int, private: str) -> None:
        """A public agent has no thoughts to remember."""

    def _details(self, part: PrivateText) -> Mapping[str, Any]:
        return {"stages": self._stages}


def deliberation_stages(plan: GamePlan, seat: SeatPlan) -> str:
    """One call or several: ``together`` or ``apart``, by the seat's options and settings.

    Raises
    ------
    UsageError
        Options that the architecture does not have.
    """
    return staged(read_options(DeliberationOptions, seat, plan).stages, seat.settings)


def joined(*texts: str) -> str:
    """The texts that are not empty, with an empty line between."""
    return "\n\n".join(text for text in texts if text)


def whole(text: str) -> str | None:
    """A private thought as the log keeps it: not endless, None without any."""
    return cut(text, LONGEST_REASONING) or None
