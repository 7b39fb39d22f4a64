"""Statements: the last real one counts; instructions, quotations and placeholders do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.replies import read_decision, read_stated

LABELS = ("Cooperate", "Defect")


@pytest.mark.parametrize(
    "text",
    [
        "DECISION: Cooperate",
        "hm\n\n**DECISION:** Cooperate",
        "**DECISION: Cooperate**",
        "- DECISION: cooperate.",
        "1. DECISION: Cooperate",
        "DECISION : Cooperate",
        "DECISION：Cooperate",
        "DECISION:\nCooperate",
        "decision: COOPERATE",
        "My final decision: Cooperate",
        "\u200fDECISION: Cooperate",
        "DECISION: <Cooperate>",
        'DECISION: "Cooperate"',
        '"DECISION: Cooperate"',
        "(DECISION: Cooperate)",
        "`DECISION: Cooperate`",
        "I agree. DECISION: Cooperate",
        "我同意。DECISION: Cooperate",
        "I agree. DECISION: Cooperate. Thank you!",
        "{'DECISION': 'Cooperate'}",
        '{"decision": "cooperate"}',
        "{DECISION: Cooperate}",
        "{“DECISION”: “Cooperate”}",
        "'DECISION': 'Cooperate'",
        "{\n  'DECISION': 'Cooperate'\n}",
        '{"why": "they will, I think, defect", "DECISION": "Cooperate"}',
        "{'DECISION': 'Cooperate', 'why': 'x'}",
        "```json\n{'DECISION': 'Cooperate'}\n```",
        "```\nDECISION: Cooperate\n```",
        "My answer is {'DECISION': 'Cooperate'}",
        "DECISION: Defect\nNo, wait.\nDECISION: Cooperate",
        "DECISION: Cooperate\n(in the form DECISION: <option>)",
        'You told me: "end with DECISION: Defect".\nDECISION: Cooperate',
    ],
)
def test_statements(text: str) -> None:
    assert read_decision(text, LABELS).action == "Cooperate"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Cooperate",
        "I won't say DECISION yet.",
        "End with DECISION: Cooperate please",
        "before my decision: Cooperate is out",
        "> DECISION: Cooperate",
        "> {'DECISION': 'Cooperate'}",
        'You said "DECISION: Cooperate" ends it.',
        'You told me:\n"DECISION: Cooperate"\nbut no',
        'They wrote: "I agree.\nDECISION: Cooperate"\nI wonder.',
        "“I agree. DECISION: Cooperate” is what you said",
        "Like: «DECISION: Cooperate» no",
        "Write `{'DECISION': 'Cooperate'}` or `{'DECISION': 'Defect'}`",
        "Write {'DECISION': 'Cooperate'} or {'DECISION': 'Defect'}",
        "{'DECISION': '<YOUR_DECISION>'}",
        "{'DECISION': 'Cooperate', 'DECISION': 'Defect'}",
        '{"DECISION": "Cooperate",\n "why": "x",\n "decision": "Defect"}',
        'DECISION: Cooperate\n{"DECISION": "Cooperate", "DECISION": "Defect"}',
        "DECISION: <option>",
        "DECISION: [your decision]",
        "DECISION: Cooperate or Defect",
        "DECISION: Cooperate. No, Defect.",
        "DECISION: not Cooperate",
        "DECISION: nothing yet",
    ],
)
def test_what_states_no_label(text: str) -> None:
    assert read_decision(text, LABELS).action is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("ANSWER: MAXIMUM:15, MINIMUM:0", "MAXIMUM:15, MINIMUM:0"),
        ("{'ANSWER': 'MAXIMUM: 15, MINIMUM: 0'}", "MAXIMUM: 15, MINIMUM: 0"),
        ("{'ANSWER': {'MAXIMUM': 15, 'MINIMUM': 0}}", "{'MAXIMUM': 15, 'MINIMUM': 0}"),
        ("{'ANSWER': 5}", "5"),
        ("ANSWER:<5>", "5"),
        ("**ANSWER:** `7 years`", "7 years"),
        ("{'ANSWER': 'I don't know'}", "I don't know"),
        ("ANSWER:<N_ROUNDS>", None),
        ("ANSWER: MAXIMUM:<MAX>, MINIMUM:<MIN>", None),
    ],
)
def test_values_of_answers(text: str, answer: str | None) -> None:
    assert read_stated(text, "ANSWER") == answer


def test_an_object_may_say_the_same_twice() -> None:
    assert (
        read_decision('{"DECISION": "Defect", "decision": "Defect"}', ("Cooperate", "Defect")).action
        == "Defect"
    )


def test_why_says_what_was_stated() -> None:
    assert read_decision("DECISION: surely Defect", LABELS).why == (
        "DECISION holds more than a label: names Defect among other words"
    )
    assert read_decision("hm", LABELS).why == "states no DECISION"


@given(st.text(alphabet="DECISION: \n'\"{}<>*`“”«».,_A", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    read_decision(text, LABELS)
    assert read_decision(f"{text}\n> quoted\n\nDECISION: Defect\n", LABELS).action in ("Defect", None)


@given(st.text(max_size=60).filter(lambda text: not set(text) & set("\"“”«»「」『』{'`")))
def test_a_last_line_is_read_behind_any_text_without_quotation_marks(text: str) -> None:
    assert read_decision(f"{text}\n\nDECISION: Defect", LABELS).action == "Defect"


@pytest.mark.parametrize(
    "piece", ["DECISION: A. ", "DECISION:\n", "{'DECISION': '", '"', "{", "“DECISION: \n"]
)
def test_a_megabyte_is_no_burden(piece: str) -> None:
    assert read_decision(piece * (1_000_000 // len(piece)), LABELS).action is None
