"""Answers in the forms that models answer in; what states two things is a miss, never a guess."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.behaviour.answers import read_action, read_amount, read_extremes, read_type

LABELS = ("Cooperate", "Defect")


@pytest.mark.parametrize(
    "answer",
    [
        "Cooperate",
        "**cooperate**",
        "{'ANSWER': 'Cooperate'}",
        '{"answer": "COOPERATE"}',
        "```json\n{'ANSWER': 'Cooperate'}\n```",
        "ANSWER: Cooperate",
        "They defect a lot, but:\nANSWER: Cooperate",
        "I think they will cooperate.",
        "<think>Defect?</think>My partner will likely Cooperate",
        "They have never betrayed me. They will cooperate!",
    ],
)
def test_forms_of_an_action(answer):
    assert read_action(answer, LABELS) == "Cooperate"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I don't know",
        "Cooperate or Defect",
        "They will not cooperate",
        "They won't cooperate",
        "anything but Defect",
        "Will they cooperate?",
        "cooperation",
        "{'ANSWER': '<YOUR_ANSWER>'}",
        "ANSWER: Cooperate/Defect",
        "No advice, please.\nDECISION: Cooperate",
    ],
)
def test_no_action_is_guessed(answer):
    assert read_action(answer, LABELS) is None


def test_labels_of_other_languages():
    assert read_action("我认为他会合作", ("合作", "不合作")) == "合作"
    assert read_action("他会选择不合作", ("合作", "不合作")) == "不合作"
    assert read_action("他不会合作", ("合作", "背叛")) is None
    assert read_action("سيختار التعاون", ("تعاون", "خيانة")) == "تعاون"
    assert read_action("Il va choisir Option A.", ("OptionA", "OptionB")) == "OptionA"
    assert read_action("Il ne va pas choisir OptionA.", ("OptionA", "OptionB")) is None
    assert read_action("Họ sẽ chọn OptionB", ("OptionA", "OptionB")) == "OptionB"


def test_labels_of_one_letter_are_no_words():
    assert read_action("A", ("A", "B")) == "A"
    assert read_action("A rational player thinks", ("A", "B")) is None


@pytest.mark.parametrize("answer", ["15", "{'ANSWER': '15'}", "My total is 15 years.", "ANSWER: **١٥**"])
def test_forms_of_an_amount(answer):
    assert read_amount(answer) == 15


@pytest.mark.parametrize(
    "answer",
    [
        "They will hardly cooperate.",
        "I doubt that they will Cooperate",
        "the opposite of Cooperate",
        "ANSWER: anything except Cooperate",
        "Peu de chances qu'il choisisse Cooperate",
        "ANSWER: I chose Cooperate",
        "I will Cooperate.",
        "我会选Cooperate",
    ],
)
def test_neither_a_hidden_denial_nor_the_own_move_is_an_action(answer):
    assert read_action(answer, LABELS) is None


def test_the_result_of_a_stated_sum():
    assert read_amount("ANSWER: 5 + 0 + 5 = 10 years") == 10
    assert read_amount("ANSWER: 5 years + 5 years = 10 years") == 10
    assert read_amount("ANSWER: 5 + 0 + 5") is None
    assert read_extremes("ANSWER: MAXIMUM: 5 + 10 = 15, MINIMUM: 0") == (15, 0)


@pytest.mark.parametrize(
    "answer",
    [
        "The highest is 15 and the lowest is 0.",
        "ANSWER: HIGHEST: 15, LOWEST: 0",
        "The highest penalty, MAXIMUM: 15, and the lowest, MINIMUM: 0",
        "La plus élevée est 15, la plus faible est 0",
        "أعلى قيمة 15 وأدنى قيمة 0",
    ],
)
def test_extremes_in_the_words_of_the_question(answer):
    assert read_extremes(answer) == (15, 0)


def test_a_stated_amount_goes_before_the_working():
    assert read_amount("5 + 10 = 15.\nANSWER: 15") == 15
    assert read_amount("5 + 10 = 15.") is None


def test_an_answer_to_another_question_is_no_amount():
    assert read_amount("MAXIMUM: 0, MINIMUM: 0") is None


@pytest.mark.parametrize(
    "answer",
    [
        "ANSWER: MAXIMUM: 15, MINIMUM: 0",
        "{'ANSWER': 'MAXIMUM: 15, MINIMUM: 0'}",
        "{'ANSWER': {'MAXIMUM': 15, 'MINIMUM': 0}}",
        '{"maximum": 15, "minimum": 0}',
        "ANSWER: MAXIMUM: 15\nMINIMUM: 0",
        "minimum: 0; maximum: fifteen",
        "The maximum is 15 years and the minimum is 0.",
        "15 is the maximum, 0 the minimum",
        "MAXIMUM: ١٥, MINIMUM: ٠",
        "最大值是十五年，最小值是零",
        "Tối đa là 15 năm, tối thiểu là 0 năm",
        "الحد الأقصى هو ١٥ والحد الأدنى هو ٠",
    ],
)
def test_forms_of_the_extremes(answer):
    assert read_extremes(answer) == (Decimal(15), Decimal(0))


@pytest.mark.parametrize(
    "answer",
    ["", "15 and 0", "MAXIMUM: 15", "MAXIMUM: 15 or 10, MINIMUM: 0", "The maximum is 15. 0 is the minimum."],
)
def test_extremes_are_understood_jointly(answer):
    assert read_extremes(answer) is None


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("PRIVATE", "private"),
        ("ANSWER: public", "public"),
        ("I believe it's private", "private"),
        ("riêng tư", "private"),
        ("公开", "public"),
        ("private or public", None),
        ("not private", None),
    ],
)
def test_types_of_an_opponent(answer, kind):
    assert read_type(answer) == kind


@given(
    st.text(max_size=300) | st.from_regex(r"(ANSWER: |MAX|min|[{'}:,]|not |Cooperate|\d)*", fullmatch=True)
)
def test_any_text_is_taken(text):
    for reader in (read_amount, read_extremes, read_type):
        reader(text)
    assert read_action(text, LABELS) in (None, *LABELS)
