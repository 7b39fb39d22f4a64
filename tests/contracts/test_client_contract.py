"""What every client of a language model does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from canned_endpoint import canned_endpoint

from intent.agents.client import Client, Message, Reply, Settings
from intent.agents.clients import make_client
from intent.agents.local_models import fetch
from intent.agents.scripted_server import ScriptedServer
from intent.errors import SettingError

KEY = "sk-canary-0123456789"
ASKED = [Message("system", "You play."), Message("user", "Choose 'OptionA' or 'OptionB'.")]
LABELS = ("OptionA", "OptionB")


async def says(messages, tools, settings) -> str:
    return settings.choices[0]


@asynccontextmanager
async def scripted() -> AsyncIterator[Client]:
    yield make_client("scripted/uniform")


@asynccontextmanager
async def agreeable() -> AsyncIterator[Client]:
    yield make_client("scripted/agreeable")


@asynccontextmanager
async def erratic() -> AsyncIterator[Client]:
    yield make_client("scripted/erratic")


@asynccontextmanager
async def agreeable_over_http() -> AsyncIterator[Client]:
    async with ScriptedServer() as server:
        client = make_client(f"openai/agreeable@{server.url}")
        yield client
        await client.close()


@asynccontextmanager
async def callable_() -> AsyncIterator[Client]:
    yield make_client("python/says", callables={"says": says})


@asynccontextmanager
async def compatible() -> AsyncIterator[Client]:
    async with ScriptedServer() as server:
        client = make_client(f"openai/any@{server.url}")
        yield client
        await client.close()


@asynccontextmanager
async def openai() -> AsyncIterator[Client]:
    async with ScriptedServer(key=KEY) as server:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OPENAI_API_KEY", KEY)
            patch.setenv("OPENAI_BASE_URL", server.url)
            client = make_client("openai/any")
            yield client
            await client.close()


def anthropic_answer(body: dict) -> dict:
    text = '{"choice": "OptionB"}' if "output_config" in body else "OptionB"
    return {
        "type": "message",
        "model": "any-20260101",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": text},
        ],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 2, "output_tokens": 3},
    }


@asynccontextmanager
async def anthropic() -> AsyncIterator[Client]:
    pytest.importorskip("anthropic")
    async with canned_endpoint(anthropic_answer) as server:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ANTHROPIC_API_KEY", KEY)
            patch.setenv("ANTHROPIC_BASE_URL", server.url.removesuffix("/v1"))
            client = make_client("anthropic/any")
            yield client
            await client.close()
        assert all(f"x-api-key: {KEY}" in head.lower() for head in server.heads)


def unavailable(wheel: str, folder: Path) -> Path:
    pytest.skip("the local model is not in the cache")


@asynccontextmanager
async def local() -> AsyncIterator[Client]:
    pytest.importorskip("xllamacpp")
    fetch("smollm2-135m", say=lambda line: None, download=unavailable)
    client = make_client("local/smollm2-135m")
    yield client
    await client.close()


Opened = Callable[[], AbstractAsyncContextManager[Client]]
REMOTE = [scripted, agreeable, erratic, agreeable_over_http, callable_, compatible, openai, anthropic]


def over(clients: list) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("opened", clients, ids=lambda opened: opened.__name__)


each = over([*REMOTE, pytest.param(local, marks=pytest.mark.slow)])


def run(opened: Opened, use: Callable[[Client], Awaitable[object]]) -> object:
    async def whole() -> object:
        async with opened() as client:
            return await use(client)

    return asyncio.run(whole())


@each
def test_a_reply_has_text_and_the_body_that_was_sent(opened: Opened) -> None:
    settings = Settings(temperature=0.5, max_tokens=8, choices=LABELS)

    async def use(client: Client) -> tuple[Reply, dict]:
        return await client.complete(ASKED, settings), client.body(ASKED, settings)

    reply, body = run(opened, use)
    assert reply.text
    assert body.items() <= reply.sent.items()
    assert body["temperature"] == 0.5
    assert json.loads(json.dumps(body)) == body


@over(REMOTE)
def test_settings_that_are_none_are_not_sent(opened: Opened) -> None:
    async def use(client: Client) -> dict:
        return client.body(ASKED, Settings(choices=LABELS))

    assert not {"temperature", "top_p", "seed", "stop", "stop_sequences", "tools"} & set(run(opened, use))


@each
def test_a_constrained_reply_is_one_of_the_labels(opened: Opened) -> None:
    async def use(client: Client) -> Reply:
        return await client.complete(ASKED, Settings(max_tokens=16, constrained=True, choices=LABELS))

    assert run(opened, use).text in LABELS


@each
def test_a_field_is_set_once_and_the_clients_own_stay_its_own(opened: Opened) -> None:
    async def use(client: Client) -> None:
        for extra in ({"temperature": 1}, {"model": "other"}, {"stream": True}, {"x": float("nan")}):
            with pytest.raises(SettingError):
                client.body(ASKED, Settings(temperature=0.5, choices=LABELS, extra=extra))

    run(opened, use)


@each
def test_the_key_is_in_no_text(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")

    async def use(client: Client) -> str:
        reply = await client.complete(ASKED, Settings(choices=LABELS, max_tokens=8))
        return f"{client!r} {client!s} {vars(client)} {client.endpoint} {reply}"

    assert KEY not in run(opened, use) + caplog.text


@each
def test_name_endpoint_and_concurrency(opened: Opened) -> None:
    async def use(client: Client) -> tuple:
        return client.name, client.endpoint, client.concurrency

    name, endpoint, concurrency = run(opened, use)
    assert name
    assert endpoint
    assert concurrency >= 1
