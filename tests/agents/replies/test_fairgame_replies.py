"""FAIRGAME's way of reading, with its traps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.replies import read_reply


@pytest.mark.parametrize(
    ("reply", "labels", "action"),
    [
        ("I choose optionb.", ("OptionA", "OptionB"), "OptionB"),
        ("not OptionA, OptionB", ("OptionA", "OptionB"), "OptionA"),
        ("OptionB rather than OptionA", ("OptionA", "OptionB"), "OptionA"),
        ("OptionB rather than OptionA", ("OptionB", "OptionA"), "OptionB"),
        ("Option A", ("OptionA", "OptionB"), None),
        ("**Option**A", ("OptionA", "OptionB"), None),
        ("Option10", ("Option1", "Option10"), "Option1"),
        ("inaction", ("act", "action"), "act"),
        ("", ("OptionA", "OptionB"), None),
    ],
)
def test_the_first_label_that_occurs_wins(reply, labels, action):
    assert read_reply(reply, labels, "fairgame").action == action


@given(st.text(), st.lists(st.text(min_size=1, max_size=3), min_size=2, max_size=4, unique=True))
def test_it_is_a_search_for_lower_cased_text(reply, labels):
    expected = next((label for label in labels if label.lower() in reply.lower()), None)
    assert read_reply(reply, labels, "fairgame").action == expected
