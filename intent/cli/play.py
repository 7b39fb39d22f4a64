"""``intent play``: an experiment file -> a run folder with log, labels and figures.

``intent resume``: go on with a run that was stopped.

``intent status``: how a run is going.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import JsonFlag, Overwrite
from intent.cli.runs import (
    Budget,
    Cache,
    Concurrency,
    DryRun,
    Journal,
    Limit,
    NoTrack,
    Price,
    RunFolder,
    Set,
    Tracking,
    Window,
    check_journal,
    one_or_all,
    parse_names,
    play_source,
    run_changes,
    tracker_of,
)

__all__ = ["play", "resume", "status"]


def play(
    file: Annotated[
        Path, typer.Argument(metavar="EXPERIMENT", help="Our YAML, or a FAIRGAME configuration (.json).")
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--model",
            help="In place of the file's models: openai/NAME, openai/NAME@URL, anthropic/NAME, local/NAME, "
            "gguf:PATH, scripted/STRATEGY, human (repeatable).",
        ),
    ] = None,
    output: RunFolder = None,
    dry_run: DryRun = False,
    prompts_shown: Annotated[
        int | None,
        typer.Option(min=0, help="With --dry-run: most prompts to show; by default all, one of each role."),
    ] = None,
    set_: Set = None,
    language: Annotated[
        list[str] | None, typer.Option(help="In place of the file's languages (repeatable).")
    ] = None,
    repetitions: Annotated[int | None, typer.Option(min=1, help="Games per condition.")] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds per game.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all random numbers.")] = None,
    prompts: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder of templates, FAIRGAME's or yours; or intent.")
    ] = None,
    map_model: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=MODEL", help="Which model a name in the file stands for (repeatable)."),
    ] = None,
    payoff_kind: Annotated[
        str | None, typer.Option(help="reward or penalty, where a FAIRGAME file has a game of its own.")
    ] = None,
    budget: Budget = None,
    price: Price = None,
    concurrency: Concurrency = None,
    window: Window = None,
    limit: Limit = None,
    cache: Cache = False,
    journal: Journal = "wal",
    no_track: NoTrack = False,
    tracking: Tracking = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Let language models, strategies or you play an experiment.

    Ctrl-C stops cleanly; `intent resume` goes on. Keys come from the environment.
    """
    from intent.runner.play import load_source

    check_journal(journal)
    changes = run_changes(
        *(budget, concurrency, window, price, limit, cache),
        language=one_or_all(language),
        repetitions=repetitions,
        rounds=rounds,
        seed=seed,
        prompts=prompts,
    )
    names: dict[str, Any] = {"map_models": parse_names(map_model), "payoff_kind": payoff_kind}
    changes |= {key: value for key, value in names.items() if value}
    play_source(
        load_source(file, set=set_ or (), models=model or (), **changes),
        output,
        dry_run=dry_run,
        prompts_shown=prompts_shown,
        no_track=no_track,
        tracking=tracking,
        overwrite=overwrite,
        journal=journal,
        json=json,
    )


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
    from intent.cli.runs import live_progress, show_run
    from intent.runner.play import resume as go_on

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
    show_run(result.summary, json=json)


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
    from intent.runner.run import run_status

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
    from intent.cli.runs import shown_cost

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
