"""Artificial models that write strategies, in words and as code: one well, one wrong in many ways."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

from intent.agents.mock.client import Utterance, digest, fraction

__all__ = [
    "CODE",
    "LINES",
    "WORDS",
    "Line",
    "Request",
    "code_kind",
    "fenced",
    "line_in",
    "request_of",
    "strategist",
    "strategist_erratic",
]


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
    request, seen = request_of(body), digest(body)
    everything = prompt_text(body)
    if request in ("code", "repair"):
        rule = line_in(everything) or _line(everything, seen)
        if request == "code" and fraction("slip", seen) < SLIPS:
            return Utterance(fenced(_WRONG[int(fraction("wrong", seen) * len(_WRONG))]))
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
    rule = (line_in(whole) if request == "rewrite" else None) or _line(everything, seen)
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


def _line(text: str, seen: bytes) -> tuple[Line, int, int]:
    """A rule for the attitude that is asked for, by a hash of the request."""
    lines = LINES[_attitude(text)]
    n, p = 2 + int(5 * fraction("n", seen)), 5 + 5 * int(9 * fraction("p", seen))
    return lines[int(fraction("line", seen) * len(lines))], n, p


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
    seen = digest(body)
    if request_of(body) in ("code", "repair"):
        answer = CODE[code_kind(body)]
    else:
        kinds = tuple(WORDS)
        wrong = fraction("wrong words", seen) < WRONG_WORDS
        answer = WORDS[kinds[int(fraction("words", seen) * len(kinds))]] if wrong else None
    if answer is None:
        return strategist(body, text, labels)
    return Utterance(answer, cut=not answer)


def code_kind(body: Mapping[str, Any]) -> str:
    """The kind of answer that a request for code gets."""
    seen, kinds = digest(body), tuple(CODE)
    if request_of(body) == "repair" and fraction("mended", seen) < 0.5:
        return "good"
    return kinds[int(fraction("code", seen) * len(kinds))]
