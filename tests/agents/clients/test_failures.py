"""Answers other than success, as errors."""

from __future__ import annotations

import json

import pytest

from intent.agents.clients.wire import failure, retry_after
from intent.base.errors import EndpointError, RefusedError, RetryableError, SettingError


def mapped(status: int, said: object = "", headers: dict | None = None) -> EndpointError:
    text = said if isinstance(said, str) else json.dumps(said)
    return failure(
        "openai/any",
        status,
        text,
        headers or {},
        sent=["temperature", "seed", "max_tokens"],
        key_name="OPENAI_API_KEY",
        hide=str,
    )


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_retryable(status: int) -> None:
    assert isinstance(mapped(status), RetryableError)


@pytest.mark.parametrize("status", [301, 307, 400, 401, 402, 403, 404, 413, 422])
def test_what_will_not_is_refused(status: int) -> None:
    assert isinstance(mapped(status), RefusedError)


def test_a_quota_that_is_used_up_is_not_waited_for() -> None:
    said = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    assert isinstance(mapped(429, said), RefusedError)


@pytest.mark.parametrize(
    "said",
    [
        {"error": {"message": "Unsupported value", "param": "temperature", "code": "unsupported_value"}},
        {"error": {"message": "Unsupported parameter: 'temperature' is not supported with this model."}},
        {"error": {"type": "invalid_request_error", "message": "temperature: range: 0..1"}},
        {"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]},
        {"object": "error", "message": "Unknown field temperature"},
        "temperature is not supported",
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_complaint_about_a_setting_names_it(status: int, said: object) -> None:
    error = mapped(status, said)
    assert isinstance(error, SettingError)
    assert "refuses the setting temperature" in str(error)


@pytest.mark.parametrize(
    "said",
    [
        {"error": {"message": "Invalid value", "param": "messages[0].content"}},
        {"error": {"message": "This model's maximum context length is 4096 tokens"}},
        {"error": {"message": "Invalid model; the temperatures are fine"}},
    ],
)
def test_a_complaint_about_something_else_is_refused(said: object) -> None:
    assert isinstance(mapped(400, said), RefusedError)


def test_messages_are_short_and_on_one_line() -> None:
    said = str(mapped(500, "line\n" * 10_000))
    assert len(said) < 300
    assert "\n" not in said


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0),
        ({"retry-after": "Fri, 02 Jan 2026 00:00:30 GMT", "date": "Fri, 02 Jan 2026 00:00:00 GMT"}, 30),
    ],
)
def test_how_long_to_wait(headers: dict, seconds: float | None) -> None:
    assert retry_after(headers, now=10.0) == seconds
