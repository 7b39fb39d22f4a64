"""An OpenAI-compatible HTTP server that answers by rule, with latency and faults; for tests and measurements.

Replies depend on nothing but the body of a request, so they are the same after a crash or a restart.
``python -m intent.agents.scripted_server`` serves until interrupted, and says where.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

from intent.agents.mock.client import LABELS, Utterance, constrained_labels, digest, fraction, rule_of
from intent.base.errors import IntentError, UnknownNameError, UsageError

__all__ = ["FAULTS", "Faults", "Request", "ScriptedServer", "response"]


MAX_BODY = 32 * 2**20
REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


class BadRequest(Exception):
    """What came is no request that this server reads."""


@dataclass(frozen=True)
class Request:
    """A request; names of headers are in lower case."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes

    @property
    def keep(self) -> bool:
        """Whether the connection stays open."""
        return self.headers.get("connection", "").lower() != "close"


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """The next request on a connection; None where it has ended."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    except asyncio.LimitOverrunError:
        raise BadRequest("headers are too long") from None
    first, *lines = head.decode("latin-1").split("\r\n")
    try:
        method, target, _ = first.split(" ")
        pairs = [line.split(":", 1) for line in lines if line]
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        length = int(headers.get("content-length", "0"))
    except ValueError:
        raise BadRequest("no HTTP/1.1 request") from None
    if "transfer-encoding" in headers or not 0 <= length <= MAX_BODY:
        raise BadRequest(f"expected a body with a length of at most {MAX_BODY} bytes")
    try:
        body = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    path, _, query = target.partition("?")
    return Request(method, path, query, headers, body)


def response(
    status: int,
    content: Any,
    *,
    kind: str = "application/json",
    headers: dict[str, str] | None = None,
) -> bytes:
    """The bytes of an answer; `content` is bytes, or what becomes JSON."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    lines = [
        f"HTTP/1.1 {status} {REASONS.get(status, 'Error')}",
        f"content-type: {kind}",
        f"content-length: {len(body)}",
        *(f"{name}: {value}" for name, value in (headers or {}).items()),
    ]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


FAULTS: Mapping[str, str] = MappingProxyType(
    {
        "429": "too many requests, without Retry-After",
        "429-after": "too many requests, with Retry-After in seconds",
        "500": "server error",
        "401": "key refused, in a message that repeats the key",
        "timeout": "no answer, ever",
        "cut": "the connection ends before an answer",
        "cut-body": "the connection ends within the answer",
        "malformed": "JSON that breaks off",
        "empty": "an empty body",
        "blank": "a chat completion without text",
        "huge": "a text of 1 MB instead of the label",
        "html": "a page instead of JSON, with status 200",
    }
)
"""Name to what happens."""


@dataclass(frozen=True)
class Faults:
    """Probabilities of faults.

    Parameters
    ----------
    rates : tuple of (name, probability)
        Of `FAULTS`; the rest of the probability is an answer.
    """

    rates: tuple[tuple[str, float], ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        for name, rate in self.rates:
            if name not in FAULTS:
                raise UnknownNameError("fault", name, FAULTS)
            if not (math.isfinite(rate) and rate >= 0):
                raise UsageError(f"fault {name}: expected a probability, got {rate}")
        if sum(rate for _, rate in self.rates) > 1 + 1e-9:
            raise UsageError("probabilities of faults sum to more than 1")

    @classmethod
    def of(cls, rates: Mapping[str, float] | Iterable[str], seed: int = 0) -> Faults:
        """From a mapping, or texts ``NAME=PROBABILITY`` (a name alone is certain)."""
        if isinstance(rates, Mapping):
            return cls(tuple(rates.items()), seed)
        pairs = []
        for text in rates:
            name, _, rate = text.partition("=")
            try:
                pairs.append((name, float(rate or 1)))
            except ValueError:
                raise UsageError(f"fault {text!r}: expected NAME=PROBABILITY") from None
        return cls(tuple(pairs), seed)

    def draw(self, body: bytes, time: int) -> str | None:
        """The fault of the `time`-th request (from 1) with a body of this digest; None answers it."""
        left = fraction("fault", self.seed, body, time)
        for name, rate in self.rates:
            if left < rate:
                return name
            left -= rate
        return None


@dataclass
class Stats:
    """Counters of a scripted server.

    Attributes
    ----------
    requests, answered : requests for a completion, and those answered in full without a fault
    bodies, answers : by the first 16 hexadecimal digits of the body's SHA-256: requests, and full answers
    """

    requests: int = 0
    answered: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    in_flight: int = 0
    max_in_flight: int = 0
    bodies: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)

    def begin(self, key: str) -> int:
        """Count a request; returns how often this body has come."""
        self.requests += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        self.bodies[key] += 1
        return self.bodies[key]

    def end(self, key: str, fault: str | None, *, answered: bool) -> None:
        """Count what became of it; `answered` is whether the whole answer was written."""
        self.in_flight -= 1
        if fault is not None:
            self.faults[fault] += 1
        elif answered:
            self.answered += 1
            self.answers[key] += 1

    def summary(self, *, by_body: bool = False) -> dict[str, Any]:
        """JSON object of ``/stats``; ``/stats?bodies=1`` adds the counts of each body."""
        counts: dict[str, Any] = {
            "requests": self.requests,
            "answered": self.answered,
            "faults": dict(self.faults),
            "in_flight": self.in_flight,
            "max_in_flight": self.max_in_flight,
            "distinct": len(self.bodies),
            "answered_again": sum(times - 1 for times in self.answers.values()),
        }
        if by_body:
            counts["bodies"] = {key: [times, self.answers[key]] for key, times in self.bodies.items()}
        return counts

    @staticmethod
    def log(file: TextIO, key: str, time: int, fault: str | None, body: dict[str, Any]) -> None:
        """Write one request as one line of JSON."""
        file.write(json.dumps({"key": key, "time": time, "fault": fault, "body": body}) + "\n")
        file.flush()


CREATED = 1_700_000_000
"""When all answers claim to be from, so that they are the same on every day."""


class ScriptedServer:
    """An OpenAI-compatible endpoint on this machine, as an async context manager.

    The model that a request names decides who answers: ``agreeable``, ``strategist``, ``first``, …
    (`intent.agents.mock.client.RULES`), any other name is ``uniform``. Calls of tools go out as OpenAI
    writes them.

    Parameters
    ----------
    latency : float, seconds before each answer
    jitter : float in [0, 1]
        Latencies are spread evenly over ``latency * (1 ± jitter)``, by hash.
    faults : mapping, texts or Faults
        Probability by name (`intent.agents.scripted_server.FAULTS`).
    retry_after : float, seconds in the header of the fault ``429-after``
    labels : what replies name where the request does not say (`intent.agents.mock.client.labels_in`)
    key : what requests must bear; others get 401
    port : int, 0 for any that is free
    log : gets one line of JSON per request

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
        whole = _completion(body, self._utterance(body) if text is None else Utterance(text))
        return response(200, json.dumps(whole).encode()[:-25] if fault == "malformed" else whole)

    def _utterance(self, body: dict[str, Any]) -> Utterance:
        """What the artificial model that the request names says."""
        utterance = rule_of(body.get("model"))(body, "", self.labels)
        if "response_format" in body and constrained_labels(body) and not utterance.tool_calls:
            return Utterance(json.dumps({"choice": utterance.text}, ensure_ascii=False))
        return utterance


def _completion(body: dict[str, Any], utterance: Utterance) -> dict[str, Any]:
    """A chat completion as OpenAI's endpoint writes it; words count as tokens."""
    prompt_words = sum(len(str(message.get("content", "")).split()) for message in body["messages"])
    words = len(utterance.text.split())
    message: dict[str, Any] = {"role": "assistant", "content": utterance.text}
    if utterance.tool_calls:
        message["content"] = utterance.text or None
        message["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"]},
            }
            for call in utterance.tool_calls
        ]
    return {
        "id": f"chatcmpl-{digest(body).hex()[:24]}",
        "object": "chat.completion",
        "created": CREATED,
        "model": f"{body.get('model', 'scripted')}-2026-01-01",
        "system_fingerprint": "fp_scripted",
        "choices": [{"index": 0, "finish_reason": utterance.finish_reason, "message": message}],
        "usage": {
            "prompt_tokens": prompt_words,
            "completion_tokens": words,
            "total_tokens": prompt_words + words,
        },
    }


def parser() -> argparse.ArgumentParser:
    """The options."""
    arguments = argparse.ArgumentParser(
        prog="python -m intent.agents.scripted_server",
        description="An OpenAI-compatible endpoint whose replies depend on nothing but the request.",
    )
    arguments.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    arguments.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    arguments.add_argument(
        "--jitter", type=float, default=0.0, help="spread of the latency, as a share of it"
    )
    arguments.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME=PROBABILITY",
        help="repeatable: " + "; ".join(f"{name} ({what})" for name, what in FAULTS.items()),
    )
    arguments.add_argument(
        "--retry-after", type=float, default=1.0, help="seconds in the header of 429-after"
    )
    arguments.add_argument(
        "--labels", default=",".join(LABELS), help="what replies name, with commas between"
    )
    arguments.add_argument("--key", help="what requests must bear; others get 401")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--log", metavar="FILE", help="gets one line of JSON per request")
    return arguments


async def _serve(options: argparse.Namespace) -> None:
    server = ScriptedServer(
        latency=options.latency,
        jitter=options.jitter,
        faults=options.fault,
        retry_after=options.retry_after,
        labels=options.labels.split(","),
        key=options.key,
        seed=options.seed,
        port=options.port,
        log=options.log,
    )
    async with server:
        task = asyncio.ensure_future(server.forever())
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError):
            for ending in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(ending, task.cancel)
        print(f"listening on {server.url}", flush=True)
        with contextlib.suppress(asyncio.CancelledError):
            await task


def main(arguments: list[str] | None = None) -> int:
    """Serve; returns the exit status."""
    try:
        asyncio.run(_serve(parser().parse_args(arguments)))
    except (IntentError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
