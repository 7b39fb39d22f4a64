"""``scripted/strategist-erratic``: a writer of strategies that goes wrong in as many ways as models do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from intent.agents.clients.pick import digest, fraction
from intent.agents.clients.said import Said
from intent.agents.clients.strategist import fenced, request_of, strategist

__all__ = ["CODE", "WORDS", "code_kind", "strategist_erratic"]

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


def strategist_erratic(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Said:
    """What a bad writer of strategies says; a pure function of the request, which decides what goes wrong.

    A function that is asked for again is right in one of two cases, else wrong in a way of its own.

    Parameters
    ----------
    body : mapping
    text : str
        Not used.
    labels : sequence of str
        Not used.
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
    return Said(answer, cut=not answer)


def code_kind(body: Mapping[str, Any]) -> str:
    """The kind of answer that a request for code gets."""
    seen, kinds = digest(body), tuple(CODE)
    if request_of(body) == "repair" and fraction("mended", seen) < 0.5:
        return "good"
    return kinds[int(fraction("code", seen) * len(kinds))]
