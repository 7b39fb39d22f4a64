"""``intent study``: many recognisers at many points of noise, length and opponent -> tables and figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import Dask, JsonFlag, Workers, parse_pairs

__all__ = ["study"]


def study(
    file: Annotated[Path, typer.Argument(help="Study: a YAML file of recognisers, training and points.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for results; that of an earlier run goes on.")
    ],
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="COLUMN=VALUE",
            help="Run a part: group, recogniser, kind, set, train_size, train_noise, opponent, rounds, noise "
            "(repeat: same column OR, others AND).",
        ),
    ] = None,
    workers: Workers = 1,
    dask: Dask = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", envvar="INTENT_DATA", help="Folder of public logs, for opponents recorded there."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what there is to do.")] = False,
    json: JsonFlag = False,
) -> None:
    """Measure how recognisers hold up under noise, length, opponents and mismatched training.

    Trained models and measured cells are kept in the folder: a run that was stopped goes on, and a changed
    study computes only what changed.
    """
    from intent.cli.console import note, print_json, print_table, progress
    from intent.workflows.study.run import study as run

    with progress("study", quiet=json) as update:
        result = run(
            file,
            output,
            only=parse_pairs(only, "--only"),
            workers=workers,
            dask=dask,
            logs=data,
            dry_run=dry_run,
            update=update,
        )
    if json:
        print_json(result)
        return
    done = result["n_cells"] - result["n_pending"]
    print_table(
        ("models", "to train", "points", "cells", "done"),
        [(result["n_models"], result["n_untrained"], result["n_points"], result["n_cells"], done)],
    )
    for item in result["left_out"]:
        note(f"left out: {item['what']}: {item['why']}")
    if not dry_run:
        note(f"{result['path']}/summary.md after {result['seconds']:.0f} s")
