"""``intent resume``: go on with a run that was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import JsonFlag
from intent.cli.run_options import (
    Budget,
    Cache,
    Concurrency,
    Limit,
    NoTrack,
    Price,
    Set,
    Tracking,
    Window,
    parse_limits,
    parse_prices,
    tracker_of,
)

__all__ = ["resume"]


def resume(
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[EXPERIMENT]", help="Take limits, prices and `after` from this file; same games only."
        ),
    ] = None,
    set_: Set = None,
    budget: Budget = None,
    price: Price = None,
    concurrency: Concurrency = None,
    window: Window = None,
    limit: Limit = None,
    cache: Cache = False,
    no_track: NoTrack = False,
    tracking: Tracking = None,
    json: JsonFlag = False,
) -> None:
    """Go on with a run: no stored call is made again, games set aside are tried again.

    A finished run gets its log, labels and figures anew.
    """
    from intent.cli.console import print_json
    from intent.cli.run_table import live_progress, print_played
    from intent.workflows.resume import resume as go_on

    given: dict[str, Any] = {
        "budget": budget,
        "concurrency": concurrency,
        "window": window,
        "prices": parse_prices(price) or None,
        "limits": parse_limits(limit) or None,
        "cache": cache or None,
    }
    changes = {key: value for key, value in given.items() if value is not None}
    with live_progress(run.name, quiet=json) as on_live:
        result = go_on(
            run,
            file,
            set=set_ or (),
            tracker=tracker_of(no_track, tracking),
            on_live=on_live,
            **changes,
        )
    if json:
        print_json(result.summary)
    else:
        print_played(result.summary)
    if result.summary["state"] != "finished":
        raise typer.Exit(3)
