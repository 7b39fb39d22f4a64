"""Settings from untrusted hands."""

from __future__ import annotations

import pytest

from intent.base.errors import DataError, LimitError
from intent.base.settings import Values, checked, read_document, read_value


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


DEEP = "a: " + "[" * 300 + "]" * 300
HOSTILE = {
    "x.yaml": [
        ("a: " + "9" * 5000, "a number of 5,000 digits"),
        ("a: 1e999", "beyond all that can be computed with"),
        (DEEP, "nested deeper"),
        ("a: !!set {b, c}", "not readable as YAML"),
        ("a: !!binary aGk=", "not readable as YAML"),
        ("a: !!int x", "not readable as YAML"),
        ("a: !!bool maybe", "not readable as YAML"),
        ("a: {<<: 3}", "not readable as YAML"),
        ("a: {<<: *nobody}", "not readable as YAML"),
        ("? {a: 1}\n: 2", "a key that is no word or number"),
        ("%YAML 9.9\n---\na: 1", "not readable as YAML"),
        ("a: 1\n---\nb: 2", "not readable as YAML"),
        ("- " * 5000, "nested deeper"),
        ("[" * 50_000, "nested deeper"),
        ("a: 1\n" * 2 + "b: 2", "key 'a' stands there twice"),
        ("a: \ud800", "not UTF-8"),
    ],
    "x.json": [
        ('{"a": ' + "9" * 5000 + "}", "a number of 5,000 digits"),
        ('{"a": NaN}', "NaN is no number of JSON"),
        ('{"a": -Infinity}', "is no number of JSON"),
        ('{"a": 1e999}', "beyond all that can be computed with"),
        ('{"a":' * 300 + "1" + "}" * 300, "nested deeper than 100"),
        ("[" * 100_000, "nested deeper than 100"),
        ('{"a": {"b": 1, "b": 2}}', "key 'b' stands there twice"),
        ('{"a": ', "not readable as JSON"),
    ],
}


@pytest.mark.parametrize(
    ("name", "text", "says"), [(n, t, s) for n, cases in HOSTILE.items() for t, s in cases]
)
def test_hostile_settings_are_one_line_that_names_the_file(tmp_path, name, text, says):
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(DataError) as refused:
        read_document(tmp_path / name)
    told = str(refused.value)
    assert says in told
    assert told.startswith(name)
    assert told.isprintable()
    assert len(told) < 300


@pytest.mark.parametrize("data", ["a: 1\n".encode("utf-16"), b"a: \xe9", b"a: \0", b"\x80\x81"])
def test_what_is_no_text_is_one_line(tmp_path, data):
    (tmp_path / "x.yaml").write_bytes(data)
    with pytest.raises(DataError, match=r"^x\.yaml"):
        read_document(tmp_path / "x.yaml")


@pytest.mark.parametrize("text", ["\ufeffa: 1", "a: 1\r", "a: 1\r\n", "# only\ra: 1", "a: &x 1"])
def test_marks_and_line_ends_of_all_kinds_are_read(tmp_path, text):
    (tmp_path / "x.yaml").write_bytes(text.encode())
    assert read_document(tmp_path / "x.yaml").values == {"a": 1}


def test_merge_keys_are_read(tmp_path):
    (tmp_path / "x.yaml").write_text("a: &a {b: 1, c: 2}\nd: {<<: *a, b: 3}\n")
    assert read_document(tmp_path / "x.yaml").values["d"] == {"b": 3, "c": 2}


def test_dates_and_words_are_texts(tmp_path):
    (tmp_path / "x.yaml").write_text("a: 2020-01-01\nb: 0o17\nc: 1:30\nd: 2020-01-01T10:00:00Z\ne: .nan\n")
    assert list(read_document(tmp_path / "x.yaml").values.values()) == [
        "2020-01-01",
        "0o17",
        "1:30",
        "2020-01-01T10:00:00Z",
        ".nan",
    ]


class Inner(Values):
    share: float = 0.0


class Outer(Values):
    rounds: int = 1
    known: bool = False
    free: int | bool = 0
    inner: Inner = Inner()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("known: true\nrounds: true\n", r"s\.yaml line 2: rounds is True: expected a whole number"),
        ("inner:\n  share: false\n", r"s\.yaml line 2: inner\.share is False: expected a number"),
    ],
)
def test_a_truth_is_no_number(tmp_path, text, line):
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(DataError, match=line):
        checked(Outer, read_document(tmp_path / "s.yaml"), called="s.yaml")


def test_truths_where_they_may_stand(tmp_path):
    (tmp_path / "s.yaml").write_text("known: true\nfree: true\nrounds: 3\n")
    assert checked(Outer, read_document(tmp_path / "s.yaml"), called="s.yaml") == Outer(
        known=True, free=True, rounds=3
    )
