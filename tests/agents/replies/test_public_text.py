"""Public text without the line that states the decision."""

from __future__ import annotations

import pytest

from intent.agents.architectures.deliberation import without_statement, without_traces


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Let us trade.\nDECISION: OptionA", "Let us trade."),
        ("Let us trade.\n\n**DECISION:** OptionA\n", "Let us trade."),
        ("Let us trade.\n{'DECISION': 'OptionA'}", "Let us trade."),
        ('Let us trade.\n```json\n{\n "DECISION": "OptionA"\n}\n```', "Let us trade."),
        ("Let us trade.\nMy final decision: OptionA", "Let us trade."),
        ("Let us trade. DECISION: OptionA", "Let us trade."),
        ("Let us trade.\nDECISION:\n\nOptionA", "Let us trade."),
        ("DECISION: OptionA\nLet us trade.", "Let us trade."),
        ("DECISION: OptionA", ""),
        ("My decision was hard.", "My decision was hard."),
        ("", ""),
    ],
)
def test_the_statement_goes_and_the_text_stays(text, left):
    assert without_statement(text, "DECISION") == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("1. \n2. Let us trade.\n3. DECISION: OptionA", "Let us trade.\n3. DECISION: OptionA"),
        ("**1.** \n**2.** Let us trade.", "Let us trade."),
        ("(1)\n(2) Let us trade.", "Let us trade."),
        ("- \n- Let us trade.", "- Let us trade."),
        ("```\n\n```\nLet us trade.", "Let us trade."),
        ("\\ Let us trade.", "\\ Let us trade."),
        ("\\\nLet us trade.", "Let us trade."),
        ("Let us trade 1.\n5 years\n2.5 each", "Let us trade 1.\n5 years\n2.5 each"),
        ("DECISION: OptionA", "DECISION: OptionA"),
        ("", ""),
    ],
)
def test_nothing_tells_that_something_was_taken_out(text, left):
    assert without_traces(text) == left
