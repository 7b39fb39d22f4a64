"""What every agent with one voice has, and the two plain ones: a single answer, and thinking before it.

An agent renders its messages, says how a reply is read, and gets back the last answer with its reading
(`ask_until_read`); `decision_of` turns that into the move, the default or the missing move of the plan's
rules. What others write reaches a prompt as text and nothing else: only the seat's own replies are parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from intent.agents.agent import TRANSFORM, Answer, Ask, Decision
from intent.agents.client import Message, Reply, Settings, Tool
from intent.agents.plan import GamePlan, ReplyRules, SeatPlan, check_attitude, seat_columns
from intent.agents.prompts.prompt_set import LONGEST_MESSAGE, Inside, PromptSet, listed
from intent.base.errors import UnknownNameError, UsageError, shorten
from intent.base.replies import Parser, Reading, read_decision, read_reply, strip_reasoning
from intent.play.match import View

__all__ = [
    "LONGEST_REASONING",
    "ChainOfThoughtAgent",
    "ModelAgent",
    "Options",
    "PlainAgent",
    "Readout",
    "Response",
    "Stages",
    "as_answer",
    "ask_until_read",
    "beyond",
    "choosing",
    "cut",
    "decision_of",
    "follow",
    "free",
    "join_reasoning",
    "question_request",
    "question_values",
    "read_label",
    "read_options",
    "read_stated_label",
    "reminded",
    "response_of",
    "staged",
    "unit",
    "with_more",
]


LONGEST_REASONING = 20_000
"""Characters of reasoning that a move keeps; the stored reply has all of it."""

CUT = " […]"
"""Stands for what is beyond; messages to the others have `LONGEST_MESSAGE` characters too."""


@dataclass(frozen=True)
class Response:
    """An answer taken apart.

    Parameters
    ----------
    text : without reasoning, stripped
    reasoning : from wherever the endpoint put it, at most `LONGEST_REASONING` characters
    reference : the name that the reply is stored by
    reply : as it came, with its tool calls
    """

    text: str
    reasoning: str | None
    reference: str
    reply: Reply


@dataclass(frozen=True)
class Readout:
    """The last answer and what was read in it.

    Parameters
    ----------
    reading : without an action where no reply could be read
    unread : why replies could not be read, in their order, that of the last answer too
    """

    reading: Reading
    last: Response
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
) -> Readout:
    """Ask, and again up to ``rules.retries`` times where the reply cannot be read.

    The same messages are sent again, or, with ``rules.remind``, those followed by the last reply and a
    reminder of what is expected.

    Parameters
    ----------
    read : from a reply without reasoning to a Reading
    reminder : called where a reminder is needed
    """
    messages: Sequence[Message] = base
    unread: list[str] = []
    for _ in range(rules.retries + 1):
        last = response_of(await ask(messages, settings, purpose=purpose, tools=tools))
        reading = read(last.text)
        if reading.action is not None:
            break
        unread.append(reading.why or "")
        if rules.remind:
            messages = reminded(base, last.text, reminder())
    return Readout(reading, last, tuple(unread))


def decision_of(settled: Readout, rules: ReplyRules, **more: Any) -> Decision:
    """The move that was read, or what the plan's rules put in its place.

    Parameters
    ----------
    more
        Further attributes of the decision, in place of those of the last answer (``reasoning``) too.
        ``details`` grow by the reasons why replies could not be read, where there are any.
    """
    if settled.unread:
        more["details"] = {**more.get("details", {}), "unread": list(settled.unread)}
    attributes = {
        "reasoning": settled.last.reasoning,
        "reply": settled.last.reference,
        "prompt": settled.last.reference,
        **more,
    }
    if settled.reading.action is not None:
        return Decision(settled.reading.action, **attributes)
    if rules.then == "default":
        return Decision(rules.default, "defaulted", **attributes)
    return Decision(None, "missing", end=rules.then == "end", **attributes)


def check_default(plan: GamePlan) -> None:
    """Refuse ``then: default`` without a default, or with one that is no action of the game."""
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


def response_of(answer: Answer) -> Response:
    """The answer's text, and the reasoning from wherever the endpoint put it."""
    text, inside = strip_reasoning(answer.reply.text)
    reasoning = join_reasoning(answer.reply.reasoning, inside)
    return Response(text, reasoning, answer.reference, answer.reply)


def join_reasoning(*thoughts: str | None) -> str | None:
    """The thoughts with an empty line between, up to `LONGEST_REASONING` characters; None without any."""
    return cut("\n\n".join(thought for thought in thoughts if thought), LONGEST_REASONING) or None


def cut(text: str, limit: int) -> str:
    """`text`, or its first `limit` characters and a sign that there is more."""
    return text if len(text) <= limit else text[:limit].rstrip() + CUT


def as_answer(text: str) -> str | None:
    """What is kept of the answer to a question: the end of a long one, where answers are stated."""
    return text[-LONGEST_MESSAGE:].strip() or None


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


def question_values(question: str, view: View, plan: GamePlan, prompts: PromptSet) -> dict[str, object]:
    """The placeholders ``question`` and ``answer_form`` of the prompt that asks the question of this name.

    Parameters
    ----------
    question : as in `intent.behaviour.questions`; the phrase ``question_<name>`` words it, ``answer_form``
        or, for two numbers, ``answer_form_extremes`` says how its answer ends

    Raises
    ------
    PromptError
        No such phrase.
    """
    names = [plan.seats[seat - 1].name for seat in view.other_seats]
    text = prompts.say(
        f"question_{question}",
        plan,
        other=prompts.say("comma", plan).join(names),
        unit=unit(plan, prompts),
        options=prompts.say("or", plan).join(listed(view.actions, plan.listed_first)),
    )
    form = "answer_form_extremes" if question == "extremes" else "answer_form"
    json = "_json" if plan.reply.parser == "json" else ""
    return {"question": text, "answer_form": prompts.say(f"{form}{json}", plan)}


def question_request(plan: GamePlan) -> str:
    """The request that asks a comprehension question: for a text that states the answer, or JSON alone."""
    return "question_json" if plan.reply.parser == "json" else "question"


def unit(plan: GamePlan, prompts: PromptSet) -> str:
    """What payoffs are called: reward, penalty, or as the framing has it."""
    return prompts.say(f"unit_{plan.payoff_kind}", plan)


class ModelAgent:
    """The part of a language model's agent that is alike in the architectures of one voice.

    A message of a message phase is one call: the whole reply without its reasoning. So is the answer to a
    comprehension question: what cannot be read is a result (misunderstanding), not a fault to be repaired, so
    nothing is asked twice.

    Parameters
    ----------
    seat : int, from 1

    Attributes
    ----------
    blocks : frozenset of str, of the class
        Blocks of the prompt that are kept for the architecture.
    answers_as_it_decides : bool, of the class
        Whether a comprehension question goes the way of a decision, with its calls, instead of taking one.

    Raises
    ------
    UsageError
        ``then: default`` without a default, or one that is no action of the game; an unknown attitude.
    """

    blocks: ClassVar[frozenset[str]] = frozenset()
    answers_as_it_decides: ClassVar[bool] = False

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        self._plan, self._seat, self._prompts = plan, plan.seats[seat - 1], prompts
        check_default(plan)
        check_attitude(plan, seat)

    @property
    def columns(self) -> Mapping[str, Any]:
        """Model, persona, architecture, attitude and the plan's own columns of the seat."""
        return MappingProxyType({"model": self._seat.player, **seat_columns(self._seat)})

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The message: the whole reply without its reasoning; an empty one is silence."""
        messages = self._prompts.render(view, self._plan, "message", self._inside())
        last = response_of(await ask(messages, free(self._seat.settings), purpose="message"))
        text = cut(last.text, LONGEST_MESSAGE) or None
        return Decision(
            None, message=text, reasoning=last.reasoning, reply=last.reference, prompt=last.reference
        )

    async def answer(self, question: str, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The answer to the question of this name, as given, without its reasoning."""
        values = question_values(question, view, self._plan, self._prompts)
        inside = self._inside(question_request(self._plan), **values)
        messages = self._prompts.render(view, self._plan, "choose", inside)
        last = response_of(await ask(messages, free(self._seat.settings), purpose="question"))
        return Decision(
            None,
            message=as_answer(last.text),
            reasoning=last.reasoning,
            reply=last.reference,
            prompt=last.reference,
        )

    def _inside(self, request: str | None = None, **values: object) -> Inside:
        return Inside(request=request, blocks=self.blocks, values=values)


Stages = Literal["auto", "together", "apart"]


class Options(BaseModel):
    """Base of the options of every architecture: frozen, nothing unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")


_Made = TypeVar("_Made", bound=BaseModel)


def read_options(model: type[_Made], seat: SeatPlan, plan: GamePlan) -> _Made:
    """The seat's options as the values of its architecture.

    Parameters
    ----------
    model : pydantic model, such as a subclass of `Options`

    Raises
    ------
    UsageError
        An option that the architecture does not have, with the nearest ones, or a value that it cannot take.
    """
    where = f"{plan.game_id}: options of {seat.architecture} ({seat.name})"
    own = {name: value for name, value in seat.options.items() if name != TRANSFORM}
    for name in own:
        if name not in model.model_fields:
            if not model.model_fields:
                raise UsageError(f"{where}: {shorten(name)!r}, expected none")
            raise UsageError(f"{where}: {UnknownNameError('option', name, model.model_fields)}")
    try:
        return model.model_validate(own)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}: {field} {shorten(first['input'])!r}: {first['msg']}") from None


def staged(stages: Stages, settings: Settings) -> Literal["together", "apart"]:
    """Whether thinking and deciding are one call or several: ``auto`` is apart where replies are constrained.

    A constrained reply is a label and nothing else, so the thinking needs calls of its own.
    """
    if stages != "auto":
        return stages
    return "apart" if settings.constrained else "together"


class PlainAgent(ModelAgent):
    """A language model that is asked once per decision, and again where its reply cannot be read.

    1. The prompt set renders the view; the settings of the seat and the labels of the view go with it.
    2. Reasoning is taken out of the reply, and the plan's parser reads the rest.
    3. A reply that cannot be read is asked for again up to ``reply.retries`` times: the same prompt, or,
       with ``reply.remind``, followed by the last reply and a reminder of what is expected.
    4. Then the move is missing, the plan's default, or missing and the last of the game.

    It has no options, and does not use the generator of random numbers.

    Raises
    ------
    UsageError
        Options, or ``then: default`` without a default, or one that is no action of the game.
    """

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        super().__init__(plan, seat, prompts)
        read_options(Options, self._seat, plan)

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move; `rng` is not used."""
        plan, settings = self._plan, choosing(self._seat, view, self._plan)
        settled = await ask_until_read(
            ask,
            self._prompts.render(view, plan, "choose"),
            settings,
            lambda text: read_label(text, view.actions, plan, settings),
            plan.reply,
            lambda: self._prompts.remind(plan.language, settings.choices, plan.reply.parser),
        )
        return decision_of(settled, plan.reply)


class ChainOfThoughtOptions(Options):
    """Options of the architecture.

    Attributes
    ----------
    stages : {"auto", "together", "apart"}
        Thinking and decision in one reply, or in two calls; auto is apart where the seat's replies are
        constrained.
    """

    stages: Stages = "auto"


class ChainOfThoughtAgent(ModelAgent):
    """A language model that is asked to think step by step before it decides.

    together
        One call; the reply ends with ``DECISION: label``, which is read wherever it is stated last.
    apart
        A call for the thinking, not constrained, then one for the label alone, which sees the thinking.

    All that is thought is the move's reasoning: no other player sees it, nor does a later round of the seat
    itself. Replies that cannot be read are asked for again as in `PlainAgent`; the thinking of the first
    call of two is asked for once.

    References
    ----------
    Wei et al. 2022, Chain-of-thought prompting elicits reasoning in large language models.

    Raises
    ------
    UsageError
        Unknown options, or ``then: default`` without a default.
    """

    blocks: ClassVar[frozenset[str]] = frozenset({"chain_of_thought"})

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        super().__init__(plan, seat, prompts)
        self._stages = _stages(plan, self._seat)

    @classmethod
    def calls(cls, plan: GamePlan, seat: SeatPlan) -> tuple[int, int]:
        """Calls per round, the message of a message phase included, as expected and at most."""
        first = int(_stages(plan, seat) == "apart") + int(plan.communication != "none")
        return first + 1, first + 1 + plan.reply.retries

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move; `rng` is not used."""
        plan, settings = self._plan, choosing(self._seat, view, self._plan)
        request = "choose_reasoned" if self._stages == "together" else "think"
        messages = self._prompts.render(view, plan, "choose", self._inside(request))
        options = self._prompts.say("or", plan).join(settings.choices)
        thought: Response | None = None
        if self._stages == "apart":
            thought = response_of(await ask(messages, free(settings), purpose="think"))
            messages = reminded(
                messages, thought.text, self._prompts.say("decide_now", plan, options=options)
            )
        else:
            settings = free(settings).model_copy(update={"choices": settings.choices})
        settled = await ask_until_read(
            ask,
            messages,
            settings,
            lambda text: read_stated_label(text, view.actions, plan, settings),
            plan.reply,
            lambda: self._prompts.say("remind_decision", plan, options=options),
        )
        return decision_of(
            settled, plan.reply, reasoning=_thinking(thought, settled), details={"stages": self._stages}
        )


def _stages(plan: GamePlan, seat: SeatPlan) -> str:
    return staged(read_options(ChainOfThoughtOptions, seat, plan).stages, seat.settings)


def _thinking(thought: Response | None, settled: Readout) -> str | None:
    """The first call's reply, or the one reply itself where it is more than a label."""
    last = settled.last
    if thought is not None:
        return join_reasoning(thought.reasoning, thought.text, last.reasoning)
    bare = replace(last, text="") if last.text == settled.reading.action else last
    return join_reasoning(bare.reasoning, bare.text)
