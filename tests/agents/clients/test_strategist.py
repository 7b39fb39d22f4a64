"""The artificial models that write strategies: one that is good at it, one that is not."""

from __future__ import annotations

import ast
import asyncio

import pytest

from intent.agents.client import Message, Settings
from intent.agents.clients.registry import make_client
from intent.agents.mock.client import (
    CODE,
    LABELS,
    LINES,
    WORDS,
    code_kind,
    line_in,
    request_of,
    strategist,
    strategist_erratic,
)

SEEDS = range(200)
CODE_REQUEST = "The strategy:\n{}\n\nWrite this function:\n\n    def strategy(self, opponent) -> axl.Action:"


def body(text, seed=0, *further):
    messages = [{"role": "user", "content": text}, *further]
    return {"model": "scripted/strategist", "messages": messages, "seed": seed}


def says(text, seed=0, *further):
    return strategist(body(text, seed, *further), "", LABELS).text


@pytest.mark.parametrize("attitude", LINES)
def test_words_suit_the_attitude_and_differ(attitude):
    said = {says(f"It is to take an {attitude} approach …", seed) for seed in SEEDS}
    assert len(said) > 20
    assert {line_in(text)[0] for text in said} == set(LINES[attitude])


@pytest.mark.parametrize("line", [line for lines in LINES.values() for line in lines])
def test_code_is_that_of_the_words(line):
    written = line.written(4, 25)
    assert ast.parse(written).body[0].name == "strategy"
    said = {says(CODE_REQUEST.format(line.described(4, 25)), seed) for seed in SEEDS}
    assert f"```python\n{written}\n```" in said
    assert len(said) == 3
    wrong = sum(written not in says(CODE_REQUEST.format(line.described(4, 25)), seed) for seed in SEEDS)
    assert 0.1 < wrong / len(SEEDS) < 0.3


def test_what_was_wrong_is_right_when_asked_for_again():
    line = LINES["neutral"][0]
    again = ({"role": "assistant", "content": "…"}, {"role": "user", "content": "It cannot be used: …"})
    said = {says(CODE_REQUEST.format(line.described(3, 5)), seed, *again) for seed in SEEDS}
    assert said == {f"```python\n{line.written(3, 5)}\n```"}


def test_a_rewriting_keeps_the_rule():
    rule = LINES["cooperative"][3].described(5, 5)
    assert says(f"The strategy:\n{rule}\n\nThe review:\n- It is slow.").startswith(rule)


def test_a_rewriting_keeps_the_rule_of_the_conversation():
    rule = LINES["cooperative"][3].described(5, 5)
    talk = [{"role": "assistant", "content": rule}, {"role": "user", "content": "Any mistakes of logic?"}]
    talk += [
        {"role": "assistant", "content": "- None."},
        {"role": "user", "content": "Write the strategy anew."},
    ]
    assert says("Take a neutral approach.", 0, *talk).startswith(rule)


def test_every_wrong_kind_occurs():
    words = {strategist_erratic(body("Design a strategy.", seed), "", LABELS).text for seed in SEEDS}
    assert {text for text in WORDS.values() if text is not None} <= words
    asked = [body(CODE_REQUEST.format("Cooperate."), seed) for seed in SEEDS]
    assert {code_kind(request) for request in asked} == set(CODE)


@pytest.mark.parametrize("name", ["scripted/strategist", "scripted/strategist-erratic"])
def test_the_same_request_has_the_same_answer(name):
    asked = (Message("user", "The player is neutral: …"),)
    one, again = (asyncio.run(make_client(name).complete(asked, Settings(seed=7))).text for _ in range(2))
    assert one == again


def test_requests_in_other_words_are_for_words():
    assert request_of({"messages": []}) == "words"
    assert request_of({"messages": "x"}) == "words"
    assert request_of(body("Hello")) == "words"
