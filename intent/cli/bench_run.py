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
    Limit,
    NoTrack,
    Price,
    Set,
    Tracking,
    Window,
    run_changes,
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
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Run folder to make; default runs/NAME.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count games, calls, tokens and cost, and show prompts.")
    ] = False,
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
    journal: Annotated[str, typer.Option(help="wal, or delete for network file systems.")] = "wal",
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
    from intent.errors import UsageError
    from intent.workflows.bench.dry_run import bench_dry_run
    from intent.workflows.bench.load import load_benchmark
    from intent.workflows.bench.run import play_benchmark
    from intent.workflows.run_models import has_human

    if journal not in ("wal", "delete"):
        raise UsageError(f"--journal {journal!r}, expected wal or delete")
    changes: Mapping[str, Any] = run_changes(
        *(budget, concurrency, window, price, limit, cache),
        version=_one(version),
        language=_one(language),
        temperature=_one(temperature),
        persona=_one(persona),
        chain_of_thought=_one(cot),
        told=_one(told),
        prompts=prompts,
        repetitions=repetitions,
        players=players,
        rounds=rounds,
        seed=seed,
        figures=figures,
    )
    benchmark = load_benchmark(file, set=set_ or (), models=model or (), games=game or (), **changes)
    found = bench_dry_run(benchmark, prompts_shown=prompts_shown if dry_run else 0)
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
            output or Path("runs") / benchmark.name,
            tracker=tracker_of(no_track, tracking),
            overwrite=overwrite,
            journal=journal,
            on_live=on_live,
        )
    show_bench(result.summary, json=json)


def _one(values: list[Any] | None) -> Any:
    """One value as itself, several as a factor, none as nothing."""
    return None if not values else values[0] if len(values) == 1 else values
