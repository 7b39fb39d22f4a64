"""Options that several commands share, each defined once.

The options of every command that reads a game log, given to it as one mapping.

Options of the commands in which strategies play each other, each defined once.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from intent.base.errors import UsageError

__all__ = [
    "Against",
    "Bootstrap",
    "By",
    "Cooperate",
    "Dask",
    "Endowment",
    "Engine",
    "Fidelity",
    "FidelityName",
    "Format",
    "Game",
    "GameName",
    "JsonFlag",
    "KeepDefaulted",
    "Level",
    "LogPath",
    "LogRecogniser",
    "Mapping",
    "MatchWorkers",
    "Noise",
    "Others",
    "Output",
    "Outputs",
    "Overwrite",
    "PayoffKind",
    "Rejects",
    "Repetitions",
    "Salt",
    "Seed",
    "Strict",
    "Turns",
    "Where",
    "Workers",
    "parse_pairs",
    "reads_logs",
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


_OPTIONS: dict[str, tuple[Any, Any]] = {
    "where": (Where, None),
    "format": (Format, "auto"),
    "map": (Mapping, None),
    "cooperate": (Cooperate, None),
    "payoff_kind": (PayoffKind, None),
    "game": (GameName, None),
    "strict": (Strict, False),
}
"""Option -> its declaration and default."""


def reads_logs(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command ``--where`` and the options of `read_log`.

    The command has a parameter ``reading``, in whose place they stand in the help; it receives them as
    keywords of a workflow: ``where`` parsed, ``map`` as ``mapping``.
    """
    signature = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if parameter.name != "reading":
            parameters.append(parameter)
            continue
        for name, (declared, default) in _OPTIONS.items():
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(inspect.Parameter(name, kind, default=default, annotation=declared))

    @functools.wraps(command)
    def run(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in _OPTIONS}
        chosen["where"] = parse_pairs(chosen["where"], "--where")
        chosen["mapping"] = chosen.pop("map")
        command(reading=chosen, **given)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    del run.__wrapped__
    return run


class FidelityName(StrEnum):
    """Whose rules of play."""

    axelrod = "axelrod"
    clean = "clean"


Against = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="Further strategies: humans, catalogue, a set or names, with commas."),
]
Engine = Annotated[
    str, typer.Option("--engine", help="Sandbox of written code: auto, seccomp, strict, monty.")
]
Fidelity = Annotated[
    FidelityName,
    typer.Option("--fidelity", help="axelrod: as that library plays; clean: both scores current."),
]
Game = Annotated[
    str | None,
    typer.Option("--game", help="Name of a game; default: as the files say, else classic (5, 3, 1, 0)."),
]
Noise = Annotated[
    float | None,
    typer.Option("--noise", help="Probability that a move is flipped; default: as the files say, else 0."),
]
Repetitions = Annotated[
    int | None,
    typer.Option(
        "--repetitions", min=1, help="Matches of each pair; default: 20, or 1 if nothing is random."
    ),
]
Salt = Annotated[
    str | None,
    typer.Option(
        "--salt",
        metavar="HEX",
        help="Of a result: play its matches again, on any machine. Who knows it beforehand can cheat.",
    ),
]
Turns = Annotated[
    int | None,
    typer.Option("--turns", min=1, help="Rounds per match; default: as the files say, else 1000."),
]
MatchWorkers = Annotated[
    int | None, typer.Option("--workers", min=0, help="Processes that play; default, and 0: all processors.")
]
