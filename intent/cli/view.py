"""``intent view``: a log or a run -> a local page to browse its games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import Others
from intent.cli.reading import reads_logs

__all__ = ["view"]

Source = Annotated[
    Path,
    typer.Argument(metavar="RUN|LOG|LABELS", help="Run folder (also while played), game log, or labels."),
]


@reads_logs
def view(
    source: Source,
    labels: Annotated[
        Path | None, typer.Option(help="Table of labels (default: they are made while the page is open).")
    ] = None,
    recogniser: Annotated[
        str, typer.Option("-r", "--recogniser", help="What makes labels, where there is no table.")
    ] = "bayes-canonical4",
    others: Others = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any that is free.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Open no browser.")] = False,
    no_token: Annotated[
        bool,
        typer.Option("--no-token", help="Let every user of this machine read, at an address without token."),
    ] = False,
    reading: dict[str, Any] | None = None,
) -> None:
    """Browse games in a local page: filter, look at one, see why it has its label.

    The page reads only, and only this machine can reach it. Its address
    stands on standard output; the token in it keeps other users of the
    machine out. Ctrl+C ends it.
    """
    from intent.cli.console import note, say
    from intent.workflows.view import view as run

    def ready(address: str) -> None:
        say(address)
        note("Ctrl+C ends it")

    run(
        source,
        labels=labels,
        recogniser=recogniser,
        others=others,
        port=port,
        browser=not no_browser,
        token=not no_token,
        ready=ready,
        **(reading or {}),
    )
    note("stopped")
