"""``intent export``: a run or log -> Parquet, CSV, JSON lines, FAIRGAME's CSV; and the table of calls."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import (
    Cooperate,
    GameName,
    JsonFlag,
    Mapping,
    Overwrite,
    PayoffKind,
    Where,
    parse_pairs,
)

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
    redact: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND[,KIND…]",
            help="Leave texts out: messages, reasoning, private, prompts, replies, all, or a column's.",
        ),
    ] = None,
    redact_as: Annotated[
        str, typer.Option(help="What stands there instead: length, hash (keyed) or null.")
    ] = "length",
    pseudonyms: Annotated[
        bool, typer.Option("--pseudonyms", help="Replace the names of subjects, games and sessions.")
    ] = False,
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Key of hashes and pseudonyms; else a new one, kept nowhere."),
    ] = None,
    where: Where = None,
    map: Mapping = None,
    cooperate: Cooperate = None,
    payoff_kind: PayoffKind = None,
    game: GameName = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Write the games of a run or log as a log, and every prompt and reply of a run as a table."""
    from intent.cli.console import note, print_json
    from intent.workflows.export import export as write

    reading = {"mapping": map, "cooperate": cooperate, "payoff_kind": payoff_kind, "game": game}
    found = write(
        run,
        output,
        format=format,
        calls=calls,
        unfinished=unfinished,
        redact=redact or (),
        redact_as=redact_as,
        pseudonyms=pseudonyms,
        key=key,
        where=parse_pairs(where, "--where"),
        reading={name: value for name, value in reading.items() if value is not None},
        overwrite=overwrite,
    )
    if json:
        print_json(found)
        return
    if found["path"]:
        note(f"{found['n_games']:,} games in {found['path']}")
    if found["calls"]:
        note(f"{found['n_calls']:,} calls in {found['calls']}")
