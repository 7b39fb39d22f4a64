"""What a request asks for and what it says of its game, as an artificial model reads it from the body alone.

The words are looked up in our own phrases of all languages; a prompt in other words is read as far as
numbers and labels go, and what is not found is None.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, Literal

from intent.agents.mock.client import constrained_labels, digest, fraction, labels_in
from intent.base.registry import load, points
from intent.base.replies import digits

__all__ = [
    "ENTRY_POINTS",
    "PAYOFFS",
    "ObjectForm",
    "ParsedRequest",
    "Task",
    "advice_to_give",
    "announced",
    "joint_choices",
    "numbers",
    "object_form",
    "occurs",
    "options",
    "other_choices",
    "outcomes",
    "places",
    "question",
    "rounds_so_far",
    "sole_label",
    "total",
    "values_of",
]


_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_BLOCK = re.compile(r"\{(\w+)\}: \[(.*)")


@cache
def our_phrases() -> dict[str, dict[str, str]]:
    """Language -> phrase -> words."""
    from intent.agents.prompts.wording import our_wordings

    return {language: dict(wording.phrases) for language, wording in our_wordings().items()}


@cache
def lines_holding(holding: str, tags: tuple[str, ...] = ()) -> tuple[tuple[str, str], ...]:
    """Language and line, of all lines of our texts that hold a placeholder, in blocks of these tags only."""
    from intent.agents.prompts.wording import our_wordings

    lines: dict[tuple[str, str], None] = {}
    for language, wording in our_wordings().items():
        named = [("", line) for text in wording.templates.values() for line in text.splitlines()]
        named += [(name, line) for name, text in wording.phrases.items() for line in text.splitlines()]
        for name, line in named:
            head = _BLOCK.match(line)
            tag, body = (head[1], head[2].removesuffix("]")) if head else (name, line.removesuffix("]"))
            if holding in body and (not tags or tag in tags):
                lines[language, body] = None
    return tuple(lines)


def values_of(phrase: str, text: str) -> dict[str, str] | None:
    """The values that a phrase was filled with, each as short as can be; None where `text` is not it."""
    literals, names = _parts(phrase)
    if not names:
        return {} if text == phrase else None
    if not text.startswith(literals[0]) or not text.endswith(literals[-1]):
        return None
    values, at, end = {}, len(literals[0]), len(text) - len(literals[-1])
    for name, literal in zip(names[:-1], literals[1:-1], strict=True):
        stop = text.find(literal, at, end)
        if stop < 0:
            return None
        values[name], at = text[at:stop], stop + len(literal)
    return {**values, names[-1]: text[at:end]} if at <= end else None


def occurs(phrase: str, text: str) -> bool:
    """Whether the literal parts of a phrase stand in the text, one after the other."""
    at = 0
    for literal in _parts(phrase)[0]:
        at = text.find(literal, at)
        if at < 0:
            return False
        at += len(literal)
    return True


@cache
def _parts(phrase: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The literal text around the placeholders, and the placeholders' names."""
    pieces = _PLACEHOLDER.split(phrase)
    literals = [piece.replace("{{", "{").replace("}}", "}") for piece in pieces[::2]]
    return tuple(literals), tuple(pieces[1::2])


LONGEST_PROMPT = 100_000
"""Characters of a prompt that are read."""

ONLY_LABEL = (
    *("choose", "choose_json", "choose_tool_json", "choose_tool_prompted_json"),
    *("decide_now", "remind", "remind_json"),
)
"""Blocks and phrases that ask for a label and nothing else."""

ANNOUNCING = ("deliberate_announced", "explain_announced", "write_public_announced", "remind_announced")
"""Blocks and phrases that ask for a text which announces the choice."""

THINKING = ("think", "think_option", "think_deceive")
"""Blocks that ask for thoughts without a choice."""

QUESTION = "question_"
"""Phrases that begin so are questions."""

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[-−]?\d{1,15}(?:\.\d{1,15})?(?![A-Za-z0-9_])", re.ASCII)


def numbers(text: str) -> list[float]:
    """The numbers that stand for themselves, not those within names."""
    return [float(number.replace("−", "-")) for number in _NUMBER.findall(text[:LONGEST_PROMPT])]


def places(text: str, labels: Sequence[str]) -> list[tuple[int, str]]:
    """Where labels stand: position of the end, and label; of overlapping ones the longest."""
    if not labels:
        return []
    return [(match.end(), match.group()) for match in _labels(tuple(labels)).finditer(text[:LONGEST_PROMPT])]


def sole_label(text: str, labels: Sequence[str]) -> str | None:
    """The one label that the text names, however often; None where it names none or several."""
    named = {label for _, label in places(text, labels)}
    return named.pop() if len(named) == 1 else None


def outcomes(text: str, labels: Sequence[str]) -> Mapping[tuple[str, str], float]:
    """Payoffs by joint action, from the list of outcomes: (own, other) -> own.

    A line of the list names two labels and then two payoffs, both of them in the same order of players.
    """
    table = {}
    for line in text[:LONGEST_PROMPT].splitlines():
        named = places(line, labels)
        if not line.lstrip().startswith("-") or len(named) != 2:
            continue
        payoffs = numbers(line[named[-1][0] :])
        for number in numbers(line[: named[-1][0]]):
            # Such as that of "Player 2", who is named again beside the payoff.
            if len(payoffs) > 2 and number in payoffs:
                payoffs.remove(number)
        if len(payoffs) == 2:
            table[named[0][1], named[1][1]] = payoffs[0]
    return table


def options(text: str) -> tuple[str, ...]:
    """The labels that a prompt in our words asks to choose from; empty where it is in other words."""
    for line in text[:LONGEST_PROMPT].splitlines():
        for language, phrase in lines_holding("{options}"):
            values = values_of(phrase, line)
            labels = values["options"].split(our_phrases()[language]["or"]) if values else ()
            if len(labels) > 1 and all(label.strip() for label in labels):
                return tuple(labels)
    return ()


def asks_for_label(text: str) -> bool:
    """Whether the last line asks for the name of an option and nothing else."""
    last = text.strip().rsplit("\n", 1)[-1]
    return any(
        values_of(phrase, last)
        for holding in ("{options}", "{json_options}")
        for _, phrase in lines_holding(holding, ONLY_LABEL)
    )


def asks_to_announce(text: str) -> bool:
    """Whether a line asks for a text that announces the choice."""
    lines = text[:LONGEST_PROMPT].splitlines()
    phrases = lines_holding("{options}", ANNOUNCING)
    return any(values_of(phrase, line) for line in lines for _, phrase in phrases)


def asks_to_think(text: str) -> bool:
    """Whether a line asks for thoughts that nobody else reads, without a choice."""
    lines = text[:LONGEST_PROMPT].splitlines()
    return any(
        values_of(phrase, line) is not None for line in lines for _, phrase in lines_holding("", THINKING)
    )


def advice_to_give(text: str) -> str | None:
    """What an assistant is told to advise: a label, an empty text where it is to find out, None where the
    text is no prompt of an assistant."""
    values = _to_advise(text)
    return values.get("advised", "") if values else None


def client_of(text: str) -> str:
    """Whom an assistant is told to advise; empty where the text is no prompt of an assistant."""
    values = _to_advise(text)
    return values.get("name", "") if values else ""


def _to_advise(text: str) -> dict[str, str] | None:
    for line in text[:LONGEST_PROMPT].splitlines():
        for _, phrase in lines_holding("{name}", ("advise", "advise_compute")):
            if values := values_of(phrase, line):
                return values
    return None


def announced(text: str, labels: Sequence[str]) -> str | None:
    """The one label that the player's own message of this round names; None where there is none."""
    for line in text[:LONGEST_PROMPT].splitlines():
        for language, phrase in lines_holding("{messages}", ("said",)):
            values, phrases = values_of(phrase, line), our_phrases()[language]
            for part in values["messages"].split(phrases["join"]) if values else ():
                if mine := values_of(phrases["own_message"], part):
                    return sole_label(mine["message"], labels)
    return None


def question(text: str) -> tuple[str, str] | None:
    """Language and name of the question of ours that the text puts, such as ``rounds_so_far``."""
    for language, phrases in our_phrases().items():
        for name, phrase in phrases.items():
            if name.startswith(QUESTION) and occurs(phrase, text[:LONGEST_PROMPT]):
                return language, name.removeprefix(QUESTION)
    return None


def other_choices(text: str, labels: Sequence[str], language: str, client: str = "") -> list[str]:
    """What the other player chose in the rounds shown, in order; for an assistant, other than its client."""
    phrases = our_phrases()[language]
    choices = []
    for line in _rounds(text, language):
        for event in line["events"].split(phrases["join"]):
            mine = _either(phrases, "own_choice", event)
            other = None if mine else _either(phrases, "other_choice", event)
            if other and other["option"] in labels and other["player"] != client:
                choices.append(other["option"])
    return choices


def joint_choices(text: str, labels: Sequence[str], language: str, client: str = "") -> list[tuple[str, str]]:
    """The player's own choice and the other's in the rounds shown, where both are; for an assistant its
    client's and the other's."""
    phrases = our_phrases()[language]
    joint = []
    for line in _rounds(text, language):
        own = other = None
        for event in line["events"].split(phrases["join"]):
            mine = _either(phrases, "own_choice", event)
            theirs = None if mine else _either(phrases, "other_choice", event)
            if mine or (client and theirs and theirs["player"] == client):
                own = (mine or theirs or {})["option"]
            elif theirs:
                other = theirs["option"]
        if own in labels and other in labels:
            joint.append((str(own), str(other)))
    return joint


def rounds_so_far(text: str, language: str) -> int:
    """How many rounds the history counts up to the last that it shows."""
    shown = [line["round"] for line in _rounds(text, language)]
    return max((int(number) for number in shown if re.fullmatch("[0-9]{1,6}", number)), default=0)


def total(text: str, language: str, client: str = "") -> float | None:
    """The player's own total of the rounds that totals are told of; None where it is not told.

    For an assistant, whose prompt speaks of its client by name, that of the client.
    """
    phrases = our_phrases()[language]
    for name in ("total", "total_all"):
        for line in text[:LONGEST_PROMPT].splitlines():
            line_values = values_of(phrases[name], line)
            sums = line_values["sums"].split(phrases["join"]) if line_values else []
            for part in sums:
                values = values_of(phrases["other_sum" if client else "own_sum"], part)
                if values and values.get("player", "") == client:
                    return next(iter(numbers(values["sum"])), None)
    return None


def _rounds(text: str, language: str) -> list[dict[str, str]]:
    """Number and events of every round that the history shows."""
    phrase = our_phrases()[language]["round"]
    rounds = (values_of(phrase, line) for line in text[:LONGEST_PROMPT].splitlines())
    return [values for values in rounds if values]


def _either(phrases: Mapping[str, str], name: str, text: str) -> dict[str, str] | None:
    return values_of(phrases[name], text) or values_of(phrases[f"{name}_unpaid"], text)


@lru_cache(maxsize=256)
def _labels(labels: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{either})(?![A-Za-z0-9_])")


Task = Literal["label", "tool", "call", "answer", "decision", "text"]
"""A label and nothing else; a call of a tool, native or in words; a text that ends with ``ANSWER:`` or
``DECISION:``; any other text."""

PAYOFFS = ("temptation", "reward", "punishment", "sucker")
"""Arguments that are looked for where a tool is described in words."""

_STATED = re.compile(r"(?<![A-Za-z])(DECISION|ANSWER)(?![A-Za-z])")
_CALL = re.compile(r"(?<![A-Za-z])CALL(?![A-Za-z])")
_FORMAL = re.compile(r"[<>{}:_]|^(?:DECISION|ANSWER|CALL|name|arguments|choice)$")
"""Quoted, but no label of a game."""

_FORMS = re.compile(r"^(?:DECISION:|ANSWER:|\{\"(?:DECISION|ANSWER)\":).*$", re.MULTILINE)
_FORM = re.compile(r'CALL: \{"name": "([^"\n]{1,100})"')
_ARGUMENT = re.compile(rf"(?<![A-Za-z_])({'|'.join(PAYOFFS)})(?=\s{{0,2}}[:(])")


@dataclass(frozen=True, eq=False)
class ParsedRequest:
    """A request, read.

    Parameters
    ----------
    body : as a client or a chat endpoint has it
    default : labels where the request names none
    """

    body: Mapping[str, Any]
    default: Sequence[str]

    @cached_property
    def messages(self) -> list[tuple[str, str]]:
        """Role and text of every message."""
        raw = self.body.get("messages")
        pairs = [(m.get("role"), m.get("content")) for m in raw or () if isinstance(m, Mapping)]
        return [(str(role), text[:LONGEST_PROMPT] if isinstance(text, str) else "") for role, text in pairs]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels to choose from: those given, those of our wording, or what `labels_in` finds."""
        return tuple(map(str, constrained_labels(self.body))) or self._worded or self._quoted

    @cached_property
    def _quoted(self) -> tuple[str, ...]:
        """What prompts in other words name or quote, keywords and placeholders apart."""
        for role, text in reversed(self.messages):
            if role not in ("system", "user"):
                continue
            alone = {"messages": [{"content": text}]}
            named = sum(label in text for label in self.default) > 1
            labels = labels_in(alone, self.default if named else ())
            labels = tuple(label for label in labels if not _FORMAL.search(label))
            if len(labels) > 1:
                return labels
        return tuple(self.default)

    @cached_property
    def _worded(self) -> tuple[str, ...]:
        return next((labels for _, text in reversed(self.messages) if (labels := options(text))), ())

    @cached_property
    def instructions(self) -> str:
        """All that the model is told: messages of the system and of the user."""
        return "\n".join(text for role, text in self.messages if role in ("system", "user"))

    @cached_property
    def last(self) -> str:
        """The last message of the user, which holds the request."""
        return next((text for role, text in reversed(self.messages) if role == "user"), "")

    @property
    def must(self) -> bool:
        """Whether the reply can only be one of the labels."""
        return bool(constrained_labels(self.body)) and (
            "choices" not in self.body or bool(self.body.get("constrained"))
        )

    @property
    def as_object(self) -> bool:
        """Whether a label is asked for within a JSON object."""
        return not self.must and '{"choice": ' in self.last.rstrip().rsplit("\n", 1)[-1]

    @property
    def in_braces(self) -> bool:
        """Whether a statement is asked for as a JSON object."""
        return '{"DECISION": ' in self.instructions or '{"ANSWER": ' in self.instructions

    @property
    def private(self) -> bool:
        """Whether private thoughts in double braces are asked for."""
        return "{{" in self.last

    @property
    def thinks(self) -> bool:
        """Whether thoughts that nobody else reads are asked for, without a choice."""
        return asks_to_think(self.last)

    @cached_property
    def task(self) -> Task:
        """The kind of reply that is asked for."""
        if self.must:
            return "label"
        if self.tool and not self.called:
            return "tool" if self.body.get("tools") else "call"
        if self.to_advise is not None:
            return "text"
        if asks_for_label(self.last):
            return "label"
        if asks_to_announce(self.last):
            return "text"
        # The request stands last: before it the history may quote what others wrote.
        stated = _STATED.findall(self.last) or _STATED.findall(self.instructions)
        if stated:
            return "answer" if stated[-1] == "ANSWER" else "decision"
        if self.private or (self._worded and not self.body.get("choices")):
            return "text"
        return "label"

    @cached_property
    def tool(self) -> tuple[str, Mapping[str, str]] | None:
        """Name of the tool that may be called, and its arguments with their descriptions."""
        tools = self.body.get("tools")
        if tools:
            return None if self.body.get("tool_choice") == "none" else _native(tools)
        return next((described for _, text in self.messages if (described := _prompted(text))), None)

    @cached_property
    def called(self) -> bool:
        """Whether the model has called a tool before in this conversation."""
        raw = self.body.get("messages") or ()
        native = any(isinstance(m, Mapping) and m.get("tool_calls") for m in raw)
        return native or any(role == "assistant" and _CALL.search(text) for role, text in self.messages)

    @cached_property
    def to_advise(self) -> str | None:
        """What the model is to advise, if it is the assistant in a debate; empty where it is to find out."""
        return next(
            (advice for _, text in self.messages if (advice := advice_to_give(text)) is not None), None
        )

    @cached_property
    def client(self) -> str:
        """Whom the assistant in a debate advises; empty where the model is none."""
        return next((name for _, text in self.messages if (name := client_of(text))), "")

    @cached_property
    def advised(self) -> str | None:
        """The label that the conversation settled on last: a tool's, an assistant's or the model's own."""
        first = next((i for i, (role, _) in enumerate(self.messages) if role == "user"), 0)
        texts = [text for _, text in self.messages[first:]]
        for number, text in reversed(list(enumerate(texts))):
            # The first words of an assistant may follow the opening in one message.
            words = text if number else "".join(_FORMS.split(text, maxsplit=1)[1:])
            for line in reversed(words.splitlines()):
                if not _STATED.search(line) and (label := sole_label(line, self.labels)):
                    return label
        return announced(self.instructions, self.labels)

    def one_of(self, choices: Sequence[str], *about: object) -> str:
        """One of these by a hash of the request, each as likely as the others over different requests."""
        return choices[int(fraction(*about, digest(self.body)) * len(choices))]


def _native(tools: object) -> tuple[str, Mapping[str, str]] | None:
    try:
        function = tools[0]["function"]  # type: ignore[index]
        properties = (function.get("parameters") or {}).get("properties") or {}
        return str(function["name"]), {n: str(p.get("description", "")) for n, p in properties.items()}
    except (AttributeError, IndexError, KeyError, TypeError):
        return None


def _prompted(text: str) -> tuple[str, Mapping[str, str]] | None:
    """A tool that is described in words: its name stands in the form of the call, its arguments below."""
    form = _FORM.search(text)
    if form is None:
        return None
    below = text[form.end() :]
    end = _STATED.search(below)
    pieces = _ARGUMENT.split(below[: end.start()] if end else below)
    return form[1], dict(zip(pieces[1::2], pieces[2::2], strict=True))


ENTRY_POINTS = "intent.answer_fields"
"""Group of entry points of fields by which the form of an answer is known: a tuple of names each."""

LONGEST_FORM = 20_000
"""Characters of the end of a prompt that are read."""

_OBJECT_FORM_NUMBER = re.compile(r"\d{1,12}")
_WORD = re.compile(r'"([^"\d\n][^"\n]{0,40})"')
_ALONE = re.compile(r"(?<![A-Za-z0-9_])\d{1,12}(?![A-Za-z0-9_])", re.ASCII)
_PLACE = re.compile(r'"(\d{1,4})"\s{0,4}:')
_PLAYER = re.compile(r"^[^\w\n]{0,6}(\d{1,4})(?:[.):]\s|\uff09)", re.MULTILINE)


@dataclass(frozen=True)
class ObjectForm:
    """What is asked for.

    Parameters
    ----------
    key : the field that holds the answer
    explains : whether an explanation is to come first
    low, high : whole numbers from here to there; of a proposal 0 and the coins
    words : labels to choose from, in the order in which the prompt names them; empty of numbers
    players : players that the request lists by number, where the answer may be null; else empty
    places : names of the numbers of a proposal; empty of other answers
    choices : answers that the request allows, as JSON objects; empty where it does not say
    own : answers of the model's own earlier in the conversation
    seed : of whatever is drawn: the request's own
    """

    key: str
    explains: bool
    low: int
    high: int
    words: tuple[str, ...]
    players: tuple[int, ...]
    places: tuple[str, ...]
    choices: tuple[str, ...]
    own: int
    seed: bytes

    def drawn(self, *about: object) -> float:
        """A number in [0, 1) that depends on nothing but the request and `about`."""
        return fraction(*about, self.seed)

    def uniform(self) -> object:
        """One of the answers asked for, each as likely as the others, as far as the prompt tells them."""
        if self.choices:
            known: object = json.loads(self.choices[int(self.drawn("given") * len(self.choices))])
            return known[self.key] if isinstance(known, dict) and self.key in known else known
        if self.words:
            return self.words[int(self.drawn("word") * len(self.words))]
        if self.players:
            choices = (*self.players, None)
            return choices[int(self.drawn("target") * len(choices))]
        if self.places:
            bars = sorted(int(self.drawn("bar", i) * (self.high + 1)) for i in range(len(self.places) - 1))
            shares = (b - a for a, b in zip((0, *bars), (*bars, self.high), strict=True))
            return dict(zip(self.places, shares, strict=True))
        return self.low + int(self.drawn("number") * (self.high - self.low + 1))

    def with_answer(self, value: object) -> str:
        """The object with this answer."""
        thought = {"explanation": "I weigh what the others may do."} if self.explains else {}
        return json.dumps({**thought, self.key: value}, ensure_ascii=False)


@cache
def _field() -> re.Pattern[str]:
    """A field of an answer: those of all games that answer with an object."""
    names = dict.fromkeys(re.escape(name) for there in points(ENTRY_POINTS).values() for name in load(there))
    return re.compile(rf'"({"|".join(names)})"\s{{0,4}}:')


def object_form(body: Mapping[str, Any]) -> ObjectForm | None:
    """The form that the end of the last message of the user shows; None where it shows none."""
    raw = body.get("messages")
    messages = [m for m in raw if isinstance(m, Mapping)] if isinstance(raw, Sequence) else []
    contents = [m.get("content") for m in messages if m.get("role") == "user"]
    users = [digits(text[-LONGEST_FORM:]) if isinstance(text, str) else "" for text in contents]
    last = users[-1] if users else ""
    fields = list(_field().finditer(last))
    if not fields:
        return None
    field = fields[-1]
    start, value = last.rfind("{", 0, field.start()), last[field.end() :]
    before = last[: max(start, 0)]
    key = field[1]
    numbers = [int(number) for number in _OBJECT_FORM_NUMBER.findall(value)]
    places = tuple(dict.fromkeys(_PLACE.findall(value))) if value.lstrip().startswith("{") else ()
    if places:
        numbers = [0, _coins(before)]
    players = _listed([before, *reversed(users[:-1])]) if "null" in value else ()
    return ObjectForm(
        key=key,
        explains='"explanation"' in last[max(start, 0) : field.start()],
        low=min(numbers, default=0) if len(numbers) > 1 else 0,
        high=max(numbers, default=0),
        words=() if places else tuple(dict.fromkeys(_WORD.findall(value))),
        players=players,
        places=places,
        choices=tuple(one for one in map(str, constrained_labels(body)) if f'"{key}"' in one),
        own=sum(m.get("role") == "assistant" for m in messages),
        seed=digest(body),
    )


def _listed(texts: Sequence[str]) -> tuple[int, ...]:
    """The players of the first text that lists any: a reminder does not, the request before it does."""
    players = next(filter(None, map(_PLAYER.findall, texts)), [])
    return tuple(dict.fromkeys(int(number) for number in players))


def _coins(before: str) -> int:
    """What is to be shared: the number that the last paragraph with one names most often."""
    for paragraph in reversed(before.split("\n\n")):
        named = Counter(int(coins) for coins in _ALONE.findall(paragraph) if int(coins))
        if named:
            return max(named, key=lambda number: (named[number], number))
    return 0
