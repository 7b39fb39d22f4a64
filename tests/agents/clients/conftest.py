"""An endpoint that gives one canned answer and keeps what it was sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field

import pytest

Canned = Callable[..., AbstractAsyncContextManager["Endpoint"]]


@dataclass
class Endpoint:
    """Where it listens, and the heads and bodies that came."""

    url: str = ""
    heads: list[str] = field(default_factory=list)
    bodies: list[dict] = field(default_factory=list)


@asynccontextmanager
async def canned_endpoint(content: object, status: int = 200, headers: str = "") -> AsyncIterator[Endpoint]:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    made = Endpoint()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        made.heads.append(head)
        sizes = [
            line.split(":")[1] for line in head.lower().split("\r\n") if line.startswith("content-length")
        ]
        made.bodies.append(json.loads(await reader.readexactly(int(sizes[0]))))
        top = f"HTTP/1.1 {status} Said\r\n{headers}content-length: {len(raw)}\r\nconnection: close\r\n\r\n"
        writer.write(top.encode() + raw)
        with suppress(ConnectionError):
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    yield made
    server.close()
    await server.wait_closed()


@pytest.fixture
def canned() -> Canned:
    return canned_endpoint


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
