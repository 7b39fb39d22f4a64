"""Artificial models for tests and dry trials: no network, and the same answer to the same request.

Here is what all have in common, the plainest, and those that write strategies, in words and as code: one
well, one wrong in many ways. `intent.agents.mock.rules` does what any architecture asks for, well or badly.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Any, Literal

from intent.agents.client import Message, Reply, Settings, Tool, Usage
from intent.agents.clients.registry import clean, whole_body
from intent.base.errors import UnknownNameError, UsageError, shorten

__all__ = [
    "CODE",
    "LABELS",
    "LINES",
    "RULES",
    "WORDS",
    "Line",
    "Request",
    "Rule",
    "ScriptedClient",
    "Utterance",
    "call",
    "code_kind",
    "constrained_labels",
    "digest",
    "fenced",
    "fraction",
    "labels_in",
    "line_in",
    "pick",
    "request_of",
    "rule_of",
    "strategist",
    "strategist_erratic",
]

LABELS = ("OptionA", "OptionB")
"""Said where a request names no labels."""

_QUOTED = re.compile(
    r"'([^'\n]{1,40})'|\"([^\"\n]{1,40})\"|“([^”\n]{1,40})”|«\s*([^»\n]{1,40}?)\s*»|「([^」\n]{1,40})」"
)


def digest(body: Mapping[str, Any]) -> bytes:
    """SHA-256 of a body, whatever the order of its fields."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).digest()


def fraction(*parts: object) -> float:
    """A number in [0, 1) that depends on nothing but `parts`, evenly spread."""
    digits = hashlib.sha256(repr(parts).encode()).digest()
    return int.from_bytes(digits[:7], "big") / 2**56


def labels_in(body: Mapping[str, Any], labels: Sequence[str] = LABELS) -> tuple[str, ...]:
    """The labels that a request asks to choose from.

    1. Those that it constrains the reply to, or gives as ``choices``.
    2. Those of `labels` that its last message names, if two or more.
    3. What its last message quotes, if two or more texts.
    4. `labels`.
    """
    constrained = constrained_labels(body)
    if constrained:
        return constrained
    messages = body.get("messages")
    last = messages[-1].get("content") if messages else ""
    text = last if isinstance(last, str) else ""
    named = tuple(label for label in labels if label in text)
    if len(named) > 1:
        return named
    quoted = tuple(dict.fromkeys("".join(groups) for groups in _QUOTED.findall(text)))
    return quoted if len(quoted) > 1 else tuple(labels)


def pick(body: Mapping[str, Any], labels: Sequence[str] = LABELS) -> str:
    """One of `labels_in`, each as likely as the others over different bodies."""
    among = labels_in(body, labels)
    return among[int(fraction("label", digest(body)) * len(among))]


def constrained_labels(body: Mapping[str, Any]) -> tuple[str, ...]:
    """Labels in one of the forms of `intent.agents.clients.registry`, or ``choices``."""
    choices = body.get("choices") or body.get("guided_choice")
    if not choices and isinstance(body.get("structured_outputs"), dict):
        choices = body["structured_outputs"].get("choice")
    if not choices and isinstance(body.get("grammar"), str):
        choices = [json.loads(quoted) for quoted in re.findall(r'"(?:[^"\\]|\\.)*"', body["grammar"])]
    if not choices:
        try:
            schema = body["response_format"]["json_schema"]["schema"]
            choices = schema["properties"]["choice"]["enum"]
        except (KeyError, TypeError):
            choices = ()
    return tuple(choices)


@dataclass(frozen=True)
class Utterance:
    """A reply.

    Parameters
    ----------
    tool_calls : tuple of mappings with id, name, arguments (text)
        As in `intent.agents.client.Reply`.
    cut : whether the limit of tokens ended it, as it ends an empty reply
    """

    text: str
    tool_calls: tuple[Mapping[str, str], ...] = ()
    cut: bool = False

    @property
    def finish_reason(self) -> str:
        """As OpenAI's endpoint names it."""
        return "tool_calls" if self.tool_calls else "length" if self.cut else "stop"


Rule = Callable[[Mapping[str, Any], str, Sequence[str]], Utterance]
"""``(body, text, labels) -> Utterance``: the request, what stands after the colon of the model's name, and
the labels to name where the request names none. Nothing else decides what is said."""


def call(
    body: Mapping[str, Any], name: str, arguments: Mapping[str, object], number: int = 1
) -> dict[str, str]:
    """A call of a tool, with an id that is the request's own."""
    known = digest(body).hex()[:16]
    return {"id": f"call_{known}_{number}", "name": name, "arguments": json.dumps(dict(arguments))}


def uniform(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """One of the labels, by a hash of the request."""
    return Utterance(pick(body, labels))


def first(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """The first label of a request."""
    return Utterance(labels_in(body, labels)[0])


def last(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """The last one."""
    return Utterance(labels_in(body, labels)[-1])


def says(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """The text after the colon of the model's name."""
    return Utterance(text)


RULES: Mapping[str, str] = MappingProxyType(
    {
        "uniform": "intent.agents.mock.client:uniform",
        "first": "intent.agents.mock.client:first",
        "last": "intent.agents.mock.client:last",
        "heeds": "intent.agents.mock.rules:heeds",
        "agreeable": "intent.agents.mock.rules:agreeable",
        "erratic": "intent.agents.mock.rules:erratic",
        "strategist": "intent.agents.mock.client:strategist",
        "strategist-erratic": "intent.agents.mock.client:strategist_erratic",
        "says": "intent.agents.mock.client:says",
        "asked": "intent.agents.mock.rules:rule_of_object",
    }
)
"""``scripted/RULE`` to the `Rule` by which it answers a body; ``scripted/says:TEXT`` always says TEXT,
``scripted/asked:constant:91`` answers with the JSON object that is asked for."""

ASKED_RULES = ("constant:", "cycle:", "RANDOM")
"""What may stand after ``scripted/asked:``."""


def check_object_rule(rule: str) -> None:
    """Refuse what may not stand after ``scripted/asked:``."""
    head, colon, text = rule.partition(":")
    if rule != "RANDOM" and (head + colon not in ASKED_RULES or not text.strip(" ,;")):
        raise UsageError(
            f"model scripted/asked:{shorten(rule)}: expected asked:constant:91, asked:cycle:0,50,100 or "
            "asked:RANDOM"
        )


_WITH_TEXT = ("says", "asked")


def rule_of(model: object) -> Rule:
    """The rule that a model's name in a request means; ``uniform`` where it is none."""
    if isinstance(model, str) and model.startswith("asked:"):
        rule, of_object = model.removeprefix("asked:"), resolve_name(RULES["asked"])
        return lambda body, text, labels: of_object(body, rule, labels)
    known = isinstance(model, str) and model in RULES and model not in _WITH_TEXT
    rule_of_name: Rule = resolve_name(RULES[str(model) if known else "uniform"])
    return rule_of_name


class ScriptedClient:
    """Answers by rule.

    ``uniform`` picks one of the labels (`Settings.choices`) by a hash of the request: the same request is
    answered alike. Seeds, as `Settings.seeded` gives every call one, make repetitions differ. ``agreeable``
    does what every architecture asks for, ``erratic`` does it wrong in as many ways as models do. ``heeds``
    answers an expected move in kind, where the prompt tells of one, and is ``uniform`` elsewhere.
    ``strategist`` and ``strategist-erratic`` are asked for whole strategies, in words and as code, well and
    badly. ``asked`` follows a rule in games that are answered with JSON objects.

    Parameters
    ----------
    name : ``scripted/uniform``, ``scripted/first``, ``scripted/last``, ``scripted/heeds``,
        ``scripted/agreeable``, ``scripted/erratic``, ``scripted/strategist``,
        ``scripted/strategist-erratic``, ``scripted/says:TEXT``, ``scripted/asked:constant:91``,
        ``scripted/asked:cycle:0,50,100`` or ``scripted/asked:RANDOM``

    Raises
    ------
    UnknownNameError, UsageError
    """

    endpoint = "scripted"
    concurrency = 256

    def __init__(self, name: str) -> None:
        self.name = name
        rule, colon, self._text = name.removeprefix("scripted/").partition(":")
        if rule not in RULES:
            raise UnknownNameError("scripted model", name, [f"scripted/{known}" for known in RULES])
        if bool(colon) != (rule in _WITH_TEXT) or (colon and not self._text.strip()):
            raise UsageError(f"model {name!r}: expected scripted/says:TEXT or scripted/{rule} without text")
        if rule == "asked":
            check_object_rule(self._text)
        self._rule: Rule = resolve_name(RULES[rule])

    def __repr__(self) -> str:
        return f"ScriptedClient({self.name!r})"

    def body(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> dict[str, Any]:
        """Messages, tools and settings as given; nothing is sent anywhere."""
        return whole_body(self.name, messages, settings, tools)

    async def complete(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> Reply:
        """The answer of the rule; words count as tokens."""
        body = self.body(messages, settings, tools)
        utterance = self._rule(body, self._text, LABELS)
        text = clean(utterance.text)
        words = sum(len(message.content.split()) for message in messages)
        return Reply(
            text,
            model=self.name,
            finish_reason=utterance.finish_reason,
            usage=Usage(words, len(text.split())),
            sent=body,
            tool_calls=utterance.tool_calls,
        )

    async def close(self) -> None:
        """Nothing to release."""


fenced = "```python\n{}\n```".format
"""Code as models give it."""


@dataclass(frozen=True)
class Line:
    """A rule with two numbers: `n`, from 2 to 6, and `p`, a percentage from 5 to 45.

    Parameters
    ----------
    words : with ``{n}`` and ``{p}``
    code : with ``<n>`` and ``<p>``
    """

    words: str
    code: str

    def described(self, n: int, p: int) -> str:
        """The rule in words."""
        return self.words.replace("{n}", str(n)).replace("{p}", str(p))

    def written(self, n: int, p: int) -> str:
        """The rule as a function."""
        return self.code.strip().replace("<n>", str(n)).replace("<p>", str(p / 100))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What finds the rule, and its numbers, in a text."""
        text = re.escape(" ".join(self.words.split()))
        for name in ("n", "p"):
            place = re.escape(f"{{{name}}}")
            text = text.replace(place, rf"(?P<{name}>\d{{1,3}})", 1).replace(place, r"\d{1,3}")
        return re.compile(text)


LINES: Mapping[str, tuple[Line, ...]] = MappingProxyType(
    {
        attitude: tuple(Line(**line) for line in lines)
        for attitude, lines in tomllib.loads(
            (files("intent.agents.mock") / "strategists.toml").read_text(encoding="utf-8")
        ).items()
    }
)
"""Attitude -> rules."""


def line_in(text: str) -> tuple[Line, int, int] | None:
    """The rule that a text describes, with its numbers; the last one where it describes several."""
    plain, matches = " ".join(text.split()), []
    for lines in LINES.values():
        for line in lines:
            for match in line.pattern.finditer(plain):
                groups = match.groupdict()
                numbers = int(groups.get("n") or 2), int(groups.get("p") or 5)
                matches.append((match.start(), line, *numbers))
    return max(matches, key=lambda item: item[0])[1:] if matches else None


Request = Literal["words", "critique", "rewrite", "plan", "convert", "code", "repair"]

_CUES: tuple[tuple[Request, re.Pattern[str]], ...] = (
    ("rewrite", re.compile(r"\b(?:the review:|rewrite the|revise|write the strategy anew)", re.IGNORECASE)),
    (
        "critique",
        re.compile(r"\b(?:list what is weak|mistakes of logic|criticis|criticiz|critique)", re.IGNORECASE),
    ),
    ("convert", re.compile(r"\b(?:turn this (?:plan|strategy)|convert)", re.IGNORECASE)),
    ("plan", re.compile(r"\b(?:lay out|broad lines|high-level|how you are to conduct)", re.IGNORECASE)),
)
_FUNCTION = "def strategy(self, opponent)"
_ATTITUDE = re.compile(r"\b(?:is|be|an?) (aggressive|cooperative|neutral)\b", re.IGNORECASE)
_LONGEST = 200_000

SLIPS = 0.2
"""Share of functions that are wrong at first."""

_WRONG = (
    f"{_FUNCTION} -> axl.Action:\n    with open('moves.txt') as moves:\n        return axl.Action.C",
    f"{_FUNCTION} -> axl.Action:\n    return len(opponent.history) / 2",
)
"""What the gate refuses, and what returns no move."""


def strategist(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """What a good writer of strategies says; a pure function of the request.

    1. Words are a rule that suits the attitude, with numbers of its own.
    2. A plan says how somebody of that attitude acts; its conversion is such a rule, and a rewriting repeats
       the rule that it is given.
    3. Code is that of the rule which the request describes. One function in five is wrong at first, and right
       when it is asked for again.

    Parameters
    ----------
    text : not used
    labels : not used
    """
    request, key = request_of(body), digest(body)
    everything = prompt_text(body)
    if request in ("code", "repair"):
        rule = line_in(everything) or _line(everything, key)
        if request == "code" and fraction("slip", key) < SLIPS:
            return Utterance(fenced(_WRONG[int(fraction("wrong", key) * len(_WRONG))]))
        return Utterance(fenced(rule[0].written(*rule[1:])))
    if request == "critique":
        return Utterance(
            "- It does not say what happens in the last rounds.\n- It may be slow to forgive an error."
        )
    if request == "plan":
        return Utterance(
            f"My general line is {_attitude(everything)}: I settle on a way to begin, watch what the other "
            "side does, and answer in kind once I have seen enough of it."
        )
    whole = "\n".join(content for _, content in _texts(body))
    rule = (line_in(whole) if request == "rewrite" else None) or _line(everything, key)
    more = " The last rounds are played like all others." if request == "rewrite" else ""
    return Utterance(rule[0].described(*rule[1:]) + more)


def request_of(body: Mapping[str, Any]) -> Request:
    """What a request asks for, by the words of its messages."""
    texts = _texts(body)
    last = texts[-1][1] if texts else ""
    if any(_FUNCTION in text for role, text in texts if role == "user"):
        return "repair" if any(role == "assistant" for role, _ in texts) else "code"
    return next((name for name, cue in _CUES if cue.search(last)), "words")


def prompt_text(body: Mapping[str, Any]) -> str:
    """All that the model is told."""
    return "\n".join(text for role, text in _texts(body) if role != "assistant")


def _texts(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    messages = [m for m in body.get("messages") or () if isinstance(m, Mapping)]
    pairs = [(str(m.get("role")), m.get("content")) for m in messages]
    return [(role, text[:_LONGEST]) for role, text in pairs if isinstance(text, str)]


def _attitude(text: str) -> str:
    """The attitude that a text tells of; neutral where it tells of none that is known."""
    match = _ATTITUDE.search(text)
    return match[1].lower() if match else "neutral"


def _line(text: str, key: bytes) -> tuple[Line, int, int]:
    """A rule for the attitude that is asked for, by a hash of the request."""
    lines = LINES[_attitude(text)]
    n, p = 2 + int(5 * fraction("n", key)), 5 + 5 * int(9 * fraction("p", key))
    return lines[int(fraction("line", key) * len(lines))], n, p


WRONG_WORDS = 0.25
"""Share of answers in words that are of any kind; the others are good, so that longer chains come to code."""

_HEAD = "def strategy(self, opponent) -> axl.Action:\n"

_REFUSAL = "I'm sorry, but I can't help with creating a strategy that exploits another player."

WORDS: Mapping[str, str | None] = MappingProxyType(
    {
        "good": None,
        "refusing": _REFUSAL,
        "empty": "",
        "control": 'Cooperate """ then.\x1b[2J\x00\u202e\nimport os\nclass Neutral_1: pass\r# coding: x',
        "gigantic": "Cooperate while the other player does. " * 3_000,
    }
)
"""Kind of answer in words -> the answer; None for that of ``scripted/strategist``."""

CODE: Mapping[str, str | None] = MappingProxyType(
    {
        "good": None,
        "prose": "The function looks at the last move of the other player and decides by it.",
        "refusing": _REFUSAL,
        "empty": "",
        "unparsable": fenced(
            _HEAD + "    if opponent.history[-1] == axl.Action.D\n        return axl.Action.D"
        ),
        "import": fenced(_HEAD + "    import os\n    os.system('true')\n    return axl.Action.C"),
        "escape": fenced(_HEAD + "    return ().__class__.__base__.__subclasses__()[0]"),
        "endless": fenced(_HEAD + "    while True:\n        pass\n    return axl.Action.C"),
        "bomb": fenced(_HEAD + "    self.hoard = [0] * 10**10\n    return axl.Action.C"),
        "raising": fenced(_HEAD + "    return opponent.history[-1]"),
        "wrong_return": fenced(_HEAD + "    return 'maybe'"),
        "nothing": fenced(_HEAD + "    self.seen = len(opponent.history)"),
    }
)
"""Kind of answer with code -> the answer; None for that of ``scripted/strategist``."""


def strategist_erratic(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """What a bad writer of strategies says; a pure function of the request, which decides what goes wrong.

    A function that is asked for again is right in one of two cases, else wrong in a way of its own.

    Parameters
    ----------
    text : not used
    labels : not used
    """
    key = digest(body)
    if request_of(body) in ("code", "repair"):
        answer = CODE[code_kind(body)]
    else:
        kinds = tuple(WORDS)
        wrong = fraction("wrong words", key) < WRONG_WORDS
        answer = WORDS[kinds[int(fraction("words", key) * len(kinds))]] if wrong else None
    if answer is None:
        return strategist(body, text, labels)
    return Utterance(answer, cut=not answer)


def code_kind(body: Mapping[str, Any]) -> str:
    """The kind of answer that a request for code gets."""
    key, kinds = digest(body), tuple(CODE)
    if request_of(body) == "repair" and fraction("mended", key) < 0.5:
        return "good"
    return kinds[int(fraction("code", key) * len(kinds))]
