"""The tool architecture: one call to an adviser, if the model wants one, then the decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.architectures.base import (
    ModelAgent,
    Options,
    Readout,
    Response,
    as_answer,
    ask_until_read,
    choosing,
    decision_of,
    free,
    join_reasoning,
    question_request,
    question_values,
    read_label,
    read_options,
    read_stated_label,
    reminded,
    response_of,
    unit,
)
from intent.agents.architectures.tool_calls import (
    Call,
    CallProtocol,
    Calls,
    Native,
    Prompted,
    described,
)
from intent.agents.client import Message, Settings
from intent.agents.clients.anthropic import check_thinking
from intent.agents.clients.registry import provider_of, takes_tools
from intent.agents.plan import GamePlan, ReplyRules, SeatPlan
from intent.agents.prompts.prompt_set import Inside, PromptSet
from intent.agents.tools import TOOL_NAME, Advice, Adviser, FixedAdvice, NashAdvice
from intent.base.errors import UsageError
from intent.base.replies import Reading
from intent.play.match import View

__all__ = ["Talk", "ToolAgent", "consult"]


@dataclass(frozen=True)
class Talk:
    """How a conversation is held.

    Parameters
    ----------
    settings : Settings, not constrained
    read : from the text of a reply, without calls, to a Reading
    say : from a phrase and its values to its words
    result : the phrase that answers a call
    brief : whether the conversation ends with the first reply or the answer to its call, because a call for
        the label alone follows
    """

    ask: Ask
    settings: Settings
    read: Callable[[str], Reading]
    rules: ReplyRules
    say: Callable[..., str]
    reminder: str
    purpose: str
    result: str = "tool_result"
    brief: bool = False


@dataclass(frozen=True)
class Consultation:
    """What came of a conversation.

    Parameters
    ----------
    reading : of the last reply
    replies : tuple of Response, in order
    messages : the conversation so far, with the answers to all calls
    status : {"called", "not_called", "invalid", "unknown"}
    n_calls, refused : calls, and those of them that were not honoured
    early : whether a decision came with the honoured call
    rest : the last reply's text without calls
    unread : why replies that should have decided could not be read
    """

    reading: Reading
    replies: tuple[Response, ...]
    messages: tuple[Message, ...]
    status: str = "not_called"
    n_calls: int = 0
    refused: int = 0
    early: bool = False
    rest: str = ""
    advice: Advice | None = None
    unread: tuple[str, ...] = ()

    @property
    def settled(self) -> Readout:
        """The last reply with its reading."""
        return Readout(self.reading, self.replies[-1], self.unread)

    @property
    def advised(self) -> str | None:
        """The action that the tool advised."""
        return self.advice.action if self.advice else None

    def details(self) -> dict[str, Any]:
        """What the log's column ``details`` says of the call."""
        advice = self.advice or Advice(None)
        return {
            "status": self.status,
            "calls": self.n_calls,
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
    rng : given to the adviser once at most
    """
    anchor = messages = tuple(base)
    replies: list[Response] = []
    unread: list[str] = []
    status, advice, early = "not_called", None, False
    n_calls = refused = tries = 0
    while True:
        settings = protocol.settings(talk.settings, called=status != "not_called")
        answer = await talk.ask(messages, settings, purpose=talk.purpose, tools=protocol.tools)
        last = response_of(answer)
        replies.append(last)
        calls = protocol.calls(last)
        reading = talk.read(calls.rest)
        n_calls += calls.count
        first = calls.calls[0] if calls.calls and status == "not_called" else None
        refused += calls.count - (first is not None)
        if first is not None:
            early = reading.action is not None
            status, advice = _honoured(first, adviser, rng)
            anchor = messages = _answered(messages, last, calls, protocol, talk, _worded(advice, talk))
            if talk.brief:
                break
            continue
        tries += 1
        if reading.action is None and not talk.brief:
            unread.append(reading.why or "")
        if talk.brief or reading.action is not None or tries > talk.rules.retries:
            break
        if calls.calls:
            anchor = messages = _answered(messages, last, calls, protocol, talk)
        else:
            messages = reminded(anchor, last.text, talk.reminder) if talk.rules.remind else anchor
    facts = (status, n_calls, refused, early, calls.rest, advice, tuple(unread))
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
    return talk.say(talk.result, advised=advice.action)


def _answered(
    messages: tuple[Message, ...],
    last: Response,
    calls: Calls,
    protocol: CallProtocol,
    talk: Talk,
    *first: str,
) -> tuple[Message, ...]:
    """The conversation with the reply and what its calls are answered: `first`, then refusals."""
    refusals = [talk.say("tool_refused")] * (len(calls.calls) - len(first))
    return protocol.exchange(messages, last, calls, [*first, *refusals])


class ToolOptions(Options):
    """Options of the architecture.

    Attributes
    ----------
    tool : auto is nash for the attitude compute or none, else fixed
    protocol : {"auto", "native", "prompted"}
        Whether calls are the endpoint's own, or lines ``CALL: {…}`` in the text. Auto is prompted for models
        that take no tools: local ones, and scripted ones that only say labels.
    advice : {"optional", "basis"}
        Whether the model is told that following is up to it, or is asked to decide on the basis of the
        advice, as in the thesis.
    """

    tool: Literal["auto", "fixed", "nash"] = "auto"
    protocol: Literal["auto", "native", "prompted"] = "auto"
    advice: Literal["optional", "basis"] = "optional"


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
        self._basis = options.advice == "basis"

    @property
    def _result(self) -> str:
        return "tool_result_basis" if self._basis else "tool_result"

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
            self._result,
            brief=settings.constrained,
        )
        protocol = self._protocol()
        values = {} if self._native else {"tool_protocol": self._explained()}
        request = f"{protocol.request}_json" if plan.reply.parser == "json" else protocol.request
        base = self._prompts.render(view, plan, "choose", self._inside(request, **values))
        held = await consult(talk, base, protocol, self._adviser, rng)
        settled = await self._last_label(held, protocol, settings, view, ask) if talk.brief else held.settled
        return decision_of(
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
            self._result,
        )
        values = question_values(question, view, plan, self._prompts)
        base = self._prompts.render(view, plan, "choose", self._inside(question_request(plan), **values))
        if isinstance(protocol, Prompted):
            base = protocol.with_explanation(base)
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
    ) -> Readout:
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

    def _inside(self, request: str | None = None, **values: object) -> Inside:
        inside = super()._inside(request, **values)
        return replace(inside, blocks=frozenset({"tool_basis"})) if self._basis else inside

    def _say(self, phrase: str, **values: object) -> str:
        return self._prompts.say(phrase, self._plan, **values)


def _adviser(plan: GamePlan, seat: int, options: ToolOptions) -> Adviser:
    computes = plan.seats[seat - 1].attitude in (None, "compute")
    kind = ("nash" if computes else "fixed") if options.tool == "auto" else options.tool
    return NashAdvice.of(plan, seat) if kind == "nash" else FixedAdvice.of(plan, seat)


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


def _thinking(held: Consultation, settled: Readout) -> str | None:
    """All reasoning, and what was said beside a bare label or the answer to a question."""
    thoughts: list[str | None] = []
    for reply in held.replies:
        final = reply is settled.last
        bare = final and held.rest.strip() in (settled.reading.action, "")
        thoughts += [reply.reasoning, None if bare else reply.text]
    if settled.last is not held.replies[-1]:
        thoughts.append(settled.last.reasoning)
    return join_reasoning(*thoughts)
