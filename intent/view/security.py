"""What the server refuses, and what it tells the browser to refuse: the games are nobody else's business.

A page of some website may send requests to a server on this machine: by a name of its own that it lets
point here (DNS rebinding), by links, images and forms. So the server answers to its own names only, to
requests that read, and to pages of its own or to a person who follows a link; where it has an entrance, to
nobody who has not come in by it. The browser in turn is told to run and load nothing but the files of the
package, so text that got past the escaping would still be dead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote

from intent.errors import UsageError

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from intent.view.entrance import Entrance

__all__ = ["HEADERS", "LOOPBACK", "Guard", "own_names", "refusal"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Names of this machine that only this machine answers to."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), clipboard-read=()",
}
"""On every answer, refusals included."""


def own_names(port: int, host: str = "127.0.0.1") -> frozenset[str]:
    """Values of ``Host`` that mean this server.

    Raises
    ------
    UsageError
        The host is not the machine itself.
    """
    if host not in LOOPBACK:
        raise UsageError(
            f"host {host!r}, expected one of {', '.join(LOOPBACK)}: the page is for this machine"
        )
    names = {f"[{name}]" if ":" in name else name for name in LOOPBACK}
    return frozenset(f"{name}:{port}" for name in names) | (frozenset(names) if port == 80 else frozenset())


def refusal(
    method: str, headers: Iterable[tuple[bytes, bytes]], names: frozenset[str]
) -> tuple[int, str] | None:
    """Why a request gets no answer: status and sentence, or None.

    Parameters
    ----------
    method : str
    headers : (name, value) of bytes, names in lower case
    names : frozenset of str
        What the server is called, as of `own_names`.
    """
    found: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        found.setdefault(name, []).append(value)
    hosts = [host.decode("latin-1").lower() for host in found.get(b"host", [])]
    if len(hosts) != 1 or hosts[0] not in names:
        return 421, "This server answers to its address on this machine only."
    if method not in ("GET", "HEAD"):
        return 405, "This server only reads: GET and HEAD."
    origins = [origin.decode("latin-1").lower() for origin in found.get(b"origin", [])]
    if any(origin.removeprefix("http://") not in names for origin in origins):
        return 403, "Pages from elsewhere may not read here."
    site, mode = (b"".join(found.get(key, [])) for key in (b"sec-fetch-site", b"sec-fetch-mode"))
    if site not in (b"", b"same-origin", b"none") and mode != b"navigate":
        return 403, "Pages from elsewhere may not load anything from here."
    return None


class Guard:
    """Middleware: refuses as `refusal` says, and adds `HEADERS` to every answer.

    Parameters
    ----------
    app : ASGI application
    names : frozenset of str
        What the server is called, as of `own_names`.
    entrance : Entrance, optional
        By default everybody on this machine may read.
    """

    def __init__(self, app: ASGIApp, names: frozenset[str], entrance: Entrance | None = None) -> None:
        self.app, self.names, self.entrance = app, names, entrance

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse; anything but HTTP (a socket) is closed."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *added]
            await send(message)

        refused = refusal(scope["method"], scope["headers"], self.names)
        if refused is None:
            answer = None if self.entrance is None else _at_the_door(self.entrance, scope)
            await (answer or self.app)(scope, receive, guarded)
            return
        from starlette.responses import PlainTextResponse

        status, why = refused
        allow = {"allow": "GET, HEAD"} if status == 405 else None
        await PlainTextResponse(f"{why}\n", status, allow)(scope, receive, guarded)


def _at_the_door(entrance: Entrance, scope: Scope) -> Response | None:
    """The answer to who brings a token (a cookie for it) or nothing that lets them in; None to who is in.

    The files of the package are no secret.
    """
    from starlette.responses import HTMLResponse, RedirectResponse

    from intent.view.pages import page

    path = "/" + scope["path"].lstrip("/\\")
    opened = entrance.opened_by(scope["query_string"])
    if opened is not None:
        cookie, query = opened
        headers = {"cache-control": "no-store", "set-cookie": cookie}
        return RedirectResponse(quote(path) + (f"?{query}" if query else ""), 303, headers)
    cookies = (value for name, value in scope["headers"] if name == b"cookie")
    if path.startswith("/static/") or entrance.admits(cookies):
        return None
    here = quote(path) + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
    return HTMLResponse(page("door.html", here=here), 403, {"cache-control": "no-store"})
