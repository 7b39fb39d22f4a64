"""``intent resume``: go on with a run that was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
    run_changes,
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

    A finished run gets its log, labels or scores, and figures anew.
    """
    from intent.cli.bench_table import show_bench
    from intent.cli.run_table import live_progress, show_played
    from intent.workflows.resume import resume as go_on

    changes = run_changes(budget, concurrency, window, price, limit, cache)
    with live_progress(run.name, quiet=json) as on_live:
        result = go_on(
            run,
            file,
            set=set_ or (),
            tracker=tracker_of(no_track, tracking),
            on_live=on_live,
            **changes,
        )
    show = show_bench if "leaderboard" in result.summary else show_played
    show(result.summary, json=json)
