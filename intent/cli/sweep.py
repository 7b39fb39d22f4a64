"""``intent sweep``: labels or a log -> what every threshold keeps, with and without rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import (
    By,
    Dask,
    JsonFlag,
    KeepDefaulted,
    LogRecogniser,
    Others,
    Outputs,
    Overwrite,
    Seed,
    Workers,
)
from intent.cli.reading import reads_logs

__all__ = ["sweep"]

Source = Annotated[
    Path, typer.Argument(metavar="FILE", help="A game log, or labels made by intent label (.parquet …).")
]


@reads_logs
def sweep(
    file: Source,
    recogniser: LogRecogniser = None,
    tau: Annotated[
        str, typer.Option(metavar="LOW-HIGH:STEP|X,Y,…", help="Thresholds of the label's probability.")
    ] = ".3-.95:.05",
    gate: Annotated[
        str, typer.Option(help="trajectory, or game: keep a game where all labelled seats get a label.")
    ] = "trajectory",
    by: By = None,
    rules: Annotated[
        str, typer.Option(help="Rule labels below the threshold: expand (all) or priority (the first).")
    ] = "expand",
    full: Annotated[
        bool, typer.Option("--full", help="Count each of several rule labels fully, not in shares.")
    ] = False,
    others: Others = None,
    keep_defaulted: KeepDefaulted = False,
    reading: dict[str, Any] | None = None,
    seed: Seed = 0,
    workers: Workers = 1,
    dask: Dask = None,
    output: Outputs = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Sweep the threshold of labels: retention, mean confidence, diversity.

    Model-only labels and hybrid ones, which take the rules' where the
    recogniser is below the threshold, stand side by side.
    """
    from intent.cli.console import note, print_json, print_table, say
    from intent.workflows.result_files import check_output
    from intent.workflows.sweep import sweep as run

    for path in output or []:
        check_output(path, overwrite=overwrite, origin=file)
    result = run(
        file,
        recogniser,
        tau=tau,
        gate=gate,
        by=by or (),
        rules=rules,
        split=not full,
        others=others,
        keep_defaulted=keep_defaulted,
        seed=seed,
        workers=workers,
        dask=dask,
        **(reading or {}),
    )
    for path in output or []:
        result.write(path, overwrite=overwrite)
    if json:
        print_json(result.to_dict())
    else:
        header, rows = result.rows()
        print_table(header, rows, title=result.title())
        for line in result.words():
            say(line)
    for path in output or []:
        note(f"wrote {path}")
