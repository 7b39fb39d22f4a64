"""``intent play``: an experiment file -> a run folder with log, labels and figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import JsonFlag, Overwrite
from intent.cli.run_options import (
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
    run_changes,
    run_folder,
    tracker_of,
)

__all__ = ["play"]


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
    from intent.cli.console import print_json
    from intent.cli.run_table import live_progress, print_dry_run, show_played
    from intent.workflows.experiment.load import load_experiment
    from intent.workflows.play import play as run
    from intent.workflows.run_models import has_human

    check_journal(journal)
    changes = run_changes(
        *(budget, concurrency, window, price, limit, cache),
        language=one_or_all(language),
        repetitions=repetitions,
        rounds=rounds,
        seed=seed,
        prompts=prompts,
    )
    experiment = load_experiment(
        file,
        set=set_ or (),
        models=model or (),
        map_models=parse_names(map_model),
        payoff_kind=payoff_kind,
        **changes,
    )
    if dry_run:
        from intent.workflows.dry_run import dry_run as count

        found = count(experiment, prompts_shown=prompts_shown, tracking=None if no_track else tracking)
        if json:
            print_json(found)
        else:
            print_dry_run(found)
        return
    tracker = tracker_of(no_track, tracking)
    quiet = json or has_human(experiment.plans())
    with live_progress(experiment.name, quiet=quiet) as on_live:
        result = run(
            experiment,
            run_folder(output, experiment.name),
            tracker=tracker,
            overwrite=overwrite,
            journal=journal,
            on_live=on_live,
        )
    show_played(result.summary, json=json)
