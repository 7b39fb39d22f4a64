"""``intent export``: a run or log -> Parquet, CSV, JSON lines, FAIRGAME's CSV; and the table of calls."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import JsonFlag, Overwrite

__all__ = ["export"]


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN|LOG", help="A run folder, or a game log.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="A folder (Parquet), .zip, .jsonl, .csvs (folder) or .csv.zip; .csv for FAIRGAME.",
        ),
    ] = None,
    format: Annotated[
        str, typer.Option(help="gamelog (ours), fairgame, or compact (a row of lists per seat).")
    ] = "gamelog",
    calls: Annotated[
        Path | None, typer.Option(help="Where to write the table of calls: .parquet, .csv or .jsonl.")
    ] = None,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Also completed rounds of games that are not over.")
    ] = False,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Write the games of a run as a log, and every prompt and reply as a table."""
    from intent.cli.console import note, print_json
    from intent.workflows.export import export as write

    found = write(run, output, format=format, calls=calls, unfinished=unfinished, overwrite=overwrite)
    if json:
        print_json(found)
        return
    if found["path"]:
        note(f"{found['n_games']:,} games in {found['path']}")
    if found["calls"]:
        note(f"{found['n_calls']:,} calls in {found['calls']}")
