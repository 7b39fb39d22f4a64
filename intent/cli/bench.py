"""``intent bench``: benchmarks. ``gamma`` is the eight-game one.

Its jobs are requests of `intent.gamma.bench.requests`; ``run`` plays a benchmark file, as `intent play` does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.jobs import job_command
from intent.cli.jobs import run as run_job
from intent.cli.options import (
    Budget,
    Cache,
    Concurrency,
    DryRun,
    Journal,
    JsonFlag,
    Limit,
    NoTrack,
    Overwrite,
    Price,
    RunFolder,
    Set,
    Tracking,
    Window,
)
from intent.gamma.bench.requests import (
    AnalyseRequest,
    LeaderboardRequest,
    QuestionnaireRequest,
    ScoreRequest,
)
from intent.runner.requests import PlayRequest, parse_limits, parse_prices

__all__ = ["bench", "run"]


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
    from intent.gamma.bench.benchmark import load_benchmark
    from intent.runner.play import one_or_all

    changes = {
        "version": one_or_all(version),
        "language": one_or_all(language),
        "temperature": one_or_all(temperature),
        "persona": one_or_all(persona),
        "chain_of_thought": one_or_all(cot),
        "told": one_or_all(told),
        "prompts": prompts,
        "repetitions": repetitions,
        "players": players,
        "rounds": rounds,
        "seed": seed,
        "figures": figures,
        "budget": budget,
        "concurrency": concurrency,
        "window": window,
        "prices": parse_prices(price) or None,
        "limits": parse_limits(limit) or None,
        "cache": cache or None,
    }
    changes = {key: value for key, value in changes.items() if value is not None}
    request = PlayRequest(
        file=load_benchmark(file, set=set_ or (), models=model or (), games=game or (), **changes),
        folder=output,
        dry_run=dry_run,
        prompts_shown=prompts_shown,
        journal=journal,
        no_track=no_track,
        tracking=tracking,
        overwrite=overwrite,
        json=json,
    )
    run_job(request)


gamma = typer.Typer(
    help="GAMA-Bench: eight games of many players, played (run), scored, compared.", no_args_is_help=True
)
gamma.command("run")(run)
for _name, _request in (
    ("score", ScoreRequest),
    ("leaderboard", LeaderboardRequest),
    ("analyse", AnalyseRequest),
    ("questionnaire", QuestionnaireRequest),
):
    gamma.command(_name)(job_command(_request))

bench = typer.Typer(help="Benchmarks: gamma, eight games of many players.", no_args_is_help=True)
bench.add_typer(gamma, name="gamma")
