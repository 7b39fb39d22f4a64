"""A local page over a log or a run: open it, serve it to this machine, until interrupted.

The server of the page: one port of this machine, until it is told to stop.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import UsageError
from intent.base.job import Result, Table, job
from intent.base.registry import require
from intent.view.request import ViewRequest

if TYPE_CHECKING:
    from starlette.types import ASGIApp
    from uvicorn import Server


__all__ = ["Stopped", "address", "listen", "serve", "serving", "view"]


@dataclass(frozen=True)
class Stopped(Result):
    """What is left of a page once it is closed: nothing but that."""

    kind = "view"

    def fields(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def parts(self) -> Iterator[Table | str]:
        """Nothing: the address has been printed."""
        yield from ()

    def remarks(self) -> Iterator[str]:
        """That nobody answers any longer."""
        yield "stopped"


@job(ViewRequest)
def view(request: ViewRequest) -> Result:
    """Serve a page to browse the games of logs and runs; return when interrupted (Ctrl+C).

    Nothing is written. Only this machine can reach the page, and only with its address. A run may be played
    meanwhile: its new games appear.

    Raises
    ------
    MissingExtraError
        The libraries of the page are not installed.
    UsageError
        The port is in use or none.
    """
    if request.bundle is not None:
        from intent.view.bundle import write_bundle

        return write_bundle(request)
    require("starlette", "uvicorn")
    from intent.view.app import Entrance, make_app
    from intent.view.library import Library, open_library
    from intent.view.workbench import Workbench, distinct, several

    on = listen(request.port)
    at, number = address(on), on.getsockname()[1]
    entrance = Entrance(number) if request.token else None

    def begin() -> None:
        request.ready(at if entrance is None else entrance.address(at))
        if request.browser and _has_screen():
            import webbrowser

            webbrowser.open(at if entrance is None else entrance.once(at))

    paths = distinct(_paths(request.source))

    def opening(path: Path) -> Library:
        return open_library(
            path,
            labels=request.labels,
            recogniser=request.recogniser,
            others=request.others,
            where={column: tuple(values) for column, values in (request.where or {}).items()},
            reading=request.file_reading(),
        )

    try:
        if several(paths):
            if request.labels is not None:
                raise UsageError("--labels is of one log, but several runs and logs are listed")
            shown: Library | Workbench = Workbench(paths, opening)
        else:
            shown = opening(paths[0])
        with shown:
            serve(make_app(shown, number, entrance=entrance), on, begin)
    finally:
        on.close()
    return Stopped()


def _paths(source: str | Path | Sequence[str | Path]) -> list[Path]:
    """The paths of a request."""
    listed = [source] if isinstance(source, str | Path) else list(source)
    if not listed:
        raise UsageError("nothing to view, expected PATH: a run, a log, or a folder of them")
    return [Path(path) for path in listed]


def _has_screen() -> bool:
    """Whether a browser would open a window, rather than take over the terminal."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


_HOST = "127.0.0.1"


def listen(port: int = 0) -> socket.socket:
    """A socket on the loopback address; nobody beyond this machine can reach it.

    Parameters
    ----------
    port : int in [0, 65535]
        0: any that is free.

    Raises
    ------
    UsageError
        The port is in use, forbidden, or none.
    """
    if not 0 <= port <= 65535:
        raise UsageError(f"port {port}, expected 0 (any free one) to 65535")
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((_HOST, port))
        server.listen(64)
    except OSError as error:
        server.close()
        raise UsageError(f"port {port}: {error.strerror or error}; 0 takes any that is free") from None
    return server


def address(of: socket.socket) -> str:
    """Where the page is: ``http://127.0.0.1:PORT/``."""
    return f"http://{_HOST}:{of.getsockname()[1]}/"


def serve(app: ASGIApp, on: socket.socket, ready: Callable[[], None] = lambda: None) -> None:
    """Answer until interrupted (Ctrl+C) or terminated; open requests are answered first.

    Parameters
    ----------
    app : ASGI application
    on : socket
        As of `listen`; closed afterwards.
    ready : callable
        Called once, when the first request would be answered.
    """
    server = _server(app)
    threading.Thread(target=_when_started, args=(server, ready), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt), contextlib.closing(on), _terminated_as_interrupted():
        server.run(sockets=[on])


@contextmanager
def serving(app_at: Callable[[int], ASGIApp], port: int = 0) -> Iterator[str]:
    """Serve in the background for the length of a block, for tests and measurements; yields the address.

    Parameters
    ----------
    app_at : callable
        Port -> application.
    port : int
    """
    on = listen(port)
    server = _server(app_at(on.getsockname()[1]))
    started = threading.Event()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [on]}, daemon=True)
    thread.start()
    _when_started(server, started.set)
    try:
        yield address(on)
    finally:
        server.should_exit = True
        thread.join(10)
        on.close()


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM as Ctrl+C for the length of a block, so that what the caller opened is put away."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _server(app: ASGIApp) -> Server:
    import uvicorn

    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=2,
        )
    )


def _when_started(server: Server, then: Callable[[], None]) -> None:
    for _ in range(3000):
        if server.started or server.should_exit:
            break
        time.sleep(0.01)
    if server.started:
        then()
