"""``intent bench gamma run``: a benchmark file, or nothing -> a run folder with log and scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

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
    run_changes,
    run_folder,
    tracker_of,
)

__all__ = ["run"]


def run(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[BENCHMARK]", help="A YAML file; without one, the eight games as published."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--model",
            help="In place of the file's models: openai/NAME, openai/NAME@URL, anthropic/NAME, local/NAME, "
            "gguf:PATH, scripted/equilibrium, … (repeatable).",
        ),
    ] = None,
    output: RunFolder = None,
    dry_run: DryRun = False,
    prompts_shown: Annotated[
        int | None, typer.Option(min=0, help="With --dry-run: most prompts to show; by default all.")
    ] = None,
    game: Annotated[
        list[str] | None, typer.Option(help="Only this game, such as guessing or pirate (repeatable).")
    ] = None,
    repetitions: Annotated[int | None, typer.Option(min=1, help="Tables per condition.")] = None,
    players: Annotated[int | None, typer.Option(min=2, help="Players per table.")] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Sequential games may end before.")] = None,
    version: Annotated[list[str] | None, typer.Option(help="Wording, v1 to v5 (repeatable).")] = None,
    language: Annotated[list[str] | None, typer.Option(help="Of the prompts (repeatable).")] = None,
    temperature: Annotated[list[float] | None, typer.Option(min=0, help="Of sampling (repeatable).")] = None,
    persona: Annotated[
        list[str] | None,
        typer.Option(help="cooperative, selfish, mathematician, or your words (repeatable)."),
    ] = None,
    cot: Annotated[
        list[int] | None, typer.Option(min=1, max=5, help="Phrase for a chain of thought (repeatable).")
    ] = None,
    told: Annotated[
        list[str] | None,
        typer.Option(
            help="What is told of the others: equilibrium, smart, random, or your words (repeatable)."
        ),
    ] = None,
    prompts: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder of your wording, or of GAMA-Bench's templates.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all random numbers.")] = None,
    set_: Set = None,
    figures: Annotated[
        bool | None, typer.Option("--figures/--no-figures", help="Whether figures are drawn.")
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
    """Play the eight games of GAMA-Bench, and score them.

    What it takes is shown first. Ctrl-C stops cleanly; `intent resume` goes on and scores anew.
    """
    from intent.cli.bench_table import print_expected, show_bench
    from intent.cli.console import print_json
    from intent.cli.run_table import live_progress, print_dry_run
    from intent.workflows.bench.dry_run import bench_dry_run
    from intent.workflows.bench.load import load_benchmark
    from intent.workflows.bench.run import play_benchmark
    from intent.workflows.run_models import has_human

    check_journal(journal)
    changes: Mapping[str, Any] = run_changes(
        *(budget, concurrency, window, price, limit, cache),
        version=one_or_all(version),
        language=one_or_all(language),
        temperature=one_or_all(temperature),
        persona=one_or_all(persona),
        chain_of_thought=one_or_all(cot),
        told=one_or_all(told),
        prompts=prompts,
        repetitions=repetitions,
        players=players,
        rounds=rounds,
        seed=seed,
        figures=figures,
    )
    benchmark = load_benchmark(file, set=set_ or (), models=model or (), games=game or (), **changes)
    found = bench_dry_run(
        benchmark, prompts_shown=prompts_shown if dry_run else 0, tracking=None if no_track else tracking
    )
    if dry_run:
        if json:
            print_json(found)
        else:
            print_dry_run(
                found, shown="prompt of a second turn, or of the only one, among equilibrium players"
            )
        return
    quiet = json or has_human(benchmark.plans())
    if not json:
        print_expected(found)
    with live_progress(benchmark.name, quiet=quiet) as on_live:
        result = play_benchmark(
            benchmark,
            run_folder(output, benchmark.name),
            tracker=tracker_of(no_track, tracking),
            overwrite=overwrite,
            journal=journal,
            on_live=on_live,
        )
    show_bench(result.summary, json=json)
