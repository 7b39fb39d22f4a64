"""``intent demo``: the whole story in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import JsonFlag, Overwrite, Seed

__all__ = ["demo"]


def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for everything.")] = Path(
        "demo-output"
    ),
    log: Annotated[Path | None, typer.Option(help="A log of yours to label, in place of play.")] = None,
    model: Annotated[
        str | None,
        typer.Option("-m", "--model", help="Who plays; by default a small language model that runs here."),
    ] = None,
    no_track: Annotated[bool, typer.Option("--no-track", help="Do not record the runs in MLflow.")] = False,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Play, generate, train, evaluate, label, compare, report; ends by naming the files to open.

    The language model (95 MB) is fetched once; where it cannot be had, a strategy plays in its place.
    """
    from intent.cli.console import print_json, print_table, say
    from intent.cli.run_table import live_progress
    from intent.workflows.demo import LOCAL_MODEL, run_demo

    result = run_demo(
        output,
        log=log,
        model=model or LOCAL_MODEL,
        seed=seed,
        track=not no_track,
        overwrite=overwrite,
        say=say if not json else lambda text: None,
        showing=lambda: live_progress("play", quiet=json),
    )
    if json:
        print_json(result)
        return
    say()
    print_table(("open", "to see"), [(f["path"], f["what"]) for f in result["files"]])
