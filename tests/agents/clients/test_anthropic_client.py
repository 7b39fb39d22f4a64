"""Anthropic's messages endpoint."""

from __future__ import annotations

import asyncio

import pytest

from intent.agents.client import Message, Reply, Settings, Usage
from intent.agents.clients.anthropic import MAX_TOKENS, AnthropicClient
from intent.agents.clients.registry import make_client
from intent.base.errors import RefusedError, RetryableError, SettingError

pytest.importorskip("anthropic")

KEY = "sk-ant-canary-0123456789"
ASKED = [Message("system", "You play."), Message("system", "Be brief."), Message("user", "Choose.")]
PLAIN = Settings()
SAID = {"content": [{"type": "text", "text": "OptionA"}], "stop_reason": "end_turn", "model": "any-20260101"}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def body(settings: Settings = PLAIN, messages: list[Message] = ASKED, tools: tuple = ()) -> dict:
    return AnthropicClient("anthropic/any").body(messages, settings, tools)


def of(
    canned, monkeypatch: pytest.MonkeyPatch, content: object, settings: Settings = PLAIN, **answer
) -> Reply:
    async def whole() -> Reply:
        async with canned(content, **answer) as endpoint:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", endpoint.url)
            client = make_client("anthropic/any")
            try:
                return await client.complete(ASKED, settings)
            finally:
                await client.close()

    return asyncio.run(whole())


def test_system_messages_in_front_go_apart() -> None:
    made = body()
    assert made["system"] == "You play.\n\nBe brief."
    assert made["messages"] == [{"role": "user", "content": "Choose."}]
    assert made["max_tokens"] == MAX_TOKENS


@pytest.mark.parametrize("settings", [Settings(seed=1), Settings(seeded=True)])
def test_there_is_no_seed(settings: Settings) -> None:
    with pytest.raises(SettingError, match="takes no seed"):
        body(settings)


def test_settings_by_the_names_of_the_endpoint() -> None:
    made = body(Settings(temperature=0.5, max_tokens=9, stop=("x",), extra={"top_k": 3}))
    assert {"temperature": 0.5, "max_tokens": 9, "stop_sequences": ["x"], "top_k": 3}.items() <= made.items()


@pytest.mark.parametrize("kind", ["enabled", "adaptive"])
def test_thinking_does_not_go_with_tools(kind: str) -> None:
    tool = {"type": "function", "function": {"name": "payoff"}}
    thinks = Settings(extra={"thinking": {"type": kind}})
    assert body(thinks)["thinking"] == {"type": kind}
    with pytest.raises(SettingError, match=rf"thinking is {kind} .*\{{tool: \{{protocol: prompted\}}\}}"):
        body(thinks, tools=(tool,))
    assert body(Settings(extra={"thinking": {"type": "disabled"}}), tools=(tool,))["tools"]


def test_constrained_output_goes_with_other_output_settings() -> None:
    made = body(Settings(constrained=True, choices=("A", "B"), extra={"output_config": {"effort": "low"}}))
    assert made["output_config"]["effort"] == "low"
    assert made["output_config"]["format"]["schema"]["properties"]["choice"]["enum"] == ["A", "B"]


def test_tools_calls_and_their_answers() -> None:
    call = {"id": "1", "name": "payoff", "arguments": '{"a": 1}'}
    asked = [*ASKED, Message("assistant", "", tool_calls=(call,)), Message("tool", "3", tool_call_id="1")]
    schema = {"type": "object"}
    made = body(
        messages=asked, tools=({"type": "function", "function": {"name": "payoff", "parameters": schema}},)
    )
    assert made["tools"] == [{"name": "payoff", "input_schema": schema}]
    assert made["messages"][1]["content"] == [
        {"type": "tool_use", "id": "1", "name": "payoff", "input": {"a": 1}}
    ]
    assert made["messages"][2]["content"] == [{"type": "tool_result", "tool_use_id": "1", "content": "3"}]


def test_all_results_of_a_turn_go_into_one_message() -> None:
    calls = tuple({"id": i, "name": "payoff", "arguments": "{}"} for i in "12")
    results = [Message("tool", f"said {i}", tool_call_id=i) for i in "12"]
    made = body(messages=[*ASKED, Message("assistant", "", tool_calls=calls), *results])["messages"]
    assert [message["role"] for message in made] == ["user", "assistant", "user"]
    assert [(block["tool_use_id"], block["content"]) for block in made[2]["content"]] == [
        ("1", "said 1"),
        ("2", "said 2"),
    ]


def test_two_turns_of_calls_stay_apart() -> None:
    turn = [
        Message("assistant", "", tool_calls=({"id": "1", "name": "payoff", "arguments": "{}"},)),
        Message("tool", "3", tool_call_id="1"),
    ]
    made = body(messages=[*ASKED, *turn, *turn])["messages"]
    assert [message["role"] for message in made] == ["user", "assistant", "user", "assistant", "user"]


@pytest.mark.parametrize("arguments", ["", "no JSON", "[1]", "[" * 100_000, "3"])
def test_arguments_that_are_no_object_are_sent_as_an_empty_one(arguments: str) -> None:
    call = {"id": "1", "name": "payoff", "arguments": arguments}
    made = body(messages=[*ASKED, Message("assistant", "", tool_calls=(call,))])
    assert made["messages"][1]["content"][0]["input"] == {}


def test_a_tool_choice_goes_with_tools_only() -> None:
    tool = {"type": "function", "function": {"name": "payoff"}}
    assert body(Settings(tool_choice="none"), tools=(tool,))["tool_choice"] == {"type": "none"}
    assert "tool_choice" not in body(Settings(tool_choice="none"))
    assert "tool_choice" not in body(tools=(tool,))


def test_a_reply(canned, monkeypatch: pytest.MonkeyPatch) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 20,
        "cache_creation_input_tokens": 3,
        "output_tokens": 7,
        "output_tokens_details": {"thinking_tokens": 4},
    }
    said = SAID | {"content": [thought, *SAID["content"]], "usage": usage}
    reply = of(canned, monkeypatch, said, headers="date: Thu, 01 Jan 1970 00:01:00 GMT\r\n")
    assert (reply.text, reply.reasoning, reply.model, reply.created) == (
        "OptionA",
        "hm",
        "any-20260101",
        60.0,
    )
    assert reply.usage == Usage(28, 7, 4, 20)
    assert reply.sent["model"] == "any"


def test_a_refusal_is_a_reply(canned, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = of(canned, monkeypatch, SAID | {"content": [], "stop_reason": "refusal"})
    assert (reply.text, reply.finish_reason) == ("", "refusal")


@pytest.mark.parametrize("said", [SAID | {"content": []}, {"content": [7]}, {}, {"content": "text"}])
def test_nothing_said_is_retryable(said: dict, canned, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RetryableError):
        of(canned, monkeypatch, said)


def test_an_overloaded_endpoint_is_retryable(canned, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with pytest.raises(RetryableError, match="HTTP 529: Overloaded") as caught:
        of(canned, monkeypatch, said, status=529, headers="retry-after: 2\r\n")
    assert caught.value.retry_after == 2


def test_a_setting_that_the_model_refuses(canned, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "temperature is deprecated"},
    }
    with pytest.raises(SettingError, match="refuses the setting temperature"):
        of(canned, monkeypatch, said, Settings(temperature=1), status=400)


def test_a_key_that_is_refused(canned, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"type": "error", "error": {"type": "authentication_error", "message": f"invalid x-api-key {KEY}"}}
    with pytest.raises(RefusedError, match="read from ANTHROPIC_API_KEY") as caught:
        of(canned, monkeypatch, said, status=401)
    assert KEY not in str(caught.value)
