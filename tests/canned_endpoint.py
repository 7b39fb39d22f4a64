"""An endpoint that gives canned answers and keeps what it was sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Endpoint:
    """Where it listens, and the heads and bodies that came."""

    url: str = ""
    heads: list[str] = field(default_factory=list)
    bodies: list[dict] = field(default_factory=list)


@asynccontextmanager
async def canned_endpoint(
    content: object | Callable[[dict], object], status: int = 200, headers: str = ""
) -> AsyncIterator[Endpoint]:
    """Answers every request with bytes, or with the JSON of anything else; a function is given the body."""
    made = Endpoint()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        made.heads.append(head)
        sizes = [
            line.split(":")[1] for line in head.lower().split("\r\n") if line.startswith("content-length")
        ]
        made.bodies.append(json.loads(await reader.readexactly(int(sizes[0]))))
        said = content(made.bodies[-1]) if callable(content) else content
        raw = said if isinstance(said, bytes) else json.dumps(said).encode()
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
