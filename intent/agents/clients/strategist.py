"""``scripted/strategist``: an artificial model that writes strategies, in words and as code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from intent.agents.clients.pick import digest, fraction
from intent.agents.clients.said import Said
from intent.agents.clients.strategy_lines import LINES, Line, line_in

__all__ = ["Request", "fenced", "request_of", "strategist", "told"]

Request = Literal["words", "critique", "rewrite", "plan", "convert", "code", "repair"]

_CUES: tuple[tuple[Request, re.Pattern[str]], ...] = (
    ("critique", re.compile(r"\b(?:list what is weak|criticis|criticiz|write a critique)", re.IGNORECASE)),
    ("rewrite", re.compile(r"\b(?:the review:|rewrite|revise)", re.IGNORECASE)),
    ("convert", re.compile(r"\b(?:turn this plan|convert)", re.IGNORECASE)),
    ("plan", re.compile(r"\b(?:lay out|high-level|how you are to conduct)", re.IGNORECASE)),
)
_FUNCTION = "def strategy(self, opponent)"
_ATTITUDE = re.compile(r"\b(?:is|be) (aggressive|cooperative|neutral)\b", re.IGNORECASE)
_LONGEST = 200_000

SLIPS = 0.2
"""Share of functions that are wrong at first."""

_WRONG = (
    f"{_FUNCTION} -> axl.Action:\n    with open('moves.txt') as moves:\n        return axl.Action.C",
    f"{_FUNCTION} -> axl.Action:\n    return len(opponent.history) / 2",
)
"""What the gate refuses, and what returns no move."""


def strategist(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Said:
    """What a good writer of strategies says; a pure function of the request.

    1. Words are a rule that suits the attitude, with numbers of its own.
    2. A plan says how somebody of that attitude acts; its conversion is such a rule, and a rewriting repeats
       the rule that it is given.
    3. Code is that of the rule which the request describes. One function in five is wrong at first, and right
       when it is asked for again.

    Parameters
    ----------
    body : mapping
    text : str
        Not used.
    labels : sequence of str
        Not used.
    """
    asked, seen = request_of(body), digest(body)
    everything = told(body)
    if asked in ("code", "repair"):
        found = line_in(everything) or _line(everything, seen)
        if asked == "code" and fraction("slip", seen) < SLIPS:
            return Said(fenced(_WRONG[int(fraction("wrong", seen) * len(_WRONG))]))
        return Said(fenced(found[0].written(*found[1:])))
    if asked == "critique":
        return Said(
            "- It does not say what happens in the last rounds.\n- It may be slow to forgive an error."
        )
    if asked == "plan":
        return Said(
            f"My general line is {_attitude(everything)}: I settle on a way to begin, watch what the other "
            "side does, and answer in kind once I have seen enough of it."
        )
    found = (line_in(everything) if asked == "rewrite" else None) or _line(everything, seen)
    more = " The last rounds are played like all others." if asked == "rewrite" else ""
    return Said(found[0].described(*found[1:]) + more)


def request_of(body: Mapping[str, Any]) -> Request:
    """What a request asks for, by the words of its messages."""
    texts = _texts(body)
    last = texts[-1][1] if texts else ""
    if any(_FUNCTION in text for role, text in texts if role == "user"):
        return "repair" if any(role == "assistant" for role, _ in texts) else "code"
    return next((name for name, cue in _CUES if cue.search(last)), "words")


def told(body: Mapping[str, Any]) -> str:
    """All that the model is told."""
    return "\n".join(text for role, text in _texts(body) if role != "assistant")


def fenced(code: str) -> str:
    """Code as models give it."""
    return f"```python\n{code}\n```"


def _texts(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    messages = [m for m in body.get("messages") or () if isinstance(m, Mapping)]
    pairs = [(str(m.get("role")), m.get("content")) for m in messages]
    return [(role, text[:_LONGEST]) for role, text in pairs if isinstance(text, str)]


def _attitude(text: str) -> str:
    """The attitude that a text tells of; neutral where it tells of none that is known."""
    found = _ATTITUDE.search(text)
    return found[1].lower() if found else "neutral"


def _line(text: str, seen: bytes) -> tuple[Line, int, int]:
    """A rule for the attitude that is asked for, by a hash of the request."""
    lines = LINES[_attitude(text)]
    n, p = 2 + int(5 * fraction("n", seen)), 5 + 5 * int(9 * fraction("p", seen))
    return lines[int(fraction("line", seen) * len(lines))], n, p
