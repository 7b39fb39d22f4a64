"""A reply of a megabyte is read in milliseconds, whatever is in it; a quadratic reader would never end."""

from __future__ import annotations

import pytest

from intent.base.replies import read_reply, strip_reasoning

MILLION = 1_000_000
HOSTILE = [
    "{",
    "}",
    "<think>",
    "</think>",
    "<think ",
    "*",
    " ",
    '{"choice": "',
    "{a:'\\",
    '"',
    "[",
    '{"a":',
    "\u0301\u0327",
    "ﷺ",
    "OptionA ",
    "`",
    "```\n",
    "\n",
]


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("parser", ["strict", "json", "fairgame"])
def test_no_reader_is_stuck(unit, parser):
    reply = unit * (MILLION // len(unit))
    text, _ = strip_reasoning(reply)
    reading = read_reply(text, ("OptionA", "OptionB"), parser)
    assert reading.action == ("OptionA" if (parser, unit) == ("fairgame", "OptionA ") else None)
