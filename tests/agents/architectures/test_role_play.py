"""Role-play: whose lines a turn holds."""

from __future__ import annotations

import pytest

from intent.agents.architectures.debate import other_speaks


@pytest.mark.parametrize(
    ("speaker", "turn", "begins"),
    [
        ("decider", "I agree.\n**Lawyer**: No.", "**Lawyer**"),
        ("decider", "Lawyer: No.", "Lawyer"),
        ("decider", "Bien.\n### Avocat (pensif) : Non.", "### Avocat"),
        ("decider", "好。\n律师：不。", "律师"),
        ("decider", "حسنا\nالمحامي: لا", "المحامي"),
        ("decider", "Vâng.\nLuật sư: Không.", "Luật sư"),
        ("assistant", "As I said.\nMy client: Yes.", "My client"),
        ("assistant", "As I said.\n**Ann:** Yes.", "**Ann"),
        ("assistant", "Ann: I suggest OptionA.", None),
        ("assistant", "**Lawyer**: I suggest OptionA.", None),
        ("decider", "My lawyer said: OptionA.", None),
        ("decider", "I thank my lawyer", None),
        ("decider", "", None),
    ],
)
def test_a_heading_of_the_other_begins_their_lines(speaker, turn, begins):
    at = other_speaks(turn, speaker, "Ann")
    assert at == (None if begins is None else turn.index(begins))


def test_a_long_turn_is_read():
    assert other_speaks("*_" * 500_000, "decider", "A") is None
    assert other_speaks("\n" * 1_000_000, "assistant", "(((") is None
