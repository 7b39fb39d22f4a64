"""``intent report``: a log, a run or labels -> one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import (
    Bootstrap,
    By,
    JsonFlag,
    KeepDefaulted,
    Level,
    LogRecogniser,
    Others,
    Overwrite,
    Seed,
)
from intent.cli.reading import reads_logs

__all__ = ["report"]

Source = Annotated[
    Path, typer.Argument(metavar="LOG|RUN|LABELS", help="A game log, a run folder, or a table of labels.")
]


_SHOWN = 5
"""Findings that are printed."""


@reads_logs
def report(
    source: Source,
    output: Annotated[Path, typer.Option("-o", "--output", help="The page.")] = Path("report.html"),
    full: Annotated[
        bool,
        typer.Option("--full", help="Every factor, a regression, sensitivity, play, example games too."),
    ] = False,
    short: Annotated[
        bool, typer.Option("--short", help="Two printed pages: findings with figures, and their limits.")
    ] = False,
    by: By = None,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    recogniser: LogRecogniser = None,
    others: Others = None,
    keep_defaulted: KeepDefaulted = False,
    reading: dict[str, Any] | None = None,
    bootstrap: Bootstrap = 1000,
    permutations: Annotated[int, typer.Option(min=1, help="Draws or permutations per test.")] = 5000,
    level: Level = 0.95,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Write a report: ranked findings, quality, labels, comparisons with caveats.

    One file that loads nothing, for a screen, a phone or paper. --full
    compares by every factor that varies; --short prints on two pages.
    """
    from intent.cli.console import note, print_json, progress, say
    from intent.workflows.report import report as run

    with progress("report", quiet=json) as update:
        result = run(
            source,
            output,
            full=full,
            short=short,
            by=by or (),
            title=title,
            recogniser=recogniser,
            others=others,
            keep_defaulted=keep_defaulted,
            bootstrap=bootstrap,
            permutations=permutations,
            level=level,
            seed=seed,
            overwrite=overwrite,
            update=update,
            **(reading or {}),
        )
    for line in result.notes:
        note(f"note: {line}")
    if json:
        print_json(result.to_dict())
        return
    size = f"{result.size / 1e6:.1f} MB" if result.size >= 1e6 else f"{result.size / 1e3:.0f} kB"
    games = "" if result.n_games is None else f" of {result.n_games:,} games"
    say(f"{result.n:,} rows{games}, {len(result.sections)} sections, {size}, {result.seconds:.1f} s")
    for sentence in result.sentences()[:_SHOWN]:
        say(f"- {sentence}")
    note(f"wrote {output}")
