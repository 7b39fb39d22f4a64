"""Deliberation: public text that the others read, and private thoughts behind it that nobody else sees.

Private text was asked for inside double braces. Models leave braces out, nest them, close once or three
times, put spaces or invisible characters between them or use look-alikes. So braces are counted one by one,
and whatever may stand inside is private: of a wrong guess in this direction the reader loses a sentence, of
one in the other the opponent reads a secret.

References
----------
Poje et al. 2024, Entropy 26:524, 3.1 (the environment removes what stands in double curly brackets).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.architectures.base import (
    LONGEST_REASONING,
    ModelAgent,
    Options,
    Readout,
    Response,
    Stages,
    as_answer,
    ask_until_read,
    beyond,
    choosing,
    cut,
    decision_of,
    follow,
    free,
    join_reasoning,
    question_request,
    question_values,
    read_options,
    read_stated_label,
    response_of,
    staged,
)
from intent.agents.client import Message
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.prompt_set import LONGEST_MESSAGE, Inside, PromptSet, listed
from intent.base.announcements import announced_action
from intent.base.errors import UsageError
from intent.base.replies import Reading, no_reading, read_stated, spellings
from intent.play.match import Phase, View

__all__ = [
    "PrivateAgent",
    "PublicAgent",
    "paragraphs",
    "split_private",
    "whole",
    "without_statement",
    "without_traces",
]


_PRIVATE = (
    r"(?:private|inner|internal|hidden|secret)\s{1,3}(?:thoughts?|thinking|deliberations?|reasoning|reflections?"
    r"|notes?|analysis|strategy|text|monologue|considerations?)",
    r"(?:pensées?|réflexions?|délibérations?|notes?|texte|raisonnement)\s{1,3}"
    r"(?:privée?s?|secr(?:è|e)te?s?|secrets?|intérieure?s?|intimes?)",
    r"(?:私人|私下|私密|秘密|内心|內心|隐藏|不公开|不公開)的?(?:想法|思考|思路|推理|考虑|考慮|分析|文本|文字|内容|內容|策略)",
    r"(?:ال)?(?:أفكار|افكار|تفكير|تأملات|خواطر|نص|ملاحظات|مداولات|مداولة)\w{0,3}\s{1,3}"
    r"(?:ال)?(?:خاصة|خاص|سرية|سري|داخلية|داخلي|شخصية)",
    r"(?:suy nghĩ|suy tư|lời|(?:đoạn )?văn(?: bản)?|phần|ghi chú|cân nhắc)\s{1,3}"
    r"(?:riêng tư|riêng|bí mật|thầm kín|kín|nội tâm|cá nhân)",
)

_PUBLIC = (
    r"public\s{1,3}(?:thoughts?|text|messages?|statements?|reasoning|explanation|response|reply|announcement|part)",
    r"(?:pensées?|réflexions?|texte|message|déclaration|explication|partie|annonce)\s{1,3}publi(?:que|c)s?",
    r"(?:公开|公開|公共)的?(?:想法|思考|发言|發言|文本|文字|信息|消息|声明|聲明|言论|說明|说明|内容|內容|陈述|陳述)",
    r"(?:ال)?(?:أفكار|افكار|تفكير|نص|رسالة|بيان|تصريح|كلام)\w{0,3}\s{1,3}(?:ال)?(?:عامة|عام|علنية|علني)",
    r"(?:suy nghĩ|phát biểu|lời|(?:đoạn )?văn(?: bản)?|thông điệp|tin nhắn|tuyên bố|phần)\s{1,3}công khai",
)

_PRIVATE_ALONE = r"private|privée?s?|私密|私下|私人|خاصة|خاص|سري|riêng tư|bí mật"
_PUBLIC_ALONE = r"public|publique|公开|公開|علني|عام|công khai"
"""Words that are a heading only where they stand alone on a line, or before a colon that begins one."""

_BEFORE = (
    r"^[ \t*_#>`~\-–—•\d.()\[\]\"'“«【]{0,12}"
    r"(?:(?:my|your|the|mon|mes|votre|vos|des|les|những|các)[ \t]{1,3}|(?:我|你|您)的?)?"
)
_NOTE = r"[ \t]{0,4}(?:\([^()\n]{0,80}\)|（[^（）\n]{0,80}）)?[ \t*_`~\])\"'”»】]{0,12}"
_COLON = r"[:：][*_`]{0,3}"
_AFTER = rf"{_NOTE}(?:{_COLON}|\r?$)"


def _spelt(*patterns: str) -> str:
    """Any of the patterns, with accents as one character or as two."""
    one = "|".join(patterns)
    two = unicodedata.normalize("NFD", one)
    return f"(?:{one})" if one == two else f"(?:{one}|{two})"


PRIVATE_HEADING = rf"{_BEFORE}{_spelt(*_PRIVATE, _PRIVATE_ALONE)}{_AFTER}|{_spelt(*_PRIVATE)}{_NOTE}{_COLON}"
"""At the beginning of a line; followed by a colon also within one."""

PUBLIC_HEADING = rf"{_BEFORE}{_spelt(*_PUBLIC, _PUBLIC_ALONE)}{_AFTER}"
"""At the beginning of a line only: private text may well speak of public thoughts."""


OPENING = "{｛﹛︷❴⦃⎧⎨⎩𝄔\U000e007b"
"""Left braces: ASCII, full width, small, vertical, ornament, white, pieces, music, tag."""

CLOSING = "}｝﹜︸❵⦄⎫⎬⎭\U000e007d"

_TAGS = r"(?:private|scratchpad)\b[^<>]{0,80}>"

_OPEN = rf"[{OPENING}]+|(?:&(?:lbrace|lcub|#123|#x7b);)+|<\s{{0,9}}{_TAGS}"
_CLOSE = rf"[{CLOSING}]+|(?:&(?:rbrace|rcub|#125|#x7d);)+|</\s{{0,9}}{_TAGS}"

_OBJECT = (
    r"\{\s{0,99}[\"'“‘`*]{0,3}(?:decision|answer|choice|action|move)[\"'”’`*]{0,3}\s{0,9}:\s{0,9}"
    r"(?P<value>[^\s{}\[\]:,\"'“”‘’`][^{}\[\]:,\"'“”‘’`\n]{0,60}"
    r"|\"[^{}\"\n]{0,100}\"|'[^{}'\n]{0,100}'|“[^{}”\n]{0,100}”|‘[^{}’\n]{0,100}’)\s{0,3}\}"
)
"""A decision and nothing else in single braces: the one use of braces that is public."""

_TOKEN = re.compile(
    rf"(?P<object>{_OBJECT})|(?P<open>{_OPEN})|(?P<close>{_CLOSE})"
    rf"|(?P<hidden>{PRIVATE_HEADING})|(?P<shown>{PUBLIC_HEADING})",
    re.IGNORECASE | re.MULTILINE,
)
_ONE = re.compile(rf"[{OPENING}{CLOSING}]|&\w{{1,6}};|&#\w{{1,4}};|<[^<>]*>")
_EDGES = f" \t\r\n\u200b\u200c\u200d\u2060\ufeff{OPENING}{CLOSING}"
_DECORATION = re.compile(r"[\s*_#>`~:：\-–—\u200b-\u200f\u2060\ufeff]*")


@dataclass(frozen=True)
class PrivateText:
    """A reply, taken apart.

    Parameters
    ----------
    public : for everybody
    private : the rest without headings and outermost braces, passages with an empty line between
    blocks : private passages
    unbalanced : whether some brace was left open, or closed what none had opened
    """

    public: str
    private: str
    blocks: int = 0
    unbalanced: bool = False


def split_private(text: str, labels: Sequence[str] = ()) -> PrivateText:
    """Take a reply apart, in one pass.

    1. Braces of all shapes, their HTML entities, and tags ``<private>`` and ``<scratchpad>`` are counted one
       by one. Public is only what stands where all that were opened are closed. One that is never closed
       makes all after it private; one that closes what none opened makes all before it private.
    2. Single braces count like double ones, since a model that forgets one forgets both. An exception is an
       object with one field, a decision: ``{"DECISION": "OptionA"}``, outside of other braces. Where labels
       are given, its value has to be one: ``{Choice: betray them}`` is a thought.
    3. A heading such as ``Private thoughts:``, outside of braces, makes private what follows up to a heading
       such as ``Public thoughts:``, or the end; where braces follow it at once, they say how far.
    4. What precedes the first public heading is private, and so is what stands between a later private
       passage and the next one.

    Parameters
    ----------
    text : of any length, without reasoning
    labels : those of the game

    Examples
    --------
    >>> split_private("{{I shall defect.}} Let us cooperate.")
    PrivateText(public='Let us cooperate.', private='I shall defect.', blocks=1, unbalanced=False)
    """
    shown: list[tuple[int, int]] = []
    left_out: list[tuple[int, int]] = []
    depth, position, since = 0, 0, 0
    heading: int | None = None
    unbalanced = announced = False
    known = spellings(tuple(labels))
    for token in _TOKEN.finditer(text):
        kind, start, end = token.lastgroup, token.start(), token.end()
        decides = kind == "object" and (not labels or known.label(token["value"]) is not None)
        if decides or (depth and kind in ("object", "hidden", "shown")):
            continue
        if not depth and heading is None and start > position:
            shown.append((position, start))
        if kind == "object":
            since = end
        elif kind == "open":
            if heading is not None and not depth and _DECORATION.fullmatch(text, heading, start):
                heading = None
            depth += _units(token[0])
        elif kind == "close":
            depth -= _units(token[0])
            if depth < 0:
                depth, unbalanced, shown, heading = 0, True, [], None
            since = end
        elif kind == "hidden":
            heading = end if heading is None else heading
            left_out.append((start, end))
            since = end
        else:
            shown = [span for span in shown if span[1] <= since] if announced else []
            heading, announced = None, True
            left_out.append((start, end))
            since = end
        position = end
    if not depth and heading is None:
        shown.append((position, len(text)))
    return _parted(text, shown, left_out, unbalanced or depth > 0)


def _units(mark: str) -> int:
    return len(_ONE.findall(mark))


def _parted(
    text: str, shown: list[tuple[int, int]], left_out: list[tuple[int, int]], unbalanced: bool
) -> PrivateText:
    """The public spans joined, and what is between them and no heading."""
    public = "".join(text[start:end] for start, end in shown).strip()
    private: list[str] = []
    position = 0
    for start, end in sorted([*shown, *left_out, (len(text), len(text))]):
        if passage := text[position:start].strip(_EDGES):
            private.append(passage)
        position = max(position, end)
    return PrivateText(public, "\n\n".join(private), len(private), unbalanced)


_EMPTY_FENCE = re.compile(r"```[a-z]{0,12}[ \t]*\n\s{0,20}```", re.IGNORECASE)
_REMNANT = re.compile(
    r"^[ \t]{0,20}(?:[*_#]{0,3}\(?\d{1,2}[.):]|[*•#>\\$_–—-]{1,8})[*_\\$ \t]{0,20}$\n?", re.MULTILINE
)
_ITEM = re.compile(r"^[*_#\s]{0,8}\(?[2-9][.)][*_]{0,3}\s{1,4}")
_LEAD = re.compile(r"[\s*_`#>\[({\"'“‘.)\d•·–—-]*(?:(?:my|the)\s{0,3})?(?:final)?", re.IGNORECASE)
_LINGERS = re.compile(r"[\s*_`\"'“‘({]*$")


def without_traces(text: str) -> str:
    """`text` without what private passages leave behind when they are taken out of it.

    Lines of nothing but a list number, bullets, emphasis or backslashes, empty code fences, and the number of
    an item that now comes first: from ``2.`` alone, a reader would know that there was a ``1.``.

    Parameters
    ----------
    text : public part of a reply that had private ones

    Examples
    --------
    >>> without_traces("1.\\n2. Let us both gain.")
    'Let us both gain.'
    """
    rest = _REMNANT.sub("", _EMPTY_FENCE.sub("", text)).strip()
    return _ITEM.sub("", rest, count=1)


def without_statement(text: str, keyword: str) -> str:
    """`text` without its statements ``KEYWORD: value``, as `read_stated` knows them, and what enclosed them.

    Parameters
    ----------
    text : public text, at most some thousand characters: every line that has the keyword is read

    Examples
    --------
    >>> without_statement("Let us both gain.\\n**DECISION:** OptionA", "DECISION")
    'Let us both gain.'
    """
    field = rf"[\"'“‘`*]{{0,3}}{re.escape(keyword)}[\"'”’`*]{{0,3}}"
    text = re.sub(rf"\{{\s{{0,99}}{field}\s{{0,9}}:[^{{}}]{{0,200}}\}}", "", text, flags=re.IGNORECASE)
    lines = text.split("\n")
    rest: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        at = line.casefold().rfind(keyword.casefold())
        length = _taken(lines, number, keyword) if at >= 0 else 0
        before = _LINGERS.sub("", line[:at]) if length else line
        if not length or not _LEAD.fullmatch(before):
            rest.append(before)
        number += max(1, length)
    return _EMPTY_FENCE.sub("", "\n".join(rest)).strip()


def _taken(lines: list[str], number: int, keyword: str) -> int:
    """How many lines the statement takes that the line holds: none, one, or the value's too."""
    if read_stated(lines[number], keyword) is not None:
        return 1
    for last in range(number + 1, min(number + 3, len(lines))):
        if lines[last].strip():
            return last - number + 1 if read_stated("\n".join(lines[number : last + 1]), keyword) else 0
    return 0


class DeliberationOptions(Options):
    """Options of both architectures.

    Attributes
    ----------
    stages : {"auto", "together", "apart"}
        All in one reply, or one call per stage; auto is apart where the seat's replies are constrained.
    decision : {"stated", "announced"}
        Whether the choice is a line or a call of its own, or what the public text announces, as in the paper.
    """

    stages: Stages = "auto"
    decision: Literal["stated", "announced"] = "stated"


@dataclass(frozen=True, eq=False)
class _Thought:
    """What was thought and written before a decision, and the conversation in which it was."""

    first: tuple[Message, ...]
    talk: tuple[Message, ...]
    last: Response
    parted: PrivateText
    reasoning: str | None


class PublicAgent(ModelAgent):
    """A language model that explains its choice to the others, in text that is public as a whole.

    together
        One call: the text, and a last line ``DECISION: label``.
    apart
        A call for the text, not constrained, then one for the label, which sees the text.

    With ``decision: announced`` the choice is the one that the text announces (`announced_action`); a text
    that announces none, or several, is asked for again, apart with the call for the label.

    The text, without the statement of the decision, goes with a move that could be read: the others see it
    from the next round on. In a game with messages it is the message, and the choice is asked for alone.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, 3.1.

    Raises
    ------
    UsageError
        Unknown options, ``then: default`` without a default, or a choice that is announced in a game with
        messages, where the text is sent before the choice.
    """

    blocks: ClassVar[frozenset[str]] = frozenset({"public"})
    _at_once: ClassVar[str] = "explain"

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        super().__init__(plan, seat, prompts)
        self._stages = deliberation_stages(plan, self._seat)
        self._announces = read_options(DeliberationOptions, self._seat, plan).decision == "announced"
        if self._announces and plan.communication != "none":
            raise UsageError(
                f"{plan.game_id}: decision announced in a game with messages, which are sent before "
                "the choice; expected decision: stated"
            )
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
        return await self._decide(view, ask, None, self._worded(self._at_once))

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
        replies: list[Response] = []
        stages = self._requests(view, phase)
        for number, (request, values) in enumerate(stages, start=1):
            prompt = self._prompts.render(view, self._plan, phase, self._inside(request, **values))
            talk = follow(talk, replies[-1].text, beyond(first, prompt)) if replies else prompt
            first = first or prompt
            purpose = "message" if number == len(stages) else "think"
            replies.append(response_of(await ask(talk, free(self._seat.settings), purpose=purpose)))
        written = self._part(replies[-1].text)
        private = paragraphs(*(reply.text for reply in replies[:-1]), written.private)
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
        return [(self._worded("write_public"), {})]

    def _worded(self, request: str) -> str:
        """The request, or its variant for a choice that the public text announces."""
        return f"{request}_announced" if self._announces else request

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
            if self._announces and before is None:
                return _announced(tries[-1].public, view.actions)
            return read_stated_label(tries[-1].public, view.actions, plan, settings)

        reminder = "remind_announced" if self._announces and before is None else "remind_decision"
        settled = self._written(before, view) or await ask_until_read(
            ask,
            self._decision_request(view, before, request, options),
            settings,
            read,
            plan.reply,
            lambda: self._prompts.say(reminder, plan, options=options),
        )
        parts = tries if before is None else [before.parted, *tries]
        private = paragraphs(*(part.private for part in parts))
        self._remember(view.round, private)
        return decision_of(
            settled,
            plan.reply,
            message=self._public(settled.reading, tries if before is None else [before.parted], view),
            private_thought=whole(private),
            reasoning=join_reasoning(before.reasoning if before else None, settled.last.reasoning),
            details=self._details(parts[0] if before else parts[-1]),
        )

    def _written(self, before: _Thought | None, view: View) -> Readout | None:
        """The choice that a text written by itself announces; None where that has to be asked for."""
        if not self._announces or before is None:
            return None
        reading = _announced(before.parted.public, view.actions)
        return None if reading.action is None else Readout(reading, before.last)

    def _decision_request(
        self, view: View, before: _Thought | None, request: str | None, options: str
    ) -> tuple[Message, ...]:
        """The request for a decision, behind the conversation so far."""
        if before is None:
            return self._prompts.render(view, self._plan, "choose", self._inside(request))
        question = self._prompts.say("decide_now", self._plan, options=options)
        if self._plan.communication != "none":
            question = beyond(before.first, self._prompts.render(view, self._plan, "choose", self._inside()))
        return follow(before.talk, before.last.text, question)

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
        again = self._announces or not self._plan.reply.remind
        for part in reversed(parts) if again else parts:
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


def _announced(text: str, labels: Sequence[str]) -> Reading:
    """The label that a public text announces, as the reading of a reply."""
    action = announced_action(text, labels)
    return no_reading("announces no choice, or several") if action is None else Reading(action)


def deliberation_stages(plan: GamePlan, seat: SeatPlan) -> str:
    """One call or several: ``together`` or ``apart``, by the seat's options and settings.

    Raises
    ------
    UsageError
        Options that the architecture does not have.
    """
    return staged(read_options(DeliberationOptions, seat, plan).stages, seat.settings)


def paragraphs(*texts: str) -> str:
    """The texts that are not empty, with an empty line between."""
    return "\n\n".join(text for text in texts if text)


def whole(text: str) -> str | None:
    """A private thought as the log keeps it: not endless, None without any."""
    return cut(text, LONGEST_REASONING) or None


class PrivateAgent(PublicAgent):
    """A language model that thinks in private what the others never see, and writes what they do.

    Three thoughts, on the first option, on the second, and on what to let the others believe; then public
    text, then the decision.

    together
        One call, the thoughts inside double braces (`intent.base.replies.split_private`), and a last line
        ``DECISION: label``, which counts in the public part only.
    apart
        A call for each; braces in the public text are taken out too.

    The public text goes where that of `PublicAgent` goes; in a game with messages the thoughts come before
    the message, and belong to the move of the round. Own thoughts of the rounds that the plan's `memory`
    holds come back in later prompts; no other player's prompt has them.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, 3.1 and 4 (memory of two iterations).

    Raises
    ------
    UsageError
        As `PublicAgent`.
    """

    blocks: ClassVar[frozenset[str]] = frozenset({"private"})
    _at_once: ClassVar[str] = "deliberate"

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        super().__init__(plan, seat, prompts)
        self._thoughts: dict[int, str] = {}
        self._labels = plan.stage().actions

    @classmethod
    def calls(cls, plan: GamePlan, seat: SeatPlan) -> tuple[int, int]:
        """Calls per round, the message of a message phase included, as expected and at most."""
        thinking = len(plan.stage().actions) + 1 if deliberation_stages(plan, seat) == "apart" else 0
        expected, most = super().calls(plan, seat)
        return expected + thinking, most + thinking

    async def answer(self, question: str, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The answer to the question of this name: the end of the public part of the reply."""
        values = question_values(question, view, self._plan, self._prompts)
        inside = self._inside(question_request(self._plan), **values)
        messages = self._prompts.render(view, self._plan, "choose", inside)
        last = response_of(await ask(messages, free(self._seat.settings), purpose="question"))
        part = split_private(last.text)  # no other player reads an answer, so any object may hold it
        return Decision(
            None,
            message=as_answer(part.public),
            private_thought=whole(part.private),
            reasoning=last.reasoning,
            reply=last.reference,
            prompt=last.reference,
        )

    def _requests(self, view: View, phase: Phase) -> list[tuple[str, dict[str, object]]]:
        if self._stages == "together":
            return [("communicate_private", {})]
        options = listed(view.actions, self._plan.listed_first)
        thoughts: list[tuple[str, dict[str, object]]]
        thoughts = [("think_option", {"thought_option": option}) for option in options]
        return [*thoughts, ("think_deceive", {}), *super()._requests(view, phase)]

    def _inside(self, request: str | None = None, **values: object) -> Inside:
        return Inside(request=request, blocks=self.blocks, thoughts=dict(self._thoughts), values=values)

    def _part(self, text: str) -> PrivateText:
        parts = split_private(text, self._labels)
        return replace(parts, public=without_traces(parts.public)) if parts.private else parts

    def _remember(self, number: int, private: str) -> None:
        if private:
            self._thoughts[number] = cut(private, LONGEST_MESSAGE)
        if self._plan.memory is not None:
            first = number + 1 - self._plan.memory
            self._thoughts = {at: text for at, text in self._thoughts.items() if at >= first}

    def _details(self, part: PrivateText) -> Mapping[str, Any]:
        return {"stages": self._stages, "blocks": part.blocks, "unbalanced": part.unbalanced}
