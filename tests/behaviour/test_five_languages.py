"""Answers in five languages, in the forms that models answer in; what is no answer is a miss that counts."""

from __future__ import annotations

import pytest

from intent.behaviour.questions import score
from intent.games.game import MatrixGame

YEARS = MatrixGame.from_trps("dilemma", 0, 5, 10, 15, "penalty", ("OptionA", "OptionB"))
ACTIONS = (("OptionA",) * 12, ("OptionA",) * 11 + ("OptionB",))
PAYOFFS = ((5.0,) * 11 + (15.0,), (5.0,) * 11 + (0.0,))
"""After 11 rounds the other is about to defect; of 12 rounds 11 are told."""

READ = {
    "opponent_next": [
        "{'ANSWER': 'OptionB'}",
        "{'answer': 'optionb'}",
        '{"ANSWER": "OPTION B"}',
        "{‘ANSWER’: ‘OptionB’}",
        "ANSWER: OptionB",
        "**Answer:** `OptionB`",
        "I expect them to pick Option B.",
        "Je pense qu'il choisira OptionB.",
        "أتوقع أن يختار OptionB.",
        "我认为对方会选择OptionB。",
        "Tôi nghĩ họ sẽ chọn OptionB.",
    ],
    "rounds_so_far": [
        "{'ANSWER': '11'}",
        "{'ANSWER': 11}",
        "We have played 11 rounds.",
        "Answer: eleven",
        "Nous avons joué onze manches.",
        "ANSWER: 11 manches",
        "١١ جولة",
        "لعبنا إحدى عشرة جولة",
        "已经进行了十一轮",
        "已经进行了１１轮",
        "Chúng tôi đã chơi mười một vòng.",
        "11 vòng",
    ],
    "total_so_far": [
        "{'ANSWER': '55'}",
        "ANSWER: 55 years",
        "J'ai 55 ans de prison.",
        "٥٥ سنة",
        "一共５５年",
        "总共五十五年",
        "Tổng cộng 55 năm",
    ],
    "extremes": [
        "{'ANSWER': 'MAXIMUM:15, MINIMUM:0'}",
        "{'MAXIMUM': '15', 'MINIMUM': '0'}",
        "Maximum: 15, minimum: zero",
        "ANSWER: maximum: 15, minimum: 0",
        "Le maximum est de 15 ans et le minimum est de 0 an.",
        "الحد الأقصى ١٥ سنة والحد الأدنى ٠",
        "最多15年，最少0年",
        "Nhiều nhất là mười lăm năm, ít nhất là 0 năm",
    ],
}

MISSED = {
    "opponent_next": [
        *("OptionA or OptionB", "{'ANSWER': '<OptionA|OptionB>'}", "who knows", "OptionBOptionA", ""),
        *("ليس OptionB", "不会选择OptionB", "Il ne choisira pas OptionB.", "Họ sẽ không chọn OptionB."),
    ],
    "rounds_so_far": [
        *("10 or 11", "{'ANSWER': '<NUMBER>'}", "several", "plusieurs", "几轮", "vài vòng", "عدة جولات", ""),
    ],
    "total_so_far": ["5 times 11", "between 50 and 60", "55 or so, maybe 60", "MAXIMUM: 15, MINIMUM: 0", ""],
    "extremes": ["15, 0", "MAXIMUM: 15", "MAXIMUM: 15, MINIMUM: unknown", "从0到15", "entre 0 et 15", ""],
}


def scored(question: str, answer: str) -> list[tuple[str, str | None, str | None, bool | None]]:
    return score(YEARS, 1, 11, question, answer, ACTIONS, PAYOFFS, (None, None))


@pytest.mark.parametrize(("question", "answer"), [(q, a) for q, answers in READ.items() for a in answers])
def test_an_answer_is_read_in_every_language_and_form(question: str, answer: str) -> None:
    assert [row[3] for row in scored(question, answer)] == [True] * (1 + (question == "extremes"))


@pytest.mark.parametrize(("question", "answer"), [(q, a) for q, answers in MISSED.items() for a in answers])
def test_what_states_nothing_is_a_miss_that_counts(question: str, answer: str) -> None:
    rows = scored(question, answer)
    assert [(row[1], row[3]) for row in rows] == [(None, None)] * (1 + (question == "extremes"))
    assert all(row[2] is not None for row in rows)
