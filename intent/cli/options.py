"""Options that several commands share, each defined once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.errors import UsageError

__all__ = [
    "Bootstrap",
    "By",
    "Cooperate",
    "Dask",
    "Endowment",
    "Format",
    "GameName",
    "JsonFlag",
    "KeepDefaulted",
    "Level",
    "LogPath",
    "LogRecogniser",
    "Mapping",
    "Others",
    "Output",
    "Outputs",
    "Overwrite",
    "PayoffKind",
    "Rejects",
    "Seed",
    "Strict",
    "Where",
    "Workers",
    "parse_pairs",
]

LogPath = Annotated[
    Path, typer.Argument(help="Game log: FAIRGAME results, tidy or wide CSV, Parquet, oTree, Inspect, ours.")
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="Where to write the result.")]
Outputs = Annotated[
    list[Path] | None,
    typer.Option(
        "-o", "--output", help="Figure (.png .svg .pdf) or table (.csv .parquet .jsonl .json); repeatable."
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is at the output path.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all random numbers.")]
Where = Annotated[
    list[str] | None,
    typer.Option("--where", metavar="COLUMN=VALUE", help="Keep rows (repeat: same column OR, others AND)."),
]
By = Annotated[
    list[str] | None,
    typer.Option("--by", metavar="COLUMN[,COLUMN…]", help="Columns that make the groups (repeatable)."),
]
Bootstrap = Annotated[int, typer.Option("--bootstrap", min=1, help="Bootstrap samples.")]
Level = Annotated[float, typer.Option("--level", help="Coverage of the intervals.")]
LogRecogniser = Annotated[
    str | None, typer.Option("-r", "--recogniser", help="For a log: shipped name or saved folder.")
]
Others = Annotated[
    str | None,
    typer.Option("--others", help="More than two players: others cooperated if any, majority or all did."),
]
KeepDefaulted = Annotated[
    bool, typer.Option("--keep-defaulted", help="Count defaults for unreadable replies as own moves.")
]
Endowment = Annotated[
    float | None,
    typer.Option(help="Games of numbers that do not say it: what a player can give in a round."),
]
Format = Annotated[
    str,
    typer.Option("--format", help="Reader: auto, fairgame, tidy, pairs, otree, inspect, gamelog, compact."),
]
Mapping = Annotated[
    str | None,
    typer.Option(
        "--map", metavar="OURS=THEIRS,…|FILE.yaml", help="Columns of a tidy file: ours=theirs, or a YAML."
    ),
]
Cooperate = Annotated[
    str | None,
    typer.Option(
        "--cooperate",
        metavar="ACTION[:ACTION]",
        help="The action that is cooperation, or both actions: cooperating:defecting.",
    ),
]
PayoffKind = Annotated[
    str | None, typer.Option("--payoff-kind", help="reward or penalty, where the file is silent.")
]
GameName = Annotated[str | None, typer.Option("--game", help="The game, where the file does not name it.")]
Rejects = Annotated[Path | None, typer.Option("--rejects", help="Where to list rows that could not be read.")]
Workers = Annotated[
    int, typer.Option("--workers", min=0, help="Processes that share the work; 0: all processors.")
]
Dask = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Dask scheduler that shares the work, as tcp://node:8786."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first row that cannot be read.")]


def parse_pairs(items: list[str] | None, option: str, expected: str = "COLUMN=VALUE") -> dict[str, list[str]]:
    """``COLUMN=VALUE`` options as column -> values.

    Raises
    ------
    UsageError
        An item without an equals sign or column.
    """
    found: dict[str, list[str]] = {}
    for item in items or []:
        column, equals, value = item.partition("=")
        if not equals or not column:
            raise UsageError(f"{option} {item!r}, expected {expected}")
        found.setdefault(column.strip(), []).append(value.strip())
    return found
