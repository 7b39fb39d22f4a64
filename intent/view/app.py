"""The web application: the addresses that read a library of games, or a list of several.

The templates and the files of the page; all text that is not ours is escaped, and shown as what it is.

What the server refuses, and what it tells the browser to refuse: the games are nobody else's business.

A page of some website may send requests to a server on this machine: by a name of its own that it lets
point here (DNS rebinding), by links, images and forms. So the server answers to its own names only, to
requests that read, and to pages of its own or to a person who follows a link; where it has an entrance, to
nobody who has not come in by it. The browser in turn is told to run and load nothing but the files of the
package, so text that got past the escaping would still be dead.

Who may read the page: whoever was told its token, not everybody who can reach the port.

All users of a machine can reach its loopback address. So the address that the command prints carries a token,
as that of a Jupyter server does; the browser hands it in once and gets a cookie for it, which no script can
read and no page of another site can use.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from functools import cache
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote

from intent.base import codebook
from intent.base.errors import IntentError, UnknownNameError, UsageError
from intent.figures.style import colour
from intent.report.page import template_environment, visible
from intent.runner.run import cost_text
from intent.view.charts_page import charts_values
from intent.view.game_page import ROUNDS_SHOWN, game_values, rounds_in_words
from intent.view.groups import Contrast, Estimates, contrast
from intent.view.jobs import Jobs
from intent.view.judging import number
from intent.view.list_page import GAME_ID, HEAD, head_rows, list_values, repeats_values
from intent.view.places import Places
from intent.view.query import (
    ColumnFacts,
    PageState,
    Query,
    beside_address,
    game_address,
    packed,
    pairs_of,
    read_state,
)
from intent.view.search_page import GAMES_SHOWN, HITS_SHOWN, search_values
from intent.view.texts import KINDS
from intent.view.workbench import Account, Workbench, account_of, start_values

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from intent.view.library import Library


__all__ = [
    "FILES",
    "HEADERS",
    "LOOPBACK",
    "TOKEN",
    "Entrance",
    "Guard",
    "asset",
    "make_app",
    "own_names",
    "page",
    "refusal",
]


FILES = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "site.js": "text/javascript; charset=utf-8",
    "htmx-4.0.1.min.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""All that can be loaded beside pages: name -> media type. No path leads anywhere else."""


def page(template: str, **values: Any) -> str:
    """A template of ``view/templates`` with its values."""
    return str(_environment().get_template(template).render(**values))


@cache
def asset(name: str) -> tuple[bytes, str]:
    """A file of the page, and its media type.

    Raises
    ------
    KeyError
        No such file.
    """
    kind = FILES[name]
    return files("intent.view").joinpath("static", name).read_bytes(), kind


@cache
def _environment() -> Environment:
    environment = template_environment(_template)
    environment.filters |= {
        "number": number,
        "cost": cost_text,
        "rounds": rounds_in_words,
        "colour": colour,
        "packed": packed,
    }
    environment.globals |= {"file": _file_address, "at": Places()}
    return environment


def _template(name: str) -> str:
    return files("intent.view").joinpath("templates", name).read_text("utf8")


@cache
def _file_address(name: str) -> str:
    """With a hash, so that a browser never shows an older version."""
    return f"/static/{name}?v={hashlib.sha256(asset(name)[0]).hexdigest()[:12]}"


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
    fields: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        fields.setdefault(name, []).append(value)
    hosts = [host.decode("latin-1").lower() for host in fields.get(b"host", [])]
    if len(hosts) != 1 or hosts[0] not in names:
        return 421, "This server answers to its address on this machine only."
    if method not in ("GET", "HEAD"):
        return 405, "This server only reads: GET and HEAD."
    origins = [origin.decode("latin-1").lower() for origin in fields.get(b"origin", [])]
    if any(origin.removeprefix("http://") not in names for origin in origins):
        return 403, "Pages from elsewhere may not read here."
    site, mode = (b"".join(fields.get(key, [])) for key in (b"sec-fetch-site", b"sec-fetch-mode"))
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


_LASTING = {"cache-control": "max-age=3600"}
_FRESH = {"cache-control": "no-store"}

LONGEST_ESTIMATE = 600
"""Seconds after which the page gives up saying how much strategies explain."""

_MOST_PARTS = 64
_WAIT = 0.4
"""Seconds that a page waits for what is computed behind the scenes, before it says so and asks again."""

_REMEMBERED = 8
"""Queries of which the values are counted that are remembered, for paging."""


def make_app(
    library: Library | Workbench, port: int, host: str = "127.0.0.1", entrance: Entrance | None = None
) -> ASGIApp:
    """The application for a library, or several, that is served at a port of this machine.

    Parameters
    ----------
    library : Library or Workbench
        Of several, a list of them stands at ``/``, and the pages of each at ``/at/KEY/``.
    port : int
    host : {"127.0.0.1", "localhost", "::1"}
    entrance : Entrance, optional
        By default everybody on this machine may read.

    Raises
    ------
    UsageError
        The host is not the machine itself.
    """
    from starlette.applications import Starlette
    from starlette.routing import Route

    names = own_names(port, host)
    handlers: Any = {IntentError: _refused, 404: _lost, Exception: _broken}
    if isinstance(library, Workbench):
        desk = _Desk(library)
        routes = [Route("/", desk.start), *(Route(f"{_SOURCE}/{name}", desk.page(name)) for name in _PAGES)]
        routes += [Route(_SOURCE, desk.to_list)]
    else:
        shows = _Pages(library)
        routes = [Route(f"/{name}", getattr(shows, method)) for name, method in _PAGES.items()]
    app = Starlette(routes=[*routes, Route("/static/{name}", _static)], exception_handlers=handlers)
    app.router.redirect_slashes = False
    return Guard(app, names, entrance)


_PAGES = {
    "": "games",
    "beside": "beside",
    "charts": "charts",
    "game": "game",
    "header": "header",
    "pulse": "pulse",
    "repeats": "repeats",
    "search": "search",
    "text": "text",
}
"""Address of each page of a source, behind its root -> method of `_Pages`."""

_SOURCE = "/at/{source}"


class _Desk:
    """The list of several sources, and the pages of each."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._shows: dict[str, _Pages] = {}

    def start(self, request: Request) -> Response:
        return _html("start.html", **start_values(self._bench, self._bench.accounts()))

    def to_list(self, request: Request) -> Response:
        from starlette.responses import RedirectResponse

        return RedirectResponse(f"/at/{quote(request.path_params['source'])}/", 303, _FRESH)

    def page(self, name: str) -> Callable[[Request], Response]:
        def shown(request: Request) -> Response:
            answer: Response = getattr(self._pages(request.path_params["source"]), _PAGES[name])(request)
            return answer

        return shown

    def _pages(self, key: str) -> _Pages:
        library = self._bench.library(key)
        shows = self._shows.get(key)
        if shows is None or shows.library is not library:
            shows = _Pages(library, f"/at/{key}", self._bench.entry(key).name)
            self._shows[key] = shows
        return shows


class _Pages:
    """What the addresses answer. Starlette calls these in threads, so a slow answer delays no other."""

    def __init__(self, library: Library, root: str = "", name: str = "") -> None:
        self.library, self._root, self._name = library, root, name
        self._places = Places(root)
        self._jobs = Jobs()
        self._parts: dict[Hashable, tuple[int, int]] = {}
        self._counted: tuple[str, list[ColumnFacts]] = ("", [])
        self._left: dict[tuple[Any, ...], dict[str, dict[str, int]]] = {}

    def columns(self) -> list[ColumnFacts]:
        """Those of the library, counted once per version."""
        version, (known, columns) = self.library.version(), self._counted
        if not columns or version != known:
            columns = self.library.columns()
            self._counted = version, columns
        return columns

    def counts(self, version: str, query: Query) -> dict[str, dict[str, int]] | None:
        """Values among the games of a query, counted once per version; None where it asks for nothing."""
        if not query.filters and query.jump is None:
            return None
        key = version, query.filters, query.jump
        left = self._left.get(key)
        if left is None:
            left = self.library.counts(query)
            self._left = {**dict([*self._left.items()][-_REMEMBERED:]), key: left}
        return left

    def games(self, request: Request) -> Response:
        from starlette.responses import RedirectResponse

        state = self._state(pairs_of(request.scope["query_string"]))
        if not state.plain:
            return RedirectResponse(state.address(), 303, _FRESH)
        version = self.library.version()
        page = self.library.page(state.query)
        counts = self.counts(version, state.query)
        values = list_values(self.library.facts(), self.columns(), page, state, counts)
        return _html("list.html", **values, **self._header(), version=version)

    def game(self, request: Request) -> Response:
        pairs = pairs_of(request.scope["query_string"])
        game_id = _one(pairs, "id")
        first = _round(pairs, "first") or 1
        unfolded = 0 if _one(pairs, "round", "") == "all" else _round(pairs, "round")
        if unfolded and not first <= unfolded < first + ROUNDS_SHOWN:
            first = 1 + (unfolded - 1) // ROUNDS_SHOWN * ROUNDS_SHOWN
        version = self.library.version()
        state = self._state(pairs)
        detail = self.library.game(game_id, first=first, most=ROUNDS_SHOWN)
        around = self.library.neighbours(game_id, state.query)
        alone = game_address(game_id, PageState(Query(), root=self._root))
        link = f"http://{request.headers['host']}{alone}"
        values = game_values(self.library.facts(), detail, state, around, link, unfolded, at=self._places)
        return _html("game.html", **values, version=version)

    def text(self, request: Request) -> Response:
        from starlette.responses import PlainTextResponse

        pairs = pairs_of(request.scope["query_string"])
        whole = self.library.text(_one(pairs, "id"), _one(pairs, "key"))
        return PlainTextResponse(_encoded(visible(whole)), headers=_FRESH)

    def pulse(self, request: Request) -> Response:
        from starlette.responses import Response

        known = _one(pairs_of(request.scope["query_string"]), "version", "")
        version, facts = self.library.version(), self.library.facts()
        if version == known:
            return Response(status_code=204, headers=_FRESH)
        answer = _html("pulse.html", facts=facts, version=version)
        answer.headers["hx-trigger"] = "news"
        return answer

    def _state(self, pairs: list[tuple[str, str]]) -> PageState:
        """Columns of labels may be asked for before the first label is made."""
        names = {column.name for column in self.columns()}
        known = [GAME_ID.name, *names, *(column.name for column in codebook.LABELS)]
        return read_state(pairs, known, self._root)

    def search(self, request: Request) -> Response:
        from starlette.responses import RedirectResponse

        pairs = pairs_of(request.scope["query_string"])
        state = self._state(pairs)
        words = _one(pairs, "q", "").strip()
        kinds = [value for name, value in pairs if name == "in" and value in KINDS]
        if not state.plain:
            ask = [("q", words), *(("in", kind) for kind in kinds)]
            return RedirectResponse(state.at("search", *ask), 303, _FRESH)
        first = _whole(pairs, "from", 0)
        outcome, names, n_games = self.library.search(words, state.query, kinds) if words else (None, [], 0)
        shown = names[first : first + GAMES_SHOWN]
        matches = [(name, *self.library.hits(outcome, name, HITS_SHOWN)) for name in shown] if outcome else []
        facts, texts, version = self.library.facts(), self.library.texts(), self.library.version()
        values = search_values(
            facts, state, words, kinds, outcome, matches, first=first, n_games=n_games, texts=texts
        )
        return _html("search.html", **values, version=version)

    def charts(self, request: Request) -> Response:
        from starlette.responses import RedirectResponse

        pairs = pairs_of(request.scope["query_string"])
        state = self._state(pairs)
        if not state.plain:
            return RedirectResponse(state.at("charts"), 303, _FRESH)
        return self._charts((state,), _one(pairs, "ask", ""))

    def beside(self, request: Request) -> Response:
        from starlette.responses import RedirectResponse

        pairs = pairs_of(request.scope["query_string"])
        states, typed = [], False
        for name in ("a", "b"):
            own = pairs_of(_one(pairs, name, "").encode())
            added = [("add", value) for key, value in pairs if key == f"add-{name}" and value.strip()]
            typed = typed or any(key == f"add-{name}" for key, _ in pairs)
            states.append(replace(self._state([*own, *added]), plain=True))
        if typed:
            return RedirectResponse(beside_address(states[0], states[1]), 303, _FRESH)
        return self._charts(tuple(states), _one(pairs, "ask", ""))

    def _charts(self, states: tuple[PageState, ...], ask: str) -> Response:
        """What one filter holds, or two; counted behind the scenes, estimated where that is asked for."""
        ask = ask if ask in ("shares", "explained") else ""
        library, version = self.library, self.library.version()
        queries = tuple((state.query.filters, state.query.jump) for state in states)

        def counted() -> Contrast:
            return contrast([library.side(state.query) for state in states])

        key = ("estimates", ask, version, queries)

        def estimated() -> Estimates:
            sides = [library.side(state.query) for state in states]
            return library.estimates(sides, explained=ask == "explained", update=self._bounded(key))

        held = self._jobs.value(("charts", version, queries), counted, _WAIT, ("charts", queries))
        estimates = None
        if ask:
            estimates = self._jobs.value(key, estimated, _WAIT)
        heads = []
        if len(states) == 2:
            heads = [head_rows(library.page(replace(s.query, limit=HEAD)), s) for s in states]
        facts, columns = library.facts(), self.columns()
        parts = self._parts.get(key) if estimates is None else None
        values = charts_values(facts, columns, states, held, estimates, ask=ask, heads=heads, parts=parts)
        return _html("charts.html", **values, version=version)

    def _bounded(self, key: Hashable) -> Callable[[int, int], None]:
        """What takes down how far an estimate is, and ends one that takes too long."""
        began = time.monotonic()

        def update(done: int, total: int) -> None:
            self._parts[key] = (done, total)
            while len(self._parts) > _MOST_PARTS:
                del self._parts[next(iter(self._parts))]
            if done < total and time.monotonic() - began > LONGEST_ESTIMATE:
                raise UsageError(
                    f"it was not done after {LONGEST_ESTIMATE // 60} minutes ({done} of {total} parts); a "
                    "filter with fewer games takes less, and intent compare --explained as long as it needs"
                )

        return update

    def repeats(self, request: Request) -> Response:
        pairs = pairs_of(request.scope["query_string"])
        game_id, state = _one(pairs, "id"), self._state(pairs)
        values = repeats_values(self.library.facts(), state, *self.library.repeats(game_id), game_id)
        return _html("repeats.html", **values, version=self.library.version())

    def header(self, request: Request) -> Response:
        """What a run did so far, by itself."""
        return _html("header.html", **self._header(1.0))

    def _header(self, wait: float = 0.0) -> dict[str, Any]:
        """What a run did so far, as it stands above its games; None of a log."""
        path = self.library.run_folder
        if path is None:
            return {"account": None, "is_run": False}
        account = self._jobs.value(
            ("account", time.monotonic() // 2), lambda: account_of(path), wait, "account"
        )
        return {"account": account if isinstance(account, Account) else None, "is_run": True}


def _static(request: Request) -> Response:
    from starlette.responses import Response

    name = request.path_params["name"]
    if name not in FILES:
        return _html("error.html", 404, title="Not here", message="There is no such page.")
    content, kind = asset(name)
    return Response(content, media_type=kind, headers=_LASTING)


def _one(pairs: list[tuple[str, str]], name: str, default: str | None = None) -> str:
    for key, value in pairs:
        if key == name:
            return value
    if default is None:
        raise UsageError(f"address without {name}=")
    return default


def _round(pairs: list[tuple[str, str]], name: str) -> int | None:
    """The number of a round in an address; None where it says none."""
    text = _one(pairs, name, "")
    if not text:
        return None
    if text.isascii() and text.isdigit() and 0 < int(text[:10]) == int(text):
        return int(text)
    raise UsageError(f"{name} {text[:20]!r}, expected a round")


def _whole(pairs: list[tuple[str, str]], name: str, default: int) -> int:
    text = _one(pairs, name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) <= 10):
        raise UsageError(f"{name} {text[:20]!r}, expected a whole number")
    return int(text)


def _html(template: str, status: int = 200, /, **values: Any) -> Response:
    from starlette.responses import HTMLResponse

    return HTMLResponse(_encoded(page(template, **values)), status, _FRESH)


def _encoded(text: str) -> bytes:
    """UTF-8, also of halves of surrogate pairs that reached an attribute."""
    return text.encode("utf-8", "backslashreplace")


def _refused(_: Request, error: Exception) -> Response:
    lost = isinstance(error, UnknownNameError)
    title = "Not found" if lost else "That cannot be shown"
    return _html("error.html", 404 if lost else 400, title=title, message=str(error))


def _lost(_: Request, __: Exception) -> Response:
    return _html("error.html", 404, title="Not here", message="There is no such page.")


def _broken(_: Request, error: Exception) -> Response:
    message = f"An unexpected {type(error).__name__}. The terminal says more; please report it."
    return _html("error.html", 500, title="Something broke", message=message)


TOKEN = "token"
"""Name of the field of an address."""

_BYTES = 24
_LONGEST = 8192


class Entrance:
    """Tokens of one server, made when it starts and forgotten when it ends.

    Parameters
    ----------
    port : int
        Of the server; browsers do not tell the cookies of ports apart, so the name of the cookie does.
    """

    def __init__(self, port: int) -> None:
        self._cookie = f"intent-view-{port}"
        self._token, self._ticket = (secrets.token_urlsafe(_BYTES) for _ in range(2))
        self._used = False

    def __repr__(self) -> str:
        return f"<Entrance: {self._cookie}>"

    def address(self, at: str) -> str:
        """An address with the token, for whoever started the server."""
        return f"{at}?{TOKEN}={self._token}"

    def once(self, at: str) -> str:
        """An address that opens the page a single time.

        A browser is handed it on its command line, which others on the machine can read.
        """
        return f"{at}?{TOKEN}={self._ticket}"

    def admits(self, cookies: Iterable[bytes]) -> bool:
        """Whether the cookies of a request hold the token."""
        values = [
            morsel.value for raw in cookies for name, morsel in _read(raw).items() if name == self._cookie
        ]
        return any(_same(value, self._token) for value in values)

    def opened_by(self, query_string: bytes) -> tuple[str, str] | None:
        """The cookie for a request that brings the token or the unused ticket, and its query without it.

        Parameters
        ----------
        query_string : bytes
            What stands behind ``?`` in the address.

        Returns
        -------
        (cookie, query) or None
        """
        parts = query_string.decode("latin-1").split("&") if len(query_string) <= _LONGEST else []
        tokens = [value for part in parts for name, value in parse_qsl(part) if name == TOKEN]
        if not tokens:
            return None
        ticket = not self._used and any(_same(value, self._ticket) for value in tokens)
        if not ticket and not any(_same(value, self._token) for value in tokens):
            return None
        self._used = self._used or ticket
        rest = "&".join(part for part in parts if not part.startswith(f"{TOKEN}="))
        return f"{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/", rest


def _read(raw: bytes) -> SimpleCookie:
    try:
        return SimpleCookie(raw.decode("latin-1"))
    except CookieError:
        return SimpleCookie()


def _same(value: str, expected: str) -> bool:
    return secrets.compare_digest(value.encode("utf8", "surrogatepass"), expected.encode())
