"""Replies come back as they were, to the very same call."""

import os
import sqlite3

import pytest
from fake_endpoint import FakeEndpoint
from hypothesis import given
from hypothesis import strategies as st

from intent.agents.client import Reply, Usage
from intent.runner.caller import CallCache, canonical

REPLY = Reply(
    "OptionA \ud800 选项",
    reasoning="because",
    model="fake-2025",
    created=1.5,
    fingerprint="fp",
    finish_reason="stop",
    usage=Usage(3, 4, 1, 2),
    sent={"messages": [{"role": "user", "content": "hi"}], "seed": 3},
    tool_calls=({"id": "1", "name": "sum", "arguments": "{}"},),
)


def test_a_reply_comes_back_whole(tmp_path):
    cache = CallCache(tmp_path / "calls.sqlite")
    cache.put(b"k", "openai/fake", REPLY)
    cache.close()
    again = CallCache(tmp_path / "calls.sqlite")
    assert again.get(b"k") == REPLY
    assert again.get(b"other") is None
    assert (again.hits, again.misses) == (1, 1)


@pytest.mark.skipif(os.name == "nt", reason="no such permissions")
def test_prompts_and_replies_are_their_users(tmp_path):
    CallCache(tmp_path / "deep" / "calls.sqlite").put(b"k", "m", REPLY)
    for path in (tmp_path / "deep").iterdir():
        assert path.stat().st_mode & 0o077 == 0


def test_the_first_reply_stays():
    cache = CallCache()
    cache.put(b"k", "m", REPLY)
    cache.put(b"k", "m", Reply("later"))
    assert cache.get(b"k") == REPLY


def test_a_reply_beyond_all_measure_is_not_kept():
    cache = CallCache()
    cache.put(b"k", "m", Reply("x" * 4_000_001))
    assert cache.get(b"k") is None


@given(
    st.lists(st.text(max_size=3), min_size=3, max_size=3),
    st.lists(st.text(max_size=3), min_size=3, max_size=3),
)
def test_any_difference_is_another_key(one, other):
    keys = [
        CallCache.key(FakeEndpoint(name=name), canonical({"text": text}), draw)
        for name, text, draw in (one, other)
    ]
    assert (keys[0] == keys[1]) == (one == other)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"usage": 3}', '{"usage": {}, "tool_calls": [], "text": 5}', "[" * 9**5]
)
def test_a_row_that_is_no_reply_is_a_miss(tmp_path, text):
    cache = CallCache(tmp_path / "c")
    with sqlite3.connect(tmp_path / "c") as other:
        other.execute("INSERT INTO replies VALUES (?, 'm', 0, ?)", (b"k", text))
    other.close()
    assert cache.get(b"k") is None
