"""Reasoning is taken out of replies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.replies import strip_reasoning


@pytest.mark.parametrize(
    ("reply", "answer", "reasoning"),
    [
        ("OptionA", "OptionA", None),
        ("<think>a\nb</think>\n\nOptionA", "OptionA", "a\nb"),
        ("<THINKING>a</Thinking>OptionA", "OptionA", "a"),
        ('<think level="high">a</think>OptionA', "OptionA", "a"),
        ("<think>a</think>OptionA<think>b</think>", "OptionA", "a\n\nb"),
        ("<think></think>OptionA", "OptionA", None),
        ("a</think>OptionA", "OptionA", "a"),
        ("<think>a<think>b</think>c</think>OptionA", "OptionA", "a<think>b\n\nc"),
        ("<think>OptionA because", "", "OptionA because"),
        ("OptionA<think>b", "", "b"),
        ("<think>a</think>OptionA<think>b", "OptionA", "a\n\nb"),
        ("<thinker>OptionA", "<thinker>OptionA", None),
    ],
)
def test_blocks(reply, answer, reasoning):
    assert strip_reasoning(reply) == (answer, reasoning)


@given(st.text(st.sampled_from("<>/think ing\n"), max_size=60))
def test_nothing_raises_and_nothing_is_added(text):
    answer, _ = strip_reasoning(text)
    assert len(answer) <= len(text)


@given(st.text(), st.text())
def test_a_block_before_the_answer_is_the_reasoning(thought, answer):
    if "<" not in thought + answer:
        assert strip_reasoning(f"<think>{thought}</think>{answer}") == (
            answer.strip(),
            thought.strip() or None,
        )
