"""The HTTP layer under the SDKs: what really leaves is checked and recorded, what comes back is bounded.

Retrying, waiting and counting are the caller's; the SDK's own retries are off. Keys are added here, to
the headers of the request on its way out, so that neither the SDK nor a client holds them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from intent.agents.clients.failures import failure
from intent.agents.clients.fields import OWN_FIELDS
from intent.agents.clients.keys import Secret
from intent.agents.clients.pools import Pools
from intent.errors import EndpointError, RefusedError, RetryableError, SettingError, shorten
from intent.masking import mask, mask_values

if TYPE_CHECKING:
    import httpx2

__all__ = ["MAX_REPLY", "Answer", "Wire"]

MAX_REPLY = 8 * 2**20
"""Bytes of an answer; more is not read."""

PLAIN_HEADERS = frozenset(
    {"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent"}
)
"""What is sent to endpoints other than the SDK's own. The SDK adds organisation, project and custom headers
from the environment, which are nobody else's business."""


@dataclass(frozen=True)
class Answer:
    """A JSON answer.

    Parameters
    ----------
    data : dict
    headers : mapping, lower-case names
    sent : dict
        The body that left.
    """

    data: dict[str, Any]
    headers: Mapping[str, str]
    sent: dict[str, Any]


@dataclass
class _Sending:
    body: dict[str, Any]
    sent: dict[str, Any] = field(default_factory=dict)


_SENDING: ContextVar[_Sending] = ContextVar("sending")


class Wire:
    """Posts JSON bodies.

    Parameters
    ----------
    who : str
        Name of the client, for messages.
    build : callable
        From an `httpx2.AsyncClient` to the SDK's client.
    header : str
        Name of the header with the key: ``authorization``, as a bearer's, or another.
    key : str, optional
    wanted : str
        The environment variable that the key is read from.
    plain : bool
        Whether only `PLAIN_HEADERS` and the key are sent.
    direct : bool
        Whether proxies of the environment are passed by.
    trusting : bool
        Whether the certificates that this machine trusts are loaded, as https needs.
    """

    def __init__(
        self,
        who: str,
        build: Callable[[httpx2.AsyncClient], Any],
        *,
        header: str,
        key: str | None,
        wanted: str,
        plain: bool,
        direct: bool = False,
        trusting: bool = True,
    ) -> None:
        self._who, self._wanted, self._plain = who, wanted, plain
        self._header, self._secret = header, Secret(key)
        self._pools = Pools(
            build, outgoing=self._outgoing, incoming=self._incoming, direct=direct, trusting=trusting
        )

    async def post(self, path: str, body: dict[str, Any], timeout: float) -> Answer:
        """One request, not retried; `timeout` in seconds is for all of it.

        Raises
        ------
        RetryableError, RefusedError, SettingError
        """
        sending = _Sending(body)
        token = _SENDING.set(sending)
        problem: EndpointError
        try:
            async with asyncio.timeout(timeout):
                answer = await self._pools.post(path, body, timeout)
            return Answer(self._read(answer, sending.sent), dict(answer.headers), sending.sent)
        except EndpointError as error:
            problem = error
        except TimeoutError:
            problem = RetryableError(f"{self._who}: no answer within {timeout:g} s")
        except Exception as error:  # noqa: BLE001 - whatever the SDK raises may hold the key
            problem = self._problem(error, sending)
        finally:
            _SENDING.reset(token)
        # The one door for errors: whatever part of an answer they quote, headers too, a key may be in it.
        problem.args = (mask(str(problem), [self._secret.reveal()]), *problem.args[1:])
        # Raised outside the handler: the SDK's error holds the request with its key.
        raise problem.with_traceback(None)

    async def close(self) -> None:
        """Release connections."""
        await self._pools.close()

    async def _outgoing(self, request: httpx2.Request) -> None:
        """Compare, record, and add the key; raising here sends nothing."""
        sending = _SENDING.get()
        sending.sent = json.loads(request.content)
        wrong = {*sending.body, *sending.sent}
        wrong = {
            name for name in wrong if sending.body.get(name, _SENDING) != sending.sent.get(name, _SENDING)
        }
        if wrong:
            raise SettingError(f"{self._who}: would not be sent as set: {', '.join(sorted(wrong))}")
        request.headers["accept-encoding"] = "identity"
        if self._plain:
            for name in [name for name in request.headers if name.lower() not in PLAIN_HEADERS]:
                del request.headers[name]
        for name in ("authorization", "x-api-key"):
            request.headers.pop(name, None)
        key = self._secret.reveal()
        if key is not None:
            request.headers[self._header] = f"Bearer {key}" if self._header == "authorization" else key

    async def _incoming(self, response: httpx2.Response) -> None:
        """Bound what is read; a compressed answer could be any size."""
        coding = response.headers.get("content-encoding", "identity")
        if coding.lower() != "identity":
            raise RefusedError(f"{self._who}: the answer is compressed ({shorten(coding, 20)}) unasked")
        response.stream = _bounded(response.stream, self._who)

    def _read(self, answer: httpx2.Response, sent: dict[str, Any]) -> dict[str, Any]:
        """The JSON object of an answer with status 200."""
        raw = answer.content
        try:
            data = mask_values(json.loads(raw), [self._secret.reveal()])
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            kind = answer.headers.get("content-type", "no type")
            raise RetryableError(
                f"{self._who}: expected a JSON object, got {len(raw)} bytes of {shorten(kind, 40)}"
            )
        error = data.get("error")
        if isinstance(error, dict) and not ("choices" in data or "content" in data):
            code = error.get("code")
            status = code if isinstance(code, int) and 400 <= code < 600 else 502
            raise self._failure(status, json.dumps(data), answer.headers, sent)
        return data

    def _problem(self, error: Exception, sending: _Sending) -> EndpointError:
        """Our error for one of the SDK or of the HTTP library; both SDKs name theirs alike."""
        response = getattr(error, "response", None)
        status = getattr(error, "status_code", None)
        if response is not None and isinstance(status, int):
            return self._failure(status, _text(response), response.headers, sending.sent)
        cause = error.__cause__ or error
        if "CERTIFICATE_VERIFY_FAILED" in str(cause):
            return RefusedError(f"{self._who}: the certificate of the endpoint is not trusted")
        names = {kind.__name__ for kind in type(error).__mro__} | {
            kind.__name__ for kind in type(cause).__mro__
        }
        if {"TimeoutException", "APITimeoutError"} & names:
            return RetryableError(f"{self._who}: timed out ({type(cause).__name__})")
        if {"APIConnectionError", "RequestError", "OSError"} & names:
            detail = shorten(self._secret.hidden_in(str(cause)), 120)
            return RetryableError(f"{self._who}: {type(cause).__name__}" + (f": {detail}" if detail else ""))
        detail = shorten(self._secret.hidden_in(str(error)), 240)
        return RefusedError(f"{self._who}: {type(error).__name__}: {detail}")

    def _failure(
        self, status: int, text: str, headers: Mapping[str, str], sent: Mapping[str, Any]
    ) -> EndpointError:
        settings = [name for name in sent if name not in OWN_FIELDS]
        return failure(
            self._who,
            status,
            text,
            headers,
            sent=settings,
            wanted=self._wanted,
            hide=self._secret.hidden_in,
        )


def _text(response: Any) -> str:
    try:
        return str(response.content.decode(errors="replace"))
    except Exception:  # noqa: BLE001 - a body that was not read; its status says enough
        return ""


def _bounded(stream: Any, who: str) -> Any:
    """A stream of bytes that stops with an error past `MAX_REPLY`."""
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            total = 0
            async for part in stream:
                total += len(part)
                if total > MAX_REPLY:
                    raise RetryableError(f"{who}: the answer is larger than {MAX_REPLY // 2**20} MiB")
                yield part

        async def aclose(self) -> None:
            await stream.aclose()

    return Bounded()
