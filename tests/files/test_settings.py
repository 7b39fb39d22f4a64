"""Settings from untrusted hands."""

from __future__ import annotations

import pytest

from intent.errors import DataError, LimitError
from intent.files.settings import read_document, read_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("true", True),
        ("1e-3", 0.001),
        (".5", 0.5),
        ("010", 10),
        ("12:30", "12:30"),
        ("[a, 1, 2.0, null]", ["a", 1, 2.0, None]),
        ("{1.1: x}", {"1.1": "x"}),
    ],
)
def test_words_and_numbers_are_those_of_yaml_1_2(text, value):
    assert read_value(text, "--set") == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "x.yaml line 3: key 'a' stands there twice"),
        ("a: {b: 1, b: 2}\n", "x.yaml line 1: key 'b' stands there twice"),
        ("a: &a [*a]\n", "x.yaml line 1: an alias that holds itself"),
        ("a: [\n", "x.yaml line 2: not readable as YAML"),
        ("a: !!python/object/apply:os.system [x]\n", "x.yaml line 1: not readable as YAML"),
        ("- a\n", "x.yaml: holds a list, expected a mapping"),
        ("a: \x00\n", "x.yaml line 1: binary data"),
        ("[a]: b\n", "x.yaml line 1: a key that is no word or number"),
    ],
)
def test_what_is_refused(tmp_path, text, message):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(DataError, match=f"^{message.replace('[', chr(92) + '[')}"):
        read_document(path)


def test_aliases_that_unfold_without_end(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    (tmp_path / "bomb.yaml").write_text("\n".join(lines))
    with pytest.raises(LimitError, match="more than 100,000 values"):
        read_document(tmp_path / "bomb.yaml")


def test_a_file_that_is_too_long(tmp_path):
    (tmp_path / "long.yaml").write_bytes(b"a: " + b"x" * 1024**2)
    with pytest.raises(LimitError, match="more than 1,048,576 bytes"):
        read_document(tmp_path / "long.yaml")


def test_json_with_a_key_twice(tmp_path):
    (tmp_path / "x.json").write_text('{"a": {"b": 1, "b": 2}}')
    with pytest.raises(DataError, match=r"x\.json: key 'b' stands there twice"):
        read_document(tmp_path / "x.json")


def test_lines_of_keys(tmp_path):
    (tmp_path / "x.yaml").write_text("a: 1\nb:\n  c:\n    - d\n    - e\n")
    document = read_document(tmp_path / "x.yaml")
    assert document.where(["b", "c", 1]) == "x.yaml line 5"
    assert document.where(["b", "z"]) == "x.yaml line 2"
    assert document.where(["z"]) is None
