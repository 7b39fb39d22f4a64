"""Files of one JSON object."""

from __future__ import annotations

import pytest

from intent.base.errors import DataError, OutputError
from intent.base.files import read_object
from intent.base.outputs import write_object


def test_what_is_written_is_read_again(tmp_path):
    told = {"name": "Défi", "rows": [1, None, "\udc80"]}
    path = write_object(tmp_path / "a.json", told)
    assert read_object(path, "a test") == told
    with pytest.raises(OutputError, match="exists"):
        write_object(path, {})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[1]", r"a.json: no JSON object, expected a test"),
        (b"{", r"a.json: no JSON \(.*\), expected a test"),
        (b"\xff{}", r"a.json line 1: not UTF-8"),
        (b"[" * 100_000, r"a.json: no JSON"),
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', r"a.json: no JSON \(key 'c' stands there twice\)"),
        (b'{"a": "' + b"x" * 2**20 + b'"}', r"a.json: more than 1,048,576 bytes, expected a test"),
    ],
)
def test_what_is_none_is_one_line(tmp_path, content, said):
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(DataError, match=said) as refused:
        read_object(tmp_path / "a.json", "a test", longest=2**20)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(DataError, match=r"no such file: .*b.json"):
        read_object(tmp_path / "b.json", "a test")


def test_a_byte_order_mark_is_no_content(tmp_path):
    (tmp_path / "a.json").write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert read_object(tmp_path / "a.json", "a test") == {"a": 1}
