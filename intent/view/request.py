"""What the page of games needs to be told, declared once."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.request import Within, argument, here, option
from intent.logs.reading import OTHERS, Reading

__all__ = ["ViewRequest"]


class ViewRequest(Reading, job="view", function="intent.view.serve.view"):
    """Browse runs and games in a local page: filter, search, look at one, see why it has its label.

    The page reads only, and only this machine can reach it. Its address
    stands on standard output; the token in it keeps other users of the
    machine out. Ctrl+C ends it.
    """

    source: "str | Path | Sequence[str | Path]" = argument(
        "Run (also while played), log, labels; several, or a folder of them: a list to start from.",
        words=list[Path],
        metavar="PATH...",
    )
    labels: "str | Path | None" = option(
        None, "Table of labels (default: they are made while the page is open).", words=Path | None
    )
    recogniser: str = option(
        DEFAULT_RECOGNISER, "What makes labels, where there is no table.", "-r", "--recogniser"
    )
    others: str | None = OTHERS
    port: Annotated[int, Within(0, 65535)] = option(0, "Port; 0 takes any that is free.")
    browser: bool = option(
        True, "Open no browser.", "--no-browser", words=bool, parse=lambda without: not without
    )
    token: bool = option(
        True,
        "Let every user of this machine read, at an address without token.",
        "--no-token",
        words=bool,
        parse=lambda without: not without,
    )
    reading = here(Reading)
    ready: Callable[[str], None] = option(
        lambda address: None, "Called with the address once the page answers.", only="python"
    )
