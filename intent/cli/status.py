"""``intent status``: how a run is going."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import JsonFlag

__all__ = ["status"]


def status(
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    watch: Annotated[
        bool, typer.Option("--watch", help="Again every two seconds, until it is over.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Show how a run is going: games, calls, rates, cost, errors; also while it is played."""
    import time

    from intent.cli.console import print_json
    from intent.workflows.run_status import run_status

    while True:
        found = run_status(run)
        if json:
            print_json(found)
        else:
            _print(found)
        if not watch or found["state"] != "playing":
            return
        time.sleep(2)


def _print(found: Mapping[str, Any]) -> None:
    from intent.cli.console import note, print_table, say
    from intent.cli.run_table import shown_cost

    rate, eta = found["calls_per_second"], found["eta"]
    say(
        f"{found['name']}: {found['state']}, {found['finished']:,} of {found['games']:,} games "
        f"finished, {found['in_progress']:,} in play, {found['interrupted']:,} set aside, "
        f"{found['waiting']:,} waiting"
    )
    say(
        f"{found['progress']:.1%} of all rounds, {found['calls']:,} calls ({rate:.1f}/s), "
        f"{found['seconds']:.0f} s played"
        + (f", about {eta:.0f} s to go" if eta is not None else "")
        + (f", {found['resent']:,} sent again" if found["resent"] else "")
    )
    if found["models"]:
        say()
        rows = [
            (
                m["player"],
                ", ".join(m["models"]) or "–",
                f"{m['calls']:,}",
                f"{m['cached']:,}",
                f"{m['prompt_tokens']:,}",
                f"{m['completion_tokens']:,}",
                m["seconds"],
                shown_cost(m["cost"]),
            )
            for m in found["models"]
        ]
        heads = ("model", "snapshot", "calls", "cached", "tokens in", "tokens out", "s per call", "cost")
        print_table(heads, rows)
    if found["failures"]:
        say()
        print_table(("failed requests", "n"), [(kind, f"{n:,}") for kind, n in found["failures"].items()])
    for error in found["errors"]:
        note(f"game {error['game_id']}: {error['error']}")
    if found["state"] == "stopped":
        why = found["stopped"] or "not begun"
        if why == "finished":
            why = f"games set aside with an error: {found['interrupted']:,}"
        note(f"{why}; intent resume {found['path']} goes on")
