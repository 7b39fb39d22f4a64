"""The tool architecture: one call to an adviser, if the model wants one, then the decision."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.architectures.consulting import Consultation, Talk, consult
from intent.agents.architectures.deciding import (
    Settled,
    as_answer,
    ask_until_read,
    choosing,
    decided,
    free,
    join_reasoning,
    read_label,
    read_stated_label,
    reminded,
)
from intent.agents.architectures.model_agent import ModelAgent
from intent.agents.architectures.options import Options, read_options
from intent.agents.architectures.protocols import CallProtocol, Native, Prompted, described, takes_tools
from intent.agents.architectures.questioning import asked_question, unit
from intent.agents.client import Settings
from intent.agents.clients.anthropic_client import check_thinking
from intent.agents.clients.registry import provider_of
from intent.agents.plan import GamePlan, ReplyRules, SeatPlan
from intent.agents.prompts.prompt_set import PromptSet
from intent.agents.replies import Reading
from intent.agents.tools.advice import TOOL_NAME, Adviser
from intent.agents.tools.fixed import FixedAdvice
from intent.agents.tools.nash import NashAdvice
from intent.errors import UsageError
from intent.play.view import View

__all__ = ["ToolAgent", "ToolOptions"]


class ToolOptions(Options):
    """Options of the architecture.

    Attributes
    ----------
    tool : {"auto", "fixed", "nash"}
        Auto is nash for the attitude compute or none, else fixed.
    protocol : {"auto", "native", "prompted"}
        Whether calls are the endpoint's own, or lines ``CALL: {…}`` in the text. Auto is prompted for models
        that take no tools: local ones, and scripted ones that only say labels.
    """

    tool: Literal["auto", "fixed", "nash"] = "auto"
    protocol: Literal["auto", "native", "prompted"] = "auto"


class ToolAgent(ModelAgent):
    """A language model that may call an adviser once per decision, and decides after the answer.

    1. The model is asked with the tool at hand. A reply without a call that states a decision is the move.
    2. The first call is honoured, whatever it is: with arguments that can be read it is answered with the
       advice, else with what could not be read. All other calls, in the same reply or later, are refused.
    3. The decision is read in the replies that follow; one that was stated with the call is early and does
       not count. Where replies are constrained, a last call for the label alone follows.
    4. Replies that cannot be read are asked for again as in `PlainAgent`, before and after the call together.

    Comprehension questions are answered in the same way, with a call of their own.

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, 2.3.2.

    Parameters
    ----------
    plan : GamePlan
    seat : int, from 1
    prompts : PromptSet

    Raises
    ------
    UsageError
        Unknown options, an attitude that the tool cannot advise, a game that it makes no sense in, or the
        native protocol for a model that has none.
    SettingError
        Native calls of an Anthropic model that thinks: see `check_thinking`.
    """

    blocks: ClassVar[frozenset[str]] = frozenset({"tool"})
    answers_as_it_decides: ClassVar[bool] = True

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        super().__init__(plan, seat, prompts)
        options = read_options(ToolOptions, self._seat, plan)
        self._adviser = _adviser(plan, seat, options)
        self._native = _native(plan, self._seat, options)

    @classmethod
    def calls(cls, plan: GamePlan, seat: SeatPlan) -> tuple[int, int]:
        """Calls per round, the message of a message phase included, as expected and at most."""
        spoken = int(plan.communication != "none")
        return spoken + 2, spoken + 2 + plan.reply.retries

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move; `rng` decides between two best actions."""
        plan, settings, say = self._plan, choosing(self._seat, view, self._plan), self._say
        loose = settings.model_copy(update={"constrained": False})
        options = say("or").join(settings.choices)
        talk = Talk(
            ask,
            loose,
            lambda text: read_stated_label(text, view.actions, plan, loose),
            plan.reply,
            say,
            say("remind_decision", options=options),
            "choose",
            brief=settings.constrained,
        )
        protocol = self._protocol()
        values = {} if self._native else {"tool_protocol": self._explained()}
        base = self._prompts.render(view, plan, "choose", self._inside(protocol.request, **values))
        held = await consult(talk, base, protocol, self._adviser, rng)
        settled = await self._last_label(held, protocol, settings, view, ask) if talk.brief else held.settled
        return decided(
            settled,
            plan.reply,
            reasoning=_thinking(held, settled),
            advice=held.advised,
            details={"tool": self._adviser.name, "protocol": protocol.name, **held.details()},
        )

    async def answer(self, question: str, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The answer to the question of this name, as given; the tool may be called once for it too."""
        plan, protocol = self._plan, self._protocol()
        talk = Talk(
            ask,
            free(self._seat.settings),
            lambda text: Reading(text or None),
            ReplyRules(retries=0),
            self._say,
            "",
            "question",
        )
        values = asked_question(question, view, plan, self._prompts)
        base = self._prompts.render(view, plan, "choose", self._inside("question", **values))
        if isinstance(protocol, Prompted):
            base = protocol.told(base)
        held = await consult(talk, base, protocol, self._adviser, rng)
        text, last = as_answer(held.rest), held.replies[-1]
        return Decision(
            None,
            message=text,
            reasoning=_thinking(held, held.settled),
            reply=last.reference,
            prompt=last.reference,
            advice=held.advised,
        )

    async def _last_label(
        self, held: Consultation, protocol: CallProtocol, settings: Settings, view: View, ask: Ask
    ) -> Settled:
        """The constrained call after the conversation."""
        plan = self._plan
        options = self._say("or").join(settings.choices)
        shown = held.replies[-1].text if held.status == "not_called" else ""
        return await ask_until_read(
            ask,
            reminded(held.messages, shown, self._say("decide_now", options=options)),
            protocol.settings(settings, called=True),
            lambda text: read_label(text, view.actions, plan, settings),
            plan.reply,
            lambda: self._say("remind_decision", options=options),
            tools=protocol.tools,
        )

    def _protocol(self) -> CallProtocol:
        """The protocol in the words of the plan's language, which only play needs."""
        if self._native:
            return Native(self._description(), tuple(self._arguments().items()))
        return Prompted(self._explained())

    def _description(self) -> str:
        return self._say(f"tool_description_{self._adviser.name}", unit=unit(self._plan, self._prompts))

    def _arguments(self) -> dict[str, str]:
        """What each argument is, in the labels and the unit of the game."""
        if not isinstance(self._adviser, NashAdvice):
            return {}
        values = {
            "cooperate": self._adviser.cooperate,
            "defect": self._adviser.defect,
            "unit": unit(self._plan, self._prompts),
        }
        return {name: self._say(f"argument_{name}", **values) for name in self._adviser.arguments}

    def _explained(self) -> str:
        return self._say(
            "tool_protocol",
            tool_name=TOOL_NAME,
            tool_description=self._description(),
            tool_arguments=described(self._arguments()),
        )

    def _say(self, phrase: str, **values: object) -> str:
        return self._prompts.say(phrase, self._plan, **values)


def _adviser(plan: GamePlan, seat: int, options: ToolOptions) -> Adviser:
    computes = plan.seats[seat - 1].attitude in (None, "compute")
    wanted = ("nash" if computes else "fixed") if options.tool == "auto" else options.tool
    return NashAdvice.of(plan, seat) if wanted == "nash" else FixedAdvice.of(plan, seat)


def _native(plan: GamePlan, seat: SeatPlan, options: ToolOptions) -> bool:
    able = takes_tools(seat.player)
    if options.protocol == "native" and not able:
        raise UsageError(
            f"{plan.game_id}: {seat.player} takes no tools, expected options: {{protocol: prompted}} or auto"
        )
    native = able if options.protocol == "auto" else options.protocol == "native"
    if native and provider_of(seat.player) == "anthropic":
        check_thinking(seat.player, seat.settings)
    return native


def _thinking(held: Consultation, settled: Settled) -> str | None:
    """All reasoning, and what was said beside a bare label or the answer to a question."""
    said: list[str | None] = []
    for reply in held.replies:
        final = reply is settled.last
        bare = final and held.rest.strip() in (settled.reading.action, "")
        said += [reply.reasoning, None if bare else reply.text]
    if settled.last is not held.replies[-1]:
        said.append(settled.last.reasoning)
    return join_reasoning(*said)
