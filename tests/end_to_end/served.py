"""Servers in threads of their own, for runs that are played by calls which do not return before they end."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from intent.agents.scripted_server import ScriptedServer


@contextmanager
def scripted(**options: Any) -> Iterator[ScriptedServer]:
    """A scripted server while the block lasts."""
    ready = threading.Event()
    found: dict[str, Any] = {}

    async def serve() -> None:
        stop = asyncio.Event()
        async with ScriptedServer(**options) as server:
            found.update(server=server, stop=stop, loop=asyncio.get_running_loop())
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(30)
        yield found["server"]
    finally:
        found["loop"].call_soon_threadsafe(found["stop"].set)
        thread.join(30)


@contextmanager
def answering(answer: Callable[[dict[str, Any], str], tuple[int, bytes]]) -> Iterator[str]:
    """The address of a server whose answers `answer` makes, status and content, of a body and its key."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, content = answer(body, self.headers.get("Authorization", "none").removeprefix("Bearer "))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(30)


def completion(text: str, **more: Any) -> dict[str, Any]:
    """A chat completion that says `text`."""
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_750_000_000,
        "model": "any",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6},
        **more,
    }
