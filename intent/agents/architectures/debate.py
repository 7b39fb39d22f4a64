"""The debate: one who decides without knowing the payoffs, and an assistant who knows them and cannot.

Two conversations with mirrored roles over one exchange of words. A turn may hold lines that its speaker
writes for the other one (role-play).

References
----------
Cremonini 2025, The Agent's Dilemma, 4.1.2 (agent role-play).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from intent.agents.agent import Ask, Decision
from intent.agents.architectures.base import (
    ModelAgent,
    Options,
    Readout,
    Response,
    as_answer,
    ask_until_read,
    beyond,
    choosing,
    cut,
    decision_of,
    follow,
    free,
    join_reasoning,
    question_values,
    read_options,
    read_stated_label,
    reminded,
    response_of,
    with_more,
)
from intent.agents.client import Message, Settings
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.prompt_set import LONGEST_MESSAGE, Inside, PromptSet, Role
from intent.agents.tools import advised_label
from intent.base.replies import Reading, no_reading, read_decision, read_stated, spellings
from intent.play.match import View

__all__ = ["LONGEST", "SILENCE", "DebateAgent", "Topic", "TwoSides", "debate", "other_speaks"]


SILENCE = "…"
"""Stands for a turn without words; endpoints refuse empty messages."""


class TwoSides:
    """What each side is shown: its own words as the model's, the other's as the user's.

    The assistant speaks first, so its first words follow the opening of the decision maker, in one message.
    Of every turn at most `LONGEST_MESSAGE` characters are shown on.

    Parameters
    ----------
    assistant, decider : the opening of each

    Attributes
    ----------
    assistant, decider : what each is asked with when it is its turn
    opening : tuple of Message
        That of the decision maker.
    transcript : list of (speaker, text)
    """

    def __init__(self, assistant: tuple[Message, ...], decider: tuple[Message, ...]) -> None:
        self.assistant, self.decider, self.opening = assistant, decider, decider
        self.transcript: list[tuple[str, str]] = []

    def advise(self, text: str) -> None:
        """The assistant's turn."""
        own = self._last()
        self._add("assistant", text)
        shown = self._last()
        self.decider = follow(self.decider, own, shown) if own else with_more(self.decider, shown)

    def respond(self, text: str) -> None:
        """The decision maker's turn."""
        advice = self._last()
        self._add("decider", text)
        self.assistant = follow(self.assistant, advice, self._last())

    def closing(self, request: str) -> tuple[Message, ...]:
        """What the decision maker is asked with at the end of the debate."""
        if self.transcript and self.transcript[-1][0] == "decider":
            return follow(self.decider, self._last(), request)
        return with_more(self.decider, request)

    def _last(self) -> str:
        return self.transcript[-1][1] if self.transcript else ""

    def _add(self, speaker: str, text: str) -> None:
        self.transcript.append((speaker, cut(text.strip(), LONGEST_MESSAGE) or SILENCE))


Speaker = Literal["decider", "assistant"]

LONGEST = 100_000
"""Characters of a turn that are looked at."""

_DECIDER = (
    "client|suspect|criminal|prisoner|defendant|accused|person|player|human|decision[- ]?maker|decider",
    "cliente?|suspecte?|joueu(?:r|se)|prisonni(?:er|ère)|accusée?|décideu(?:r|se)",
    "العميل|الموكل|الموكّل|المشتبه به|اللاعب|المتهم|صاحب القرار",
    "客户|客戶|委托人|委託人|当事人|當事人|嫌疑人|嫌犯|玩家|决策者|決策者",
    "thân chủ|khách hàng|nghi phạm|bị cáo|người chơi|người quyết định",
)

_ASSISTANT = (
    "lawyer|attorney|counsel(?:or)?|advis[eo]r|consultant|assistant",
    "avocate?|conseil(?:ler|lère)?|consultante?|assistante?",
    "المحامي|المستشار|المساعد",
    "律师|律師|顾问|顧問|助手|助理|辩护人",
    "luật sư|cố vấn|tư vấn viên|trợ lý",
)

_ROLES: dict[Speaker, tuple[str, ...]] = {"decider": _DECIDER, "assistant": _ASSISTANT}


def other_speaks(text: str, speaker: Speaker, name: str) -> int | None:
    """Where the lines of the other speaker begin in a turn, or None.

    They begin with a heading at the start of a line, ``**Lawyer**:``, ``Client (thinking):``, in any of our
    five languages. The player's own name is one too, except as the first words of a turn, where it is who
    the assistant speaks to.

    Parameters
    ----------
    text : in Unicode's form NFC, as `unicodedata.normalize` makes it
    speaker : {"decider", "assistant"}
        Whose turn it is.
    name : what prompts call the player
    """
    looked_at = text[:LONGEST]
    other: Speaker = "assistant" if speaker == "decider" else "decider"
    headings = [match.start() for match in [_roles(other).search(looked_at)] if match]
    if other == "decider" and name.strip():
        named = (match.start() for match in _named(name).finditer(looked_at))
        headings += [at for at in named if looked_at[:at].strip()][:1]
    return min(headings, default=None)


def _heading(names: str) -> re.Pattern[str]:
    before = r"^[ \t*_#>`\[(\-–—•]{0,12}(?:(?:my|your|the|mon|ma|votre|le|la|l['’])[ \t]{0,3})?"
    after = r"[ \t]{0,3}(?:\([^()\n]{0,40}\))?[ \t*_`\])]{0,8}[:：]"
    return re.compile(f"{before}(?:{names}){after}", re.IGNORECASE | re.MULTILINE)


@lru_cache(maxsize=2)
def _roles(speaker: Speaker) -> re.Pattern[str]:
    return _heading(unicodedata.normalize("NFC", "|".join(_ROLES[speaker])))


@lru_cache(maxsize=256)
def _named(name: str) -> re.Pattern[str]:
    return _heading(re.escape(unicodedata.normalize("NFC", name.strip())))


class DebateOptions(Options):
    """Options of the architecture.

    Attributes
    ----------
    most_turns : turns of the assistant after which a debate has stalled
    turns : turns of the assistant after which a constrained model is asked for the label, `most_turns` at
        most; others decide when they will
    stalled : no decision, as after a reply that cannot be read; the debate again from its beginning, up to
        `restarts` times; or a last request for nothing but the decision
    role_play : whether lines that a speaker writes for the other one stay in the turn
    options_told : whether the decision maker is told the options; in the thesis it learns them from the
        assistant and from the past
    """

    most_turns: int = Field(default=6, ge=1, le=100)
    turns: int = Field(default=1, ge=1, le=100)
    stalled: Literal["missing", "restart", "decide"] = "missing"
    restarts: int = Field(default=3, ge=0, le=100)
    role_play: Literal["keep", "cut"] = "keep"
    options_told: bool = True

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
    keyword : by which the decision maker ends the debate
    opening : from nothing to TwoSides
        The debate at its beginning.
    name : what prompts call the player
    settings : of both speakers; never constrained
    labels : a message of the decision maker that is one of these ends the debate too
    fixed : turns of the assistant after which the debate is over; None until the decision maker ends it
    """

    keyword: Literal["DECISION", "ANSWER"]
    opening: Callable[[], TwoSides]
    name: str
    settings: Settings
    labels: tuple[str, ...] = ()
    fixed: int | None = None


@dataclass
class DebateRecord:
    """How a debate went.

    Parameters
    ----------
    sides : of the last debate, where it was begun again
    last : the last turn
    ended_by : the request to which the decision maker answered with its decision; None where it stated none
    stalled : whether `most_turns` were used up, at last
    turns, role_play, assistant_decided, restarts : as in `intent.base.codebook.DETAILS`, over all debates
    """

    sides: TwoSides
    last: Response | None = None
    ended_by: tuple[Message, ...] | None = None
    stalled: bool = False
    turns: int = 0
    role_play: int = 0
    assistant_decided: int = 0
    restarts: int = 0
    reasonings: list[str | None] = field(default_factory=list)


async def debate(ask: Ask, topic: Topic, options: DebateOptions) -> DebateRecord:
    """Let the two speak in turn, the assistant first, until the decision maker decides or a cap is reached.

    1. The assistant's turn. Where the number of its turns is fixed, the debate may be over now.
    2. The decision maker's turn. Its own words alone can end the debate: a statement of the keyword
       (`read_stated`, so that neither quotation nor instruction counts), or a bare label.
    3. After `most_turns` the debate stalls; it is begun again where `stalled` says so.
    """
    record = DebateRecord(topic.opening())
    while True:
        for turn in range(1, options.most_turns + 1):
            await _advise(ask, topic, options, record)
            if topic.fixed is not None and turn >= topic.fixed:
                return record
            if await _respond(ask, topic, options, record):
                return record
        if options.stalled != "restart" or record.restarts >= options.restarts:
            record.stalled = True
            return record
        record.restarts += 1
        record.sides = topic.opening()


async def _advise(ask: Ask, topic: Topic, options: DebateOptions, record: DebateRecord) -> None:
    purpose = "advise" if topic.keyword == "DECISION" else "question"
    response = response_of(await ask(record.sides.assistant, topic.settings, purpose=purpose))
    text = _turn_text("assistant", response, topic, options, record)
    record.turns += 1
    record.assistant_decided += read_stated(text, topic.keyword) is not None
    record.sides.advise(text)


async def _respond(ask: Ask, topic: Topic, options: DebateOptions, record: DebateRecord) -> bool:
    """The decision maker's turn; whether it ends the debate."""
    request = record.sides.decider
    settings = topic.settings.model_copy(update={"choices": topic.labels})
    purpose = "choose" if topic.keyword == "DECISION" else "question"
    text = _turn_text(
        "decider", response_of(await ask(request, settings, purpose=purpose)), topic, options, record
    )
    record.sides.respond(text)
    stated = read_stated(text, topic.keyword) is not None
    if stated or (topic.labels and spellings(topic.labels).label(text) is not None):
        record.ended_by = request
    return record.ended_by is not None


def _turn_text(
    speaker: Speaker, response: Response, topic: Topic, options: DebateOptions, record: DebateRecord
) -> str:
    """The words of a turn, up to those that it writes for the other speaker where these are cut."""
    text = unicodedata.normalize("NFC", response.text)
    begin = other_speaks(text, speaker, topic.name)
    record.role_play += begin is not None
    if options.role_play == "cut" and begin is not None:
        text = text[:begin].rstrip()
    record.last = replace(response, text=text)
    record.reasonings.append(response.reasoning)
    return text


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
        record = await debate(ask, topic, self._options)
        settled = await self._readout(view, ask, record, settings)
        asked_again = () if settled.last is record.last else (settled.last.reasoning,)
        return decision_of(
            settled,
            plan.reply,
            reasoning=join_reasoning(*record.reasonings, *asked_again),
            advice=self._advised or _recommended(record, view.actions),
            details=_details(record, settled.reading),
        )

    async def answer(self, question: str, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The message of the decision maker that states its answer; None after a stall."""
        values = question_values(question, view, self._plan, self._prompts)
        topic = self._topic("ANSWER", view, "debate_question", values)
        record = await debate(ask, topic, self._options)
        last = record.last
        if record.ended_by is None and self._forced(record):
            closing = self._closing(view, record, "debate_answer", values)
            last = response_of(await ask(closing, topic.settings, purpose="question"))
        elif record.ended_by is None:
            last = last and replace(last, text="")
        assert last is not None
        return Decision(
            None,
            message=as_answer(last.text),
            reasoning=join_reasoning(*record.reasonings),
            reply=last.reference,
            prompt=last.reference,
        )

    async def _readout(self, view: View, ask: Ask, record: DebateRecord, settings: Settings) -> Readout:
        """The label that was stated, or what comes of asking for it."""
        plan, rules = self._plan, self._plan.reply
        last, free_of = record.last, free(settings).model_copy(update={"choices": settings.choices})
        assert last is not None
        if record.ended_by is None and not self._forced(record):
            return Readout(no_reading("no decision was stated"), last)
        options = self._prompts.say("or", plan).join(settings.choices)
        reminder = self._prompts.say("remind_decision", plan, options=options)
        unread: tuple[str, ...] = ()
        if record.ended_by is None:
            base = self._closing(view, record, "debate_decide")
        else:
            settings = free_of
            reading = read_stated_label(last.text, view.actions, plan, settings)
            unread = () if reading.action is not None else (reading.why or "",)
            if not unread or not rules.retries:
                return Readout(reading, last, unread)
            base = reminded(record.ended_by, last.text, reminder) if rules.remind else record.ended_by
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

    def _forced(self, record: DebateRecord) -> bool:
        """Whether a debate without a decision ends with a request for nothing else."""
        return not record.stalled or self._options.stalled == "decide"

    def _closing(
        self,
        view: View,
        record: DebateRecord,
        request: str,
        values: Mapping[str, object] = MappingProxyType({}),
    ) -> tuple[Message, ...]:
        inside = self._voice("decider", request, values)
        closing = self._prompts.render(view, self._plan, "choose", inside)
        return record.sides.closing(beyond(record.sides.opening, closing))

    def _voice(self, role: Role, request: str, values: Mapping[str, object]) -> Inside:
        if role == "decider":
            return Inside(role, request, self._hidden(), values=values)
        if self._advised is None:
            return Inside(role, request, frozenset({"advise_compute"}), values=values)
        return Inside(role, request, frozenset({"advise"}), values={**values, "advised": self._advised})

    def _inside(self, request: str | None = None, **values: object) -> Inside:
        """The message of a message phase is the decision maker's."""
        return Inside("decider", request, self._hidden(), values=values)

    def _hidden(self) -> frozenset[str]:
        return frozenset() if self._options.options_told else frozenset({"options_untold"})


def _recommended(record: DebateRecord, labels: Sequence[str]) -> str | None:
    """The label that the assistant's last turn states, or the only one that it names."""
    text = next((text for speaker, text in reversed(record.sides.transcript) if speaker == "assistant"), "")
    stated = read_decision(text, labels).action
    named = spellings(tuple(labels)).named(text)
    return stated or (named[0] if len(named) == 1 else None)


def _details(record: DebateRecord, reading: Reading) -> dict[str, Any]:
    """As `intent.base.codebook.DETAILS`; since the assistant speaks first, no decision can be early."""
    unstalled = "unreadable" if reading.action is None else "decided"
    return {
        "status": "stalled" if record.stalled else unstalled,
        "turns": record.turns,
        "role_play": record.role_play,
        "early": 0,
        "assistant_decided": record.assistant_decided,
        "restarts": record.restarts,
        "transcript": [{"speaker": speaker, "text": text} for speaker, text in record.sides.transcript],
    }
