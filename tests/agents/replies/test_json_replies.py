"""The parser of replies that hold an object."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.replies import read_reply

TWO = ("Cooperate", "Defect")


def read(reply):
    return read_reply(reply, TWO, "json").action


@pytest.mark.parametrize(
    "reply",
    [
        '{"choice": "Cooperate"}',
        '```json\n{"action": "cooperate"}\n```',
        "{'DECISION': 'Cooperate'}",
        "I think so.\n{'DECISION': 'Cooperate'}\nThat is all.",
        '{"reason": "{6, 6} is worse", "choice": "Cooperate"}',
        '{"reason": ["a", {"choice": "Defect"}], "choice": "Cooperate"}',
        "{“choice”: “Cooperate”}",
        "{choice: Cooperate}",
        "{'why': 'it\\'s better', 'choice': 'Cooperate',}",
        '{"choice": "Cooperate"} {"choice": "Cooperate"}',
    ],
)
def test_objects_are_read(reply):
    assert read(reply) == "Cooperate"


@pytest.mark.parametrize(
    "reply",
    [
        "Cooperate",
        '"Cooperate"',
        '["Cooperate"]',
        '{"choice": "Cooperate", "choice": "Defect"}',
        '{"choice": "Cooperate"} or {"choice": "Defect"}',
        '{"choice": "not Cooperate"}',
        '{"choice": null}',
        '{"reason": "Cooperate"}',
        '{"choice": "Cooperate"',
        "{'choice': __import__('os')}",
        "{" * 1000 + "}" * 1000,
    ],
)
def test_anything_else_is_refused(reply):
    assert read(reply) is None


def test_numbers_may_be_labels():
    assert read_reply('{"choice": 10}', ("0", "10"), "json").action == "10"


@given(st.sampled_from(TWO), st.text(), st.booleans())
def test_any_text_beside_the_choice_is_passed_over(label, other, fenced):
    reply = json.dumps({"why": other, "choice": label})
    assert read(f"```json\n{reply}\n```" if fenced else reply) == label
