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


@reads_logs
def report(
    source: Source,
    output: Annotated[Path, typer.Option("-o", "--output", help="The page.")] = Path("report.html"),
    full: Annotated[
        bool,
        typer.Option("--full", help="Every factor, estimated shares, sensitivity, play, example games too."),
    ] = False,
    by: By = None,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    recogniser: LogRecogniser = None,
    others: Others = None,
    keep_defaulted: KeepDefaulted = False,
    reading: dict[str, Any] | None = None,
    bootstrap: Bootstrap = 1000,
    permutations: Annotated[int, typer.Option(min=1, help="Permutations per test.")] = 5000,
    level: Level = 0.95,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Write a report: findings, quality, labels, comparisons with caveats.

    One file that loads nothing, for a screen, a phone or paper. Short by
    default; --full compares by every factor that varies.
    """
    from intent.cli.console import note, print_json, progress
    from intent.workflows.report import report as run

    with progress("report", quiet=json) as update:
        result = run(
            source,
            output,
            full=full,
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
    print(
        f"{result.n:,} trajectories of {result.n_games:,} games, {len(result.sections)} sections, "
        f"{size}, {result.seconds:.1f} s"
    )
    note(f"wrote {output}")
