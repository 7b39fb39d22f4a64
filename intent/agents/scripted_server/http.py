"""As much of HTTP/1.1 as the scripted server needs: requests with a length, connections that stay open."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

__all__ = ["BadRequest", "Request", "read_request", "response"]

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
    """The next request on a connection; None where it has ended.

    Raises
    ------
    BadRequest
    """
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
