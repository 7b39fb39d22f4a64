"""Clients of every kind, each with what it needs to answer here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from canned_endpoint import canned_endpoint

from intent.agents.client import Client
from intent.agents.clients.registry import make_client
from intent.agents.local_models import fetch
from intent.agents.scripted_server import ScriptedServer

KEY = "sk-canary-0123456789"


async def says(messages, tools, settings) -> str:
    return settings.choices[0] if settings.choices else "OptionA"


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
OVER_HTTP = [agreeable_over_http, compatible, openai, anthropic]
REMOTE = [scripted, agreeable, erratic, callable_, *OVER_HTTP]


def over(clients: list) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("opened", clients, ids=lambda opened: opened.__name__)


def run(opened: Opened, use: Callable[[Client], Awaitable[object]]) -> object:
    async def whole() -> object:
        async with opened() as client:
            return await use(client)

    return asyncio.run(whole())
