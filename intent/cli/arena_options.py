"""Options of the commands in which strategies play each other, each defined once."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

__all__ = [
    "Against",
    "Engine",
    "Fidelity",
    "FidelityName",
    "Game",
    "Noise",
    "Repetitions",
    "Salt",
    "Turns",
    "Workers",
]


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
Workers = Annotated[
    int | None, typer.Option("--workers", min=0, help="Processes that play; default, and 0: all processors.")
]
