"""A local page over a log or a run: open it, serve it to this machine, until interrupted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["view"]


def view(
    source: str | Path,
    *,
    labels: str | Path | None = None,
    recogniser: str = "bayes-canonical4",
    others: str | None = None,
    where: Mapping[str, Sequence[str]] | None = None,
    port: int = 0,
    browser: bool = True,
    token: bool = True,
    ready: Callable[[str], None] = lambda address: None,
    **reading: Any,
) -> None:
    """Serve a page to browse the games of a log or a run; return when interrupted (Ctrl+C).

    Nothing is written. Only this machine can reach the page, and only with its address.

    Parameters
    ----------
    source : path of a log of any known format, of a table of labels, or the folder of a run
        A run may be played meanwhile: its new games appear.
    labels : path, optional
        Table of labels of the log; default: labels are made while the page is open.
    recogniser : str
        What makes them.
    others : {"any", "majority", "all"}, optional
        More than two players: when the others count as cooperating.
    where : mapping of column -> accepted values, optional
    port : int
        0: any that is free.
    browser : bool
        Open the page in a browser, where there is a screen.
    token : bool
        Show the page only to who has the address with its token, not to all users of this machine.
    ready : callable
        Told the address once the page answers.
    reading : as `read_log`

    Raises
    ------
    MissingExtraError
        The libraries of the page are not installed.
    UsageError
        The port is in use or none.
    """
    from intent.view.serve import address, listen, require, serve

    require()
    from intent.view.app import make_app
    from intent.view.entrance import Entrance
    from intent.view.library import open_library

    on = listen(port)
    at, number = address(on), on.getsockname()[1]
    entrance = Entrance(number) if token else None

    def begin() -> None:
        ready(at if entrance is None else entrance.address(at))
        if browser and _has_screen():
            import webbrowser

            webbrowser.open(at if entrance is None else entrance.once(at))

    try:
        with open_library(
            source,
            labels=labels,
            recogniser=recogniser,
            others=others,
            where={column: tuple(values) for column, values in (where or {}).items()},
            reading=reading,
        ) as library:
            serve(make_app(library, number, entrance=entrance), on, begin)
    finally:
        on.close()


def _has_screen() -> bool:
    """Whether a browser would open a window, rather than take over the terminal."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
