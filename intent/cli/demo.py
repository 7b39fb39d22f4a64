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
    log: Annotated[Path | None, typer.Option(help="A log of yours to label instead of the sample.")] = None,
    no_track: Annotated[bool, typer.Option("--no-track", help="Do not record the runs in MLflow.")] = False,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Generate, train, evaluate, label, compare; ends by naming the files to open."""
    from intent.cli.console import print_json, print_table
    from intent.workflows.demo import run_demo

    def say(text: str) -> None:
        if not json:
            print(text, flush=True)

    result = run_demo(output, log=log, seed=seed, track=not no_track, overwrite=overwrite, say=say)
    if json:
        print_json(result)
        return
    print()
    print_table(("open", "to see"), [(f["path"], f["what"]) for f in result["files"]])
