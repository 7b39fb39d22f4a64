"""The bounds: one value, raised by one variable, listed on the page."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from intent.base.errors import UsageError
from intent.base.files import Bounds, beyond, bounds

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reading.md").read_text(encoding="utf-8")


def test_the_defaults_hold_unless_the_variable_says_else(monkeypatch):
    monkeypatch.delenv("INTENT_LIMITS", raising=False)
    assert bounds() == Bounds()
    monkeypatch.setenv("INTENT_LIMITS", "unpacked_bytes=8GiB, rejects=5")
    assert (bounds().unpacked_bytes, bounds().rejects, bounds().ratio) == (8 * 1024**3, 5, 200)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rejcts=5", "unknown bound in INTENT_LIMITS 'rejcts'; did you mean rejects"),
        ("rejects=-1", "INTENT_LIMITS gives rejects '-1', expected a number above 0"),
        ("rejects", "INTENT_LIMITS gives rejects ''"),
        ("depth=9" + "9" * 30, "INTENT_LIMITS gives depth"),
    ],
)
def test_a_slip_in_the_variable_is_one_line(monkeypatch, text, says):
    monkeypatch.setenv("INTENT_LIMITS", text)
    with pytest.raises(UsageError, match=f"^{says}"):
        bounds()


def test_an_error_says_what_is_there_and_how_to_raise_the_bound():
    told = str(beyond("a/x.csv", "25,000 columns", "columns", 1))
    assert (
        told == "x.csv line 1: 25,000 columns, expected at most 20,000; INTENT_LIMITS=columns=N raises that"
    )


def test_the_page_lists_every_bound():
    listed = re.findall(r"^\| `(\w+)` \| ([\d,]+) \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)
    declared = [(f.name, f"{f.default:,}", f.metadata["unit"], f.metadata["reason"]) for f in fields(Bounds)]
    assert listed == declared
