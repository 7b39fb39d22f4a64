"""Calls: native ones with odd ids, written ones in the forms that models use."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.agents.architectures.tool_calls import MOST_CALLS, native_calls, written_calls
from intent.agents.client import Reply

STATED = {"temptation": 0, "reward": 5}
OBJECT = json.dumps({"name": "t", "arguments": STATED})


@pytest.mark.parametrize(
    "text",
    [
        f"CALL: {OBJECT}",
        f"**CALL:** {OBJECT}",
        f"call: {OBJECT}",
        f"CALL：{OBJECT}",
        f"- `CALL: {OBJECT}`",
        f"CALL:\n{OBJECT}",
        f"CALL:\n```json\n{OBJECT}\n```",
        f"```\nCALL: {OBJECT}\n```",
        f"I ask.\nCALL: {OBJECT}\nThank you.",
        "CALL: " + OBJECT.replace('"', "'"),
        "CALL: " + json.dumps({"tool": "t", "parameters": STATED}, indent=2),
        "CALL: " + json.dumps({"Name": "t", "ARGS": STATED}),
        "CALL: " + json.dumps({"name": "t", "arguments": json.dumps(STATED)}),
        f"<tool_call>\n{OBJECT}\n</tool_call>",
    ],
)
def test_forms_of_a_call(text: str) -> None:
    found = written_calls(text)
    assert [(call.name, json.loads(call.arguments)) for call in found.calls] == [("t", STATED)]
    assert "{" not in found.rest
    assert found.count == 1


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("CALL: t", "t", "{}"),
        ("CALL: `t()`", "t", "{}"),
        ('CALL: {"name": "t"}', "t", "{}"),
        ('CALL: {"temptation": 3}', "", '{"temptation": 3}'),
        ('CALL: {"name": "t", "arguments": {…}}', "", '{"name": "t", "arguments": {…}}'),
        ('CALL: {"name": "t", "arguments"\nDECISION: A', "", '{"name": "t", "arguments"'),
        ('CALL: {"name": "t", "arguments": [1]}', "t", "[1]"),
    ],
)
def test_calls_with_less(text: str, name: str, arguments: str) -> None:
    (call,) = written_calls(text).calls
    assert (call.name, call.arguments) == (name, arguments)
    json.loads(call.as_sent["arguments"])


@pytest.mark.parametrize(
    "text",
    ["", "no", f"> CALL: {OBJECT}", f"write CALL: {OBJECT}", "Call: nobody", "CALL: my own lawyer now"],
)
def test_what_is_no_call(text: str) -> None:
    assert written_calls(text).count == 0
    assert written_calls(text).rest == text


def test_several_calls_and_a_decision() -> None:
    found = written_calls(f"CALL: {OBJECT}\nCALL: t\nDECISION: A")
    assert (found.count, found.rest) == (2, "DECISION: A")
    assert len({call.id for call in found.calls}) == 2


def test_more_calls_than_looked_at_are_counted() -> None:
    found = written_calls("CALL: t\n" * 40)
    assert (len(found.calls), found.count) == (MOST_CALLS, 40)


@given(st.text(alphabet="CAL: {}\"'\\,\n<>_tol`", max_size=120))
def test_any_text_is_taken_apart(text: str) -> None:
    found = written_calls(text)
    assert len(found.calls) <= found.count
    assert len(found.rest) <= len(text)


@pytest.mark.parametrize(
    ("piece", "count"),
    [("CALL: {", 1), ("CALL:", 0), ("<tool_call>", 0), ('CALL: {"', 1), ("CALL: {}\n", 100_000 // 9)],
)
def test_a_megabyte_of_calls_is_no_burden_and_its_beginning_counts(piece: str, count: int) -> None:
    found = written_calls(piece * (1_000_000 // len(piece)))
    assert (found.count, len(found.calls)) == (count, min(count, MOST_CALLS))


def test_ids_of_native_calls_are_made_unique() -> None:
    given_calls = [{"id": i, "name": "t", "arguments": ""} for i in ("", "a", "a", "call_0")]
    found = native_calls(Reply("", tool_calls=tuple(given_calls)), "text")
    ids = [call.id for call in found.calls]
    assert len(set(ids)) == 4
    assert "a" in ids
    assert all(ids)
    assert (found.count, found.rest, found.calls[0].arguments) == (4, "text", "{}")


@pytest.mark.parametrize("after", ["", "\nDECISION: OptionA"])
def test_a_call_in_the_form_of_a_function(after: str) -> None:
    found = written_calls('CALL: consult_adviser({"temptation": 0, "reward": 5})' + after)
    assert [(call.name, call.arguments) for call in found.calls] == [
        ("consult_adviser", '{"temptation": 0, "reward": 5}')
    ]
    assert (found.count, found.rest) == (1, after.strip())
