"""The server: one task per connection, one answer per request."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from intent.agents.clients.pick import LABELS, constrained_labels, digest, fraction
from intent.agents.clients.said import Said
from intent.agents.clients.scripted import rule_of
from intent.agents.scripted_server.faults import Faults
from intent.agents.scripted_server.http import BadRequest, Request, read_request, response
from intent.agents.scripted_server.stats import Stats

__all__ = ["ScriptedServer"]

CREATED = 1_700_000_000
"""When all answers claim to be from, so that they are the same on every day."""


class ScriptedServer:
    """An OpenAI-compatible endpoint on this machine, as an async context manager.

    The model that a request names decides who answers: ``agreeable``, ``strategist``, ``first``, …
    (`intent.agents.clients.scripted.RULES`), any other name is ``uniform``. Calls of tools go out as OpenAI
    writes them.

    Parameters
    ----------
    latency : float, seconds before each answer
    jitter : float in [0, 1]
        Latencies are spread evenly over ``latency * (1 ± jitter)``, by hash.
    faults : mapping, texts or Faults
        Probability by name (`intent.agents.scripted_server.faults.FAULTS`).
    retry_after : float, seconds in the header of the fault ``429-after``
    labels : sequence of str
        What replies name where the request does not say (`intent.agents.clients.pick.labels_in`).
    key : str, optional
        What requests must bear; others get 401.
    seed : int
    port : int, 0 for any that is free
    log : path, optional
        Gets one line of JSON per request.

    Attributes
    ----------
    url : str
        As in ``openai/NAME@URL``.
    stats : Stats
        Also at ``/stats``.

    Examples
    --------
    >>> async with ScriptedServer(latency=0.01, faults={"500": 0.1}) as server:  # doctest: +SKIP
    ...     client = make_client(f"openai/any@{server.url}")
    """

    def __init__(
        self,
        *,
        latency: float = 0.0,
        jitter: float = 0.0,
        faults: Mapping[str, float] | Iterable[str] | Faults = (),
        retry_after: float = 1.0,
        labels: Sequence[str] = LABELS,
        key: str | None = None,
        seed: int = 0,
        port: int = 0,
        log: str | Path | None = None,
    ) -> None:
        self.latency, self.jitter, self.retry_after = latency, jitter, retry_after
        self.faults = faults if isinstance(faults, Faults) else Faults.of(faults, seed)
        self.labels, self.key, self.seed, self.port = tuple(labels), key, seed, port
        self.stats = Stats()
        self._log_path = log
        self._log: TextIO | None = None
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The address, once it listens."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> ScriptedServer:
        if self._log_path is not None:
            self._log = Path(self._log_path).open("a", encoding="utf-8")  # noqa: SIM115 - closed in __aexit__
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", self.port, limit=2**16, backlog=1024
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        tasks = list(self._open)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._server.wait_closed()
        if self._log is not None:
            self._log.close()

    async def forever(self) -> None:
        """Serve until cancelled."""
        assert self._server is not None
        await self._server.serve_forever()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            while (request := await read_request(reader)) is not None:
                if not await self._answer(request, reader, writer) or not request.keep:
                    break
        except BadRequest as error:
            writer.write(response(400, {"error": {"message": str(error)}}))
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _answer(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer a request; whether the connection can go on."""
        if request.method == "POST" and request.path.endswith("/chat/completions"):
            return await self._complete(request, reader, writer)
        if request.path == "/stats":
            writer.write(response(200, self.stats.summary(by_body="bodies=1" in request.query)))
        elif request.path.endswith("/models"):
            writer.write(response(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]}))
        else:
            writer.write(response(404, {"error": {"message": f"no such path: {request.path}"}}))
        await writer.drain()
        return True

    async def _complete(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        try:
            body = json.loads(request.body)
            if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
                raise ValueError
        except (ValueError, RecursionError):
            writer.write(response(400, {"error": {"message": "expected a JSON object with messages"}}))
            return True
        known = digest(body)
        key = known.hex()[:16]
        time = self.stats.begin(key)
        fault = self.faults.draw(known, time)
        if self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            fault = "401"
        if self._log is not None:
            Stats.log(self._log, key, time, fault, body)
        answered = False
        try:
            if fault == "timeout":
                await reader.read(1)
                return False
            if self.latency:
                spread = 2 * fraction("latency", self.seed, known, time) - 1
                await asyncio.sleep(self.latency * (1 + self.jitter * spread))
            if fault == "cut" or reader.at_eof():
                return False
            sent = self._faulty(fault, request, body)
            writer.write(sent[: len(sent) - 40] if fault == "cut-body" else sent)
            await writer.drain()
            answered = True
        finally:
            self.stats.end(key, fault, answered=answered)
        return fault != "cut-body"

    def _faulty(self, fault: str | None, request: Request, body: dict[str, Any]) -> bytes:
        """The bytes that answer a request."""
        if fault in ("429", "429-after"):
            wait = {"retry-after": f"{self.retry_after:g}"} if fault == "429-after" else None
            return response(
                429, {"error": {"message": "too many requests", "code": "rate_limit"}}, headers=wait
            )
        if fault == "500":
            return response(500, {"error": {"message": "the server had an error"}})
        if fault == "401":
            borne = request.headers.get("authorization", "none")
            return response(401, {"error": {"message": f"incorrect API key provided: {borne}"}})
        if fault == "empty":
            return response(200, b"")
        if fault == "html":
            return response(200, b"<html><body>maintenance</body></html>", kind="text/html")
        text = {"blank": "", "huge": "word " * 200_000}.get(fault or "")
        whole = _completion(body, self._said(body) if text is None else Said(text))
        return response(200, json.dumps(whole).encode()[:-25] if fault == "malformed" else whole)

    def _said(self, body: dict[str, Any]) -> Said:
        """What the artificial model that the request names says."""
        said = rule_of(body.get("model"))(body, "", self.labels)
        if "response_format" in body and constrained_labels(body) and not said.tool_calls:
            return Said(json.dumps({"choice": said.text}, ensure_ascii=False))
        return said


def _completion(body: dict[str, Any], said: Said) -> dict[str, Any]:
    """A chat completion as OpenAI's endpoint writes it; words count as tokens."""
    asked = sum(len(str(message.get("content", "")).split()) for message in body["messages"])
    words = len(said.text.split())
    message: dict[str, Any] = {"role": "assistant", "content": said.text}
    if said.tool_calls:
        message["content"] = said.text or None
        message["tool_calls"] = [
            {
                "id": made["id"],
                "type": "function",
                "function": {"name": made["name"], "arguments": made["arguments"]},
            }
            for made in said.tool_calls
        ]
    return {
        "id": f"chatcmpl-{digest(body).hex()[:24]}",
        "object": "chat.completion",
        "created": CREATED,
        "model": f"{body.get('model', 'scripted')}-2026-01-01",
        "system_fingerprint": "fp_scripted",
        "choices": [{"index": 0, "finish_reason": said.finish_reason, "message": message}],
        "usage": {"prompt_tokens": asked, "completion_tokens": words, "total_tokens": asked + words},
    }
