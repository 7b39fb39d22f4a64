"""The one number that a text states, in digits and words of five languages."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.behaviour.answers import BEYOND, LONGEST_ANSWER, WORDS, chinese, read_number

NUMBERS = {
    "10": 10,
    "**10**": 10,
    "10 years": 10,
    "10years": 10,
    "I think 8, so 8": 8,
    "Rounds so far: 3.": 3,
    "Q2: 4": 4,
    "-5": -5,
    "−5": -5,
    "minus five": -5,
    "moins 3": -3,
    "是负5": -5,
    "âm 2": -2,
    "1,234": 1234,
    "1,234.5": 1234.5,
    "1.234.567": 1234567,
    "1.234,5": 1234.5,
    "1\u202f234": 1234,
    "1,5": 1.5,
    "3.30": 3.3,
    "١٢": 12,
    "۱۲": 12,
    "１２": 12,
    "٣٫٥": 3.5,
    "twenty": 20,
    "dix-sept ans": 17,
    "une manche": 1,
    "one round": 1,
    "mười lăm": 15,
    "mười bốn năm": 14,
    "năm năm": 5,
    "10 năm": 10,
    "ثلاثة عشر سنة": 13,
    "أربع": 4,
    "أَرْبَع": 4,
    "十五年": 15,
    "综合以上分析，答案是10": 10,
    "一共10年": 10,
    "一轮": 1,
    "二十": 20,
    "- 5": 5,
}

MISSES = [
    "",
    "at least 5",
    "5 or more",
    "not 5",
    "plus de 5",
    "ít nhất 5 năm",
    "至少5年",
    "5年以上",
    "على الأقل 5",
    "5 + 5",
    "twenty-first",
    "hai mươi lăm",
    "خمسة وعشرون",
    "no number here",
    "3 of 10",
    "0–15",
    "between 5 and 10",
    "1 234",
    "1e3",
    "10²",
    "1.2.3",
    "Q2",
    "round3",
    "twenty-one",
    "vingt et un",
    "thirty",
    "five hundred",
    "10 thousand",
    "three or four",
    "no one knows",
    "un joueur ne sait pas",
    "không biết",
    "一定合作",
    "十分可能",
    "唯一。",
]


@pytest.mark.parametrize(("text", "number"), NUMBERS.items())
def test_one_number_is_read(text, number):
    assert read_number(text) == pytest.approx(Decimal(str(number)))


@pytest.mark.parametrize("text", MISSES)
def test_anything_else_is_a_miss(text):
    assert read_number(text) is None


@pytest.mark.parametrize(("word", "number"), WORDS.items())
def test_every_word_alone_is_its_number(word, number):
    assert read_number(word) == number


@pytest.mark.parametrize("word", sorted(BEYOND))
def test_larger_numbers_in_words_are_not_read(word):
    assert read_number(f"two {word}") is None


@given(st.integers(1, 9999))
def test_chinese_numerals(n):
    digits, text, gap = "零一二三四五六七八九", "", False
    for power, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        d = n // power % 10
        if d:
            text += ("零" if gap and text else "") + digits[d] + name
        gap = not d
    assert chinese(text) == n


@given(st.integers(-(10**9), 10**9), st.sampled_from(["{}", "ANSWER {} years", "大约{}年", "**{}**", "({})"]))
def test_a_number_is_read_within_words(n, frame):
    assert read_number(frame.format(f"{n}")) == n
    assert read_number(frame.format(f"{n:,}")) == n


@given(st.text(max_size=200))
def test_any_text_is_taken(text):
    found = read_number(text)
    assert found is None or found.is_finite()


def test_endless_answers_are_not_read():
    assert read_number("1" * (LONGEST_ANSWER + 1)) is None
    assert read_number("1 " * (LONGEST_ANSWER // 2)) == 1
