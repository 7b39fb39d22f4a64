"""The debate: one who decides without knowing the payoffs, and an assistant who knows them and cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.architectures.conversation import beyond
from intent.agents.architectures.debating import Debated, DebateOptions, Topic, debate
from intent.agents.architectures.deciding import (
    Settled,
    as_answer,
    ask_until_read,
    choosing,
    decided,
    free,
    heard,
    join_reasoning,
    read_stated_label,
    reminded,
)
from intent.agents.architectures.model_agent import ModelAgent
from intent.agents.architectures.options import read_options
from intent.agents.architectures.questioning import asked_question
from intent.agents.architectures.two_sides import TwoSides
from intent.agents.client import Message, Settings
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.inside import Inside, Role
from intent.agents.prompts.prompt_set import PromptSet
from intent.agents.replies import Reading
from intent.agents.replies.normalise import spellings
from intent.agents.replies.reading import nothing
from intent.agents.replies.stated import read_decision
from intent.agents.tools.fixed import advised_label
from intent.play.view import View

__all__ = ["DebateAgent"]


class DebateAgent(ModelAgent):
    """Two voices of one language model: a decision maker and an assistant, who take turns.

    1. The assistant, who is told the payoffs and the advice to give (the seat's attitude), speaks first; so
       the debate cannot end before it was heard.
    2. Then the decision maker, and so on, until a message of the decision maker states ``DECISION: label``
       or is nothing but a label. The words of the assistant, and quoted instructions, do not end it.
    3. After `most_turns` turns of the assistant it has stalled: see `DebateOptions.stalled`.
    4. A statement that is no label is asked for again, as any reply that cannot be read.

    The message of a message phase is the decision maker's, in one call. Comprehension questions are debated
    alike, to the keyword ``ANSWER``; the log has the message that states it, or none after a stall.

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, 2.3.3 and 4.1.2.

    Raises
    ------
    UsageError
        Unknown options, an attitude that means no action, or ``then: default`` without a default.
    """

    answers_as_it_decides: ClassVar[bool] = True

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        super().__init__(plan, seat, prompts)
        self._options = read_options(DebateOptions, self._seat, plan)
        self._advised = advised_label(plan, seat)

    @classmethod
    def calls(cls, plan: GamePlan, seat: SeatPlan) -> tuple[int, int]:
        """Calls per round, the message of a message phase included, as expected and at most.

        What is expected of a model that decides when it will is a debate of two turns each.
        """
        options = read_options(DebateOptions, seat, plan)
        spoken, again = int(plan.communication != "none"), plan.reply.retries
        if seat.settings.constrained:
            fixed = 2 * min(options.turns, options.most_turns)
            return spoken + fixed, spoken + fixed + again
        debates = options.restarts + 1 if options.stalled == "restart" else 1
        longest = 2 * options.most_turns * debates + (options.stalled == "decide")
        return spoken + 2 * min(2, options.most_turns), spoken + longest + again

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move; `rng` is not used."""
        plan, settings = self._plan, choosing(self._seat, view, self._plan)
        topic = self._topic("DECISION", view, "debate", labels=settings.choices)
        found = await debate(ask, topic, self._options)
        settled = await self._settled(view, ask, found, settings)
        asked_again = () if settled.last is found.last else (settled.last.reasoning,)
        return decided(
            settled,
            plan.reply,
            reasoning=join_reasoning(*found.reasonings, *asked_again),
            advice=self._advised or _recommended(found, view.actions),
            details=_details(found, settled.reading),
        )

    async def answer(self, question: str, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The message of the decision maker that states its answer; None after a stall."""
        values = asked_question(question, view, self._plan, self._prompts)
        topic = self._topic("ANSWER", view, "debate_question", values)
        found = await debate(ask, topic, self._options)
        last = found.last
        if found.ended_by is None and self._forced(found):
            closing = self._closing(view, found, "debate_answer", values)
            last = heard(await ask(closing, topic.settings, purpose="question"))
        elif found.ended_by is None:
            last = last and replace(last, text="")
        assert last is not None
        return Decision(
            None,
            message=as_answer(last.text),
            reasoning=join_reasoning(*found.reasonings),
            reply=last.reference,
            prompt=last.reference,
        )

    async def _settled(self, view: View, ask: Ask, found: Debated, settings: Settings) -> Settled:
        """The label that was stated, or what comes of asking for it."""
        plan, rules = self._plan, self._plan.reply
        last, free_of = found.last, free(settings).model_copy(update={"choices": settings.choices})
        assert last is not None
        if found.ended_by is None and not self._forced(found):
            return Settled(nothing("no decision was stated"), last)
        options = self._prompts.say("or", plan).join(settings.choices)
        reminder = self._prompts.say("remind_decision", plan, options=options)
        unread: tuple[str, ...] = ()
        if found.ended_by is None:
            base = self._closing(view, found, "debate_decide")
        else:
            settings = free_of
            reading = read_stated_label(last.text, view.actions, plan, settings)
            unread = () if reading.action is not None else (reading.why or "",)
            if not unread or not rules.retries:
                return Settled(reading, last, unread)
            base = reminded(found.ended_by, last.text, reminder) if rules.remind else found.ended_by
            rules = rules.model_copy(update={"retries": rules.retries - 1})
        settled = await ask_until_read(
            ask,
            base,
            settings,
            lambda text: read_stated_label(text, view.actions, plan, settings),
            rules,
            lambda: reminder,
        )
        return replace(settled, unread=(*unread, *settled.unread))

    def _topic(
        self,
        keyword: Literal["DECISION", "ANSWER"],
        view: View,
        request: str,
        values: Mapping[str, object] = MappingProxyType({}),
        labels: tuple[str, ...] = (),
    ) -> Topic:
        def opening() -> TwoSides:
            return TwoSides(
                self._prompts.render(view, self._plan, "choose", self._voice("assistant", request, values)),
                self._prompts.render(view, self._plan, "choose", self._voice("decider", request, values)),
            )

        settings = self._seat.settings
        fixed = self._options.turns if settings.constrained else None
        return Topic(keyword, opening, self._seat.name, free(settings), labels, fixed)

    def _forced(self, found: Debated) -> bool:
        """Whether a debate without a decision ends with a request for nothing else."""
        return not found.stalled or self._options.stalled == "decide"

    def _closing(
        self, view: View, found: Debated, request: str, values: Mapping[str, object] = MappingProxyType({})
    ) -> tuple[Message, ...]:
        inside = self._voice("decider", request, values)
        closing = self._prompts.render(view, self._plan, "choose", inside)
        return found.sides.closing(beyond(found.sides.opening, closing))

    def _voice(self, role: Role, request: str, values: Mapping[str, object]) -> Inside:
        if role == "decider":
            return Inside(role, request, values=values)
        if self._advised is None:
            return Inside(role, request, frozenset({"advise_compute"}), values=values)
        return Inside(role, request, frozenset({"advise"}), values={**values, "advised": self._advised})

    def _inside(self, request: str | None = None, **values: object) -> Inside:
        """The message of a message phase is the decision maker's."""
        return Inside("decider", request, values=values)


def _recommended(found: Debated, labels: Sequence[str]) -> str | None:
    """The label that the assistant's last turn states, or the only one that it names."""
    text = next((text for speaker, text in reversed(found.sides.transcript) if speaker == "assistant"), "")
    stated = read_decision(text, labels).action
    named = spellings(tuple(labels)).named(text)
    return stated or (named[0] if len(named) == 1 else None)


def _details(found: Debated, reading: Reading) -> dict[str, Any]:
    """As `intent.schema.DETAILS`; since the assistant speaks first, no decision can be early."""
    unstalled = "unreadable" if reading.action is None else "decided"
    return {
        "status": "stalled" if found.stalled else unstalled,
        "turns": found.turns,
        "role_play": found.role_play,
        "early": 0,
        "assistant_decided": found.assistant_decided,
        "restarts": found.restarts,
        "transcript": [{"speaker": speaker, "text": text} for speaker, text in found.sides.transcript],
    }
