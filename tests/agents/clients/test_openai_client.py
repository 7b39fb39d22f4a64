"""OpenAI's chat endpoint and those that speak its language."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from intent.agents.client import Message, Reply, Settings, Usage
from intent.agents.clients.openai import OpenAIClient, chat_reply
from intent.agents.clients.registry import make_client
from intent.agents.clients.wire import MAX_REPLY, Wire
from intent.agents.scripted_server import ScriptedServer
from intent.base.errors import RefusedError, RetryableError, SettingError, UnknownNameError

ASKED = [Message("system", "You play."), Message("user", "Choose 'OptionA' or 'OptionB'.")]
PLAIN = Settings()
LABELS = ("OptionA", "OptionB")
TOOL = {"type": "function", "function": {"name": "payoff", "parameters": {"type": "object"}}}


def completion(content: object = "OptionA", finish: str = "stop", **message: object) -> dict:
    return {"choices": [{"finish_reason": finish, "message": {"content": content, **message}}]}


async def ask(url: str, settings: Settings = PLAIN, form: str = "", tools: tuple = ()) -> Reply:
    client = make_client(f"openai/any@{url}{form}")
    try:
        return await client.complete(ASKED, settings, tools)
    finally:
        await client.close()


def with_fault(name: str, settings: Settings = PLAIN) -> Reply:
    async def whole() -> Reply:
        async with ScriptedServer(faults={name: 1}, retry_after=7) as server:
            return await ask(server.url, settings)

    return asyncio.run(whole())


def of(canned: Any, content: object, settings: Settings = PLAIN, **answer: object) -> Reply:
    async def whole() -> Reply:
        async with canned(content, **answer) as endpoint:
            return await ask(endpoint.url, settings)

    return asyncio.run(whole())


@pytest.mark.parametrize(
    "fault", ["429", "429-after", "500", "cut", "cut-body", "malformed", "empty", "blank", "html"]
)
def test_faults_are_retryable(fault: str) -> None:
    with pytest.raises(RetryableError) as caught:
        with_fault(fault)
    assert caught.value.retry_after == (7 if fault == "429-after" else None)


def test_no_answer_in_time_is_retryable() -> None:
    with pytest.raises(RetryableError, match=r"no answer within 0\.3 s|timed out"):
        with_fault("timeout", Settings(timeout=0.3))


def test_nobody_listening_is_retryable() -> None:
    with pytest.raises(RetryableError, match="openai/any@http"):
        asyncio.run(ask("http://127.0.0.1:9/v1"))


def test_a_server_on_this_machine_is_reached_without_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert len(with_fault("huge").text) == 1_000_000


def test_certificates_are_left_out_for_http_on_this_machine_alone() -> None:
    places = ("http://localhost:1", "https://localhost:1", "http://lab.org", "https://lab.org")
    loaded = [OpenAIClient(f"openai/any@{url}")._wire._pools.trusting for url in places]
    assert loaded == [False, True, True, True]


def test_a_reply_of_a_megabyte_is_a_reply() -> None:
    assert len(with_fault("huge").text) == 1_000_000


def test_more_than_the_bound_is_not_read(canned) -> None:
    with pytest.raises(RetryableError, match="larger than 8 MiB"):
        of(canned, b"x" * (MAX_REPLY + 2**20))


def test_an_answer_compressed_unasked_is_refused(canned) -> None:
    with pytest.raises(RefusedError, match="compressed"):
        of(canned, b"x", headers="content-encoding: gzip\r\n")


def test_a_redirect_is_not_followed(canned) -> None:
    with pytest.raises(RefusedError, match="redirects"):
        of(canned, b"", status=307, headers="location: http://127.0.0.1:9/\r\n")


@pytest.mark.parametrize(
    "raw", [b"[" * 100_000, b"[]", b"null", b'{"choices": []}', b'{"choices": [7]}', b"\xff\xfe{"]
)
def test_json_that_is_no_completion_is_retryable(raw: bytes, canned) -> None:
    with pytest.raises(RetryableError):
        of(canned, raw)


def test_an_error_with_status_200_counts_by_its_code(canned) -> None:
    with pytest.raises(RefusedError, match="HTTP 402: no credit"):
        of(canned, {"error": {"code": 402, "message": "no credit"}})


def test_what_the_endpoint_tells_is_kept(canned) -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 5,
        "completion_tokens_details": {"reasoning_tokens": 4},
        "prompt_tokens_details": {"cached_tokens": 8},
    }
    whole = completion(reasoning_content="hm") | {
        "model": "any-2026",
        "created": 17,
        "system_fingerprint": "fp",
        "usage": usage,
    }
    reply = of(canned, whole)
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("OptionA", "hm", "stop")
    assert (reply.model, reply.created, reply.fingerprint) == ("any-2026", 17.0, "fp")
    assert reply.usage == Usage(9, 5, 4, 8)


@pytest.mark.parametrize("bad", [-1, True, "9", 2.5, 10**9 + 1, 10**400, None])
def test_a_count_that_is_none_is_left_out(bad: object, canned) -> None:
    assert of(canned, completion() | {"usage": {"prompt_tokens": bad}, "created": "?"}).usage == Usage()


@pytest.mark.parametrize("bad", [10**400, float("nan"), float("inf"), True, "?"])
def test_a_date_that_is_none_is_left_out(bad: object, canned) -> None:
    assert of(canned, completion() | {"created": bad}).created is None


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        (completion(None, refusal="I won't."), "I won't.", None),
        (completion("", finish="content_filter"), "", None),
        (completion("", finish="length", reasoning="long"), "", "long"),
        (
            completion(
                [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                    {"type": "text", "text": "A"},
                ]
            ),
            "A",
            "hm",
        ),
        (completion("a\ud800b"), "a?b", None),
    ],
)
def test_replies_in_other_shapes(message: dict, text: str, reasoning: str | None) -> None:
    reply = chat_reply(message, {}, Settings(), "any")
    assert (reply.text, reply.reasoning) == (text, reasoning)


def test_tools_go_out_and_calls_come_back(canned) -> None:
    async def whole() -> Reply:
        call = {"id": "1", "type": "function", "function": {"name": "payoff", "arguments": "{}"}}
        async with canned(completion(None, finish="tool_calls", tool_calls=[call])) as endpoint:
            return await ask(endpoint.url, tools=(TOOL,))

    reply = asyncio.run(whole())
    assert reply.sent["tools"] == [TOOL]
    assert reply.tool_calls == ({"id": "1", "name": "payoff", "arguments": "{}"},)


@pytest.mark.parametrize(("tools", "sent"), [((TOOL,), "none"), ((), None)])
def test_a_tool_choice_goes_with_tools_only(tools: tuple, sent: str | None) -> None:
    client = OpenAIClient("openai/any@http://localhost:1")
    assert client.body(ASKED, Settings(tool_choice="none"), tools).get("tool_choice") == sent
    assert "tool_choice" not in client.body(ASKED, Settings(), tools)


def test_calls_and_their_answers_go_back() -> None:
    asked = [
        *ASKED,
        Message("assistant", "", tool_calls=({"id": "1", "name": "payoff", "arguments": "{}"},)),
        Message("tool", "3", tool_call_id="1"),
    ]
    call, answer = OpenAIClient("openai/any@http://localhost:1").body(asked, Settings())["messages"][2:]
    assert call["tool_calls"] == [
        {"id": "1", "type": "function", "function": {"name": "payoff", "arguments": "{}"}}
    ]
    assert answer == {"role": "tool", "content": "3", "tool_call_id": "1"}


def test_the_limit_of_tokens_has_two_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789")
    at_openai = OpenAIClient("openai/any").body(ASKED, Settings(max_tokens=5))
    elsewhere = OpenAIClient("openai/any@http://localhost:1").body(ASKED, Settings(max_tokens=5))
    assert at_openai["max_completion_tokens"] == elsewhere["max_tokens"] == 5
    assert "max_tokens" not in at_openai


@pytest.mark.parametrize("form", ["", "#json_schema", "#structured_outputs", "#guided_choice", "#grammar"])
def test_every_form_of_constrained_output(form: str) -> None:
    async def whole() -> Reply:
        async with ScriptedServer(labels=("x", "y")) as server:
            return await ask(server.url, Settings(constrained=True, choices=("同意", 'a"b')), form)

    assert asyncio.run(whole()).text in ("同意", 'a"b')


def test_an_unknown_form_is_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean grammar"):
        OpenAIClient("openai/any@http://localhost:1#gramar")


def test_an_endpoint_that_ignores_the_constraint_is_an_error(canned) -> None:
    with pytest.raises(SettingError, match="does not honour constrained"):
        of(canned, completion("I choose A."), Settings(constrained=True, choices=LABELS))


def test_constrained_needs_labels() -> None:
    with pytest.raises(SettingError, match="distinct labels"):
        OpenAIClient("openai/any@http://localhost:1").body(ASKED, Settings(constrained=True))


def test_a_setting_that_the_sdk_drops_is_an_error_and_nothing_is_sent(canned) -> None:
    async def whole() -> list:
        async with canned(completion()) as endpoint:
            from openai import AsyncOpenAI

            class Dropping(AsyncOpenAI):
                async def post(self, path: str, **given: Any) -> Any:
                    body = {name: value for name, value in given.pop("body").items() if name != "temperature"}
                    return await super().post(path, body=body | {"seed": 2}, **given)

            wire = Wire(
                "any",
                lambda http: Dropping(api_key="x", base_url=endpoint.url, http_client=http),
                header="authorization",
                key=None,
                key_name="",
                plain=True,
            )
            with pytest.raises(SettingError, match="would not be sent as set: seed, temperature"):
                await wire.post("/chat/completions", {"model": "m", "temperature": 0.5, "seed": 1}, 5.0)
            await wire.close()
            return endpoint.bodies

    assert asyncio.run(whole()) == []


def test_what_arrives_is_what_is_recorded(canned) -> None:
    async def whole() -> tuple:
        async with canned(completion()) as endpoint:
            settings = Settings(temperature=1, top_p=0.9, seed=3, stop=("\n",), extra={"min_p": 0.1})
            return (await ask(endpoint.url, settings)).sent, endpoint.bodies[0]

    sent, arrived = asyncio.run(whole())
    assert sent == arrived
    assert {
        "temperature": 1,
        "top_p": 0.9,
        "seed": 3,
        "stop": ["\n"],
        "min_p": 0.1,
    }.items() <= arrived.items()


def test_a_hundred_in_flight_keep_their_bodies_apart() -> None:
    async def whole() -> tuple:
        async with ScriptedServer(latency=0.05) as server:
            client = make_client(f"openai/any@{server.url}")
            asked = [[Message("user", f"round {i}")] for i in range(100)]
            replies = await asyncio.gather(*(client.complete(messages, Settings()) for messages in asked))
            await client.close()
            return [reply.sent["messages"][0]["content"] for reply in replies], server.stats.max_in_flight

    sent, most = asyncio.run(whole())
    assert sent == [f"round {i}" for i in range(100)]
    assert most > 64


def test_a_client_outlives_its_event_loop() -> None:
    client = make_client("openai/any@http://127.0.0.1:9")
    for _ in range(2):
        with pytest.raises(RetryableError):
            asyncio.run(client.complete(ASKED, Settings()))
    asyncio.run(client.close())


def test_bodies_are_json_that_is_stable() -> None:
    client = OpenAIClient("openai/any@http://localhost:1")
    body = client.body(ASKED, Settings(temperature=0.7, extra={"b": (1, 2)}))
    assert body["b"] == [1, 2]
    assert body == json.loads(json.dumps(body))
