"""Two mirrored conversations over one exchange, and what a later prompt adds to an earlier one."""

from __future__ import annotations

from intent.agents.architectures.base import beyond, follow
from intent.agents.architectures.debate import SILENCE, TwoSides
from intent.agents.client import Message
from intent.agents.prompts.prompt_set import LONGEST_MESSAGE


def user(text):
    return (Message("user", text),)


def roles_and_texts(messages):
    return [(message.role[0], message.content) for message in messages]


def test_what_is_ones_own_word_is_the_others_request():
    sides = TwoSides(user("advise"), user("decide"))
    sides.advise("a1")
    assert roles_and_texts(sides.decider) == [("u", "decide\n\na1")]
    sides.respond("d1")
    assert roles_and_texts(sides.assistant) == [("u", "advise"), ("a", "a1"), ("u", "d1")]
    sides.advise("a2")
    assert roles_and_texts(sides.decider) == [("u", "decide\n\na1"), ("a", "d1"), ("u", "a2")]
    assert sides.transcript == [("assistant", "a1"), ("decider", "d1"), ("assistant", "a2")]


def test_the_closing_request_follows_whoever_spoke_last():
    sides = TwoSides(user("advise"), user("decide"))
    sides.advise("a1")
    assert roles_and_texts(sides.closing("now")) == [("u", "decide\n\na1\n\nnow")]
    sides.respond("d1")
    assert roles_and_texts(sides.closing("now")) == [("u", "decide\n\na1"), ("a", "d1"), ("u", "now")]


def test_turns_are_neither_empty_nor_endless():
    sides = TwoSides(user("advise"), user("decide"))
    sides.advise(" \n")
    sides.respond("thanks " * 1_000_000)
    assert sides.transcript[0] == ("assistant", SILENCE)
    assert len(sides.assistant[-1].content) < LONGEST_MESSAGE + 10


def test_beyond_is_what_follows_the_common_lines():
    assert beyond(user("rules\nhistory\nThink of A"), user("rules\nhistory\nThink of B")) == "Think of B"
    assert beyond(user("Think of A"), user("Think of B")) == "Think of B"
    assert beyond(user("alike"), user("alike")) == "alike"


def test_an_empty_reply_is_not_shown():
    assert roles_and_texts(follow(user("think"), "", "decide")) == [("u", "think\n\ndecide")]
    assert roles_and_texts(follow(user("think"), "hm", "decide")) == [
        ("u", "think"),
        ("a", "hm"),
        ("u", "decide"),
    ]
