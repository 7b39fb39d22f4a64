"""The web application: five addresses that read a library of games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from intent import schema
from intent.errors import IntentError, UnknownNameError, UsageError
from intent.report.html_page import visible
from intent.view.game_page import ROUNDS_SHOWN, game_values
from intent.view.list_page import GAME_ID, list_values
from intent.view.page_state import PageState, game_address, pairs_of, read_state
from intent.view.pages import FILES, asset, page
from intent.view.query import ColumnFacts, Query
from intent.view.security import Guard, own_names

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from intent.view.entrance import Entrance
    from intent.view.library import Library

__all__ = ["make_app"]

_LASTING = {"cache-control": "max-age=3600"}
_FRESH = {"cache-control": "no-store"}

_REMEMBERED = 8
"""Queries of which the values are counted that are remembered, for paging."""


def make_app(
    library: Library, port: int, host: str = "127.0.0.1", entrance: Entrance | None = None
) -> ASGIApp:
    """The application for a library that is served at a port of this machine.

    Parameters
    ----------
    library : Library
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
    shows = _Pages(library)
    handlers: Any = {IntentError: _refused, 404: _lost, Exception: _broken}
    app = Starlette(
        routes=[
            Route("/", shows.games),
            Route("/game", shows.game),
            Route("/text", shows.text),
            Route("/pulse", shows.pulse),
            Route("/static/{name}", _static),
        ],
        exception_handlers=handlers,
    )
    app.router.redirect_slashes = False
    return Guard(app, names, entrance)


class _Pages:
    """What the addresses answer. Starlette calls these in threads, so a slow answer delays no other."""

    def __init__(self, library: Library) -> None:
        self.library = library
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
        found = self.library.page(state.query)
        counts = self.counts(version, state.query)
        values = list_values(self.library.facts(), self.columns(), found, state, counts)
        return _html("list.html", **values, version=version)

    def game(self, request: Request) -> Response:
        pairs = pairs_of(request.scope["query_string"])
        game_id = _one(pairs, "id")
        first = _one(pairs, "first", "1")
        if not (first.isascii() and first.isdigit() and 0 < int(first[:10]) == int(first)):
            raise UsageError(f"first {first[:20]!r}, expected a round")
        version = self.library.version()
        state = self._state(pairs)
        detail = self.library.game(game_id, first=int(first), most=ROUNDS_SHOWN)
        around = self.library.neighbours(game_id, state.query)
        link = f"http://{request.headers['host']}{game_address(game_id)}"
        return _html(
            "game.html", **game_values(self.library.facts(), detail, state, around, link), version=version
        )

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
        return read_state(pairs, [GAME_ID.name, *names, *(column.name for column in schema.LABELS)])


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
