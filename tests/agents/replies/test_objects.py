"""Objects in replies."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.replies import objects_in

FIELDS = st.dictionaries(st.text(max_size=5), st.integers() | st.text() | st.lists(st.integers()), max_size=3)


@given(st.dictionaries(st.text(max_size=5), FIELDS | st.none() | st.booleans(), max_size=3))
def test_json_is_read_as_it_is_wherever_it_stands(table: dict[str, object]) -> None:
    def pairs(value: object) -> object:
        return [(k, pairs(v)) for k, v in value.items()] if isinstance(value, dict) else value

    text = json.dumps(table)
    assert objects_in(text) == objects_in(f"So: {text}, that is all.") == [pairs(table)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{'a': [1, {'b': “x”}], c: d,}", [[("a", ["1", [("b", "x")]]), ("c", "d")]]),
        ('{no object {"a": 1} here}', [[("a", 1)]]),
        ('{"a": {"b": 1}} {"c": 2}', [[("a", [("b", 1)])], [("c", 2)]]),
        ("{a: {b: {c: {d: {e: 1}}}}}", [[("b", [("c", [("d", [("e", "1")])])])]]),
        ("{'a': 1", []),
        ("", []),
    ],
)
def test_what_models_take_for_json(text: str, found: list[object]) -> None:
    assert objects_in(text) == found


@pytest.mark.parametrize("unit", ["{", "{'a':", '{"a":{', "{a:[", '{"a": "', "{a:1,", '{"a":[1,1,'])
def test_no_text_is_read_for_long(unit: str) -> None:
    assert objects_in(unit * (1_000_000 // len(unit))) == []
