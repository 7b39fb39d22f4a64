"""The HTTP layer under the SDKs: what really leaves is checked and recorded, what comes back is bounded.

Retrying, waiting and counting are the caller's; the SDK's own retries are off. Keys are added here, to the
headers of the request on its way out, so that neither the SDK nor a client holds them.

=============================== ==================================================================
answer                          error
=============================== ==================================================================
408, 409, 425, 429, 5xx         RetryableError, with the seconds of ``Retry-After``
429 for a quota that is used up RefusedError: waiting does not help
400, 422 that name a setting    SettingError
anything else                   RefusedError
=============================== ==================================================================
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import TYPE_CHECKING, Any

from intent.agents.clients.registry import OWN_FIELDS, Secret
from intent.base.errors import EndpointError, RefusedError, RetryableError, SettingError, shorten
from intent.base.masking import mask, mask_values

if TYPE_CHECKING:
    import httpx2


__all__ = ["MAX_REPLY", "POOL", "Answer", "Wire", "failure", "retry_after"]


PASSING = frozenset({408, 409, 425, 429})
USED_UP = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})

_COMPLAINT = re.compile(
    r"unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|deprecated|"
    r"invalid|must be|out of range|not available|does not accept|incompatible|range",
    re.IGNORECASE,
)


def failure(
    who: str,
    status: int,
    text: str,
    headers: Mapping[str, str],
    *,
    sent: Collection[str],
    key_name: str,
    hide: Callable[[str], str],
) -> EndpointError:
    """The error for an answer with a status other than 200.

    Parameters
    ----------
    who : str, name of the client
    text : body of the answer
    headers : mapping, names in any case
    sent : settings in the body that was sent
    key_name : the environment variable that the key is read from
    hide : takes keys out of a text, since servers echo what they were sent
    """
    message, code, parameter = _error_parts(text)
    message = hide(message[:20_000])
    got = f"{who}: HTTP {status}" + (f": {shorten(message, 240)}" if message else "")
    if status == 429 and code in USED_UP:
        return RefusedError(got)
    if status in PASSING or status >= 500:
        return RetryableError(got, retry_after(headers, time.time()), status)
    if status in (400, 422):
        named = _setting(message, parameter, sent)
        if named is not None:
            return SettingError(f"{who} refuses the setting {named}: {shorten(message, 240)}")
    if status in (401, 403):
        return RefusedError(f"{got} (the key is read from {key_name})")
    if 300 <= status < 400:
        return RefusedError(f"{got}: it redirects; name the address it redirects to")
    return RefusedError(got)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait, from ``retry-after-ms`` or ``Retry-After`` (seconds or a date); never negative.

    A date counts from the endpoint's own ``Date`` where it tells it, so that clocks need not agree.
    """
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            seconds = float(lower[name]) * unit
        except (KeyError, ValueError):
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    until = _date(lower.get("retry-after"))
    if until is None:
        return None
    since = _date(lower.get("date"))
    return max(0.0, until - (now if since is None else since))


def _date(text: str | None) -> float | None:
    try:
        return None if text is None else parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError, IndexError, TypeError):
        return None


def _error_parts(text: str) -> tuple[str, str | None, str | None]:
    """Message, code and parameter of an error body; servers agree on little."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text, None, None
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return str(error), None, None
    message = error.get("message") or error.get("detail") or error
    message = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    code = error.get("code") or error.get("type")
    parameter = error.get("param")
    return (
        message,
        code if isinstance(code, str) else None,
        parameter if isinstance(parameter, str) else None,
    )


def _setting(message: str, parameter: str | None, sent: Collection[str]) -> str | None:
    """The setting that the endpoint complains about, if it is one that was sent."""
    if parameter:
        top = re.split(r"[.\[]", parameter)[0]
        return top if top in sent else None
    if not _COMPLAINT.search(message):
        return None
    named = [name for name in sent if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message)]
    return min(named, key=message.index) if named else None


POOL = 32
"""Requests in flight per pool: the time that a pool takes per request grows with its size (at 512 in flight
3.7 ms of CPU per call in one pool, 1.5 ms in pools of 32)."""

CONNECT = 15.0
"""Seconds to reach an endpoint."""

IDLE = 30.0
"""Seconds after which an unused connection is closed."""


@dataclass
class _Pool:
    sdk: Any
    busy: int = 0


class Pools:
    """Clients of an SDK, each with connections of its own, made as they are needed.

    Parameters
    ----------
    build : from an `httpx2.AsyncClient` to the SDK's client
    outgoing, incoming : async callables
        Are shown each request before it leaves, and each response before it is read.
    direct : whether the proxies of the environment are passed by, as for servers on this machine
    trusting : whether the certificates that this machine trusts are loaded, which takes 40 ms; without them
        no https server is reached
    """

    def __init__(
        self,
        build: Callable[[httpx2.AsyncClient], Any],
        *,
        outgoing: Callable[[httpx2.Request], Awaitable[None]],
        incoming: Callable[[httpx2.Response], Awaitable[None]],
        direct: bool,
        trusting: bool = True,
    ) -> None:
        self._build, self._direct, self.trusting = build, direct, trusting
        self._hooks: dict[str, list[Callable[..., Any]]] = {"request": [outgoing], "response": [incoming]}
        self._pools: list[_Pool] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tls: Any = None

    async def post(self, path: str, body: dict[str, Any], timeout: float) -> httpx2.Response:
        """One request; raises what the SDK raises."""
        import httpx2

        options = {"timeout": httpx2.Timeout(timeout, connect=min(timeout, CONNECT)), "max_retries": 0}
        pool = self._free()
        pool.busy += 1
        try:
            response: httpx2.Response = await pool.sdk.post(
                path, cast_to=httpx2.Response, body=body, options=options
            )
        finally:
            pool.busy -= 1
        return response

    async def close(self) -> None:
        """Close connections; those of an event loop that has ended are gone with it."""
        pools, self._pools = self._pools, []
        if self._loop is asyncio.get_running_loop():
            for pool in pools:
                await pool.sdk.close()

    def _free(self) -> _Pool:
        """A pool of this event loop with room for a request."""
        import httpx2

        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._pools, self._loop = [], loop
        for pool in self._pools:
            if pool.busy < POOL:
                return pool
        if self._tls is None:
            trusts = self.trusting
            self._tls = httpx2.create_ssl_context() if trusts else SSLContext(PROTOCOL_TLS_CLIENT)
        http = httpx2.AsyncClient(
            verify=self._tls,
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=POOL, keepalive_expiry=IDLE),
            follow_redirects=False,
            trust_env=not self._direct,
            event_hooks=self._hooks,
        )
        self._pools.append(_Pool(self._build(http)))
        return self._pools[-1]


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
    headers : mapping, lower-case names
    sent : the body that left
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
    who : name of the client, for messages
    build : from an `httpx2.AsyncClient` to the SDK's client
    header : name of the header with the key: ``authorization``, as a bearer's, or another
    key_name : the environment variable that the key is read from
    plain : whether only `PLAIN_HEADERS` and the key are sent
    direct : whether proxies of the environment are passed by
    trusting : whether the certificates that this machine trusts are loaded, as https needs
    """

    def __init__(
        self,
        who: str,
        build: Callable[[httpx2.AsyncClient], Any],
        *,
        header: str,
        key: str | None,
        key_name: str,
        plain: bool,
        direct: bool = False,
        trusting: bool = True,
    ) -> None:
        self._who, self._key_name, self._plain = who, key_name, plain
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
            key_name=self._key_name,
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
