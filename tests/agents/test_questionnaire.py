"""Questionnaires."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stub_asks import Says

from intent.agents.plan import ReplyRules
from intent.agents.questionnaire import Item, ask_item, items_of, read_score, score_items
from intent.base.errors import DataError

ITEM = Item("calm", "I wait without getting restless.", 1, 7)


def test_items_come_from_rows_of_a_file() -> None:
    rows = [
        {"name": "a", "text": "One."},
        {"name": "b", "text": "Two.", "low": "0", "high": "10", "reversed": "yes", "subscale": "s"},
    ]
    assert items_of(rows) == (Item("a", "One."), Item("b", "Two.", 0, 10, True, "s"))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no items"),
        ([{"name": "a"}], "item 1: text is missing, expected a text"),
        ([{"name": "a", "text": "x", "lo": 1}], "unknown field 'lo'"),
        ([{"name": "a", "text": "x"}] * 2, "item 2: name 'a' occurs twice"),
        ([{"name": "a", "text": "x", "low": 5, "high": 1}], "scale from 5 to 1"),
        ([{"name": "a", "text": "x", "low": "1.5"}], "low '1.5', expected a whole number"),
        ([{"name": "a", "text": "x", "high": True}], "high 'True', expected"),
        ([{"name": "a", "text": "x", "reversed": "perhaps"}], "reversed 'perhaps', expected true or false"),
        ([{"name": "a", "text": "x" * 5000}], "expected a text of up to"),
        (["a"], "expected the fields name, text"),
        ([{"name": "\x1b[31ma", "text": "x"}], "name '\\[31ma' has control characters"),
        ([{"name": "a", "text": "x\ud800"}], "item 1: text 'x' has control characters"),
    ],
)
def test_other_rows_are_refused(rows: list, message: str) -> None:
    with pytest.raises(DataError, match=message):
        items_of(rows)


@pytest.mark.parametrize(("reply", "value"), [("3", 3), (" **7**. ", 7), ('"1"', 1), ("٣", 3), ("(4)", 4)])
def test_numbers_are_read(reply: str, value: int) -> None:
    assert read_score(reply, ITEM).action == str(value)


@pytest.mark.parametrize("reply", ["", "8", "0", "-3", "3.5", "3 or 4", "I say 3", "9" * 50])
def test_anything_else_is_asked_again_and_then_left_out(reply: str) -> None:
    ask = Says(*[reply] * 3)
    answer = asyncio.run(ask_item(ITEM, ask, rules=ReplyRules(retries=2)))
    assert (answer.value, len(answer.refused), len(ask.requests)) == (None, 3, 3)


def test_a_later_answer_counts_and_the_reason_may_be_told() -> None:
    ask = Says("often", "6")
    answer = asyncio.run(ask_item(ITEM, ask, rules=ReplyRules(remind=True)))
    assert (answer.value, len(answer.refused)) == (6, 1)
    (first, *_), (second, *_) = ask.requests
    assert "from 1 (not at all) to 7" in first[0].content
    assert ITEM.text in first[0].content
    assert second[-1].content == "no number, expected one whole number from 1 to 7"


@given(st.lists(st.integers(1, 7) | st.none(), min_size=4, max_size=4))
def test_subscales_are_means_of_answered_items_reversed_ones_turned(values: list[int | None]) -> None:
    items = [Item(str(i), "x", 1, 7, i % 2 == 1, "ab"[i // 2]) for i in range(4)]
    for name, (mine, its) in zip("ab", ((items[:2], values[:2]), (items[2:], values[2:])), strict=True):
        turned = [8 - v if item.reversed else v for item, v in zip(mine, its, strict=True) if v is not None]
        expected = sum(turned) / len(turned) if turned else None
        assert score_items(items, dict(zip("0123", values, strict=True)))[name] == expected
