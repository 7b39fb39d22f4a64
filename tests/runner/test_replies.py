"""A file of replies that only grows, and outlives a crash."""

from __future__ import annotations

import pytest

from intent.base.errors import DataError
from intent.runner.caller import Replies, reply_key


def test_replies_come_back(tmp_path):
    path = tmp_path / "r.jsonl"
    kept = Replies(path, ("n",))
    kept.add({"key": "a", "n": 1, "text": "one\ntwo\u2028three"})
    kept.add({"key": "b", "n": 2, "text": ""})
    assert Replies(path, ("n",)).known == kept.known


@pytest.mark.parametrize("cut", range(1, 20))
def test_a_line_without_its_end_is_dropped(tmp_path, cut):
    path = tmp_path / "r.jsonl"
    for name in "ab":
        Replies(path).add({"key": name, "text": name})
    path.write_bytes(path.read_bytes()[:-cut])
    again = Replies(path)
    assert list(again.known) == ["a"]
    again.add({"key": "c", "text": "c"})
    assert list(Replies(path).known) == ["a", "c"]


@pytest.mark.parametrize("line", ["{}", '{"key": "x", "text": 3}', "nonsense", "[1]", "[" * 100_000])
def test_another_file_is_refused(tmp_path, line):
    path = tmp_path / "r.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"r.jsonl line 1: expected a stored reply"):
        Replies(path)


def test_a_key_is_everything_that_was_asked():
    assert reply_key({"a": 1, "b": 2}) == reply_key({"b": 2, "a": 1}) != reply_key({"a": 1, "b": 3})


def test_what_is_no_file_is_not_read(tmp_path):
    (tmp_path / "r.jsonl").symlink_to("/dev/zero")
    with pytest.raises(DataError, match=r"r.jsonl: no file, expected replies"):
        Replies(tmp_path / "r.jsonl")
