"""``intent evolve``: which strategies survive when the successful are copied."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from intent.cli.arena_options import (
    Against,
    Engine,
    Fidelity,
    FidelityName,
    Game,
    Noise,
    Repetitions,
    Salt,
    Turns,
    Workers,
)
from intent.cli.options import Dask, JsonFlag, Level, Overwrite, Seed

__all__ = ["evolve"]


class ByName(StrEnum):
    """What an individual of a population is."""

    group = "group"
    strategy = "strategy"


def evolve(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Files or folders of strategies; the folder of a tournament; or a CSV payoff matrix.",
        ),
    ],
    initial: Annotated[
        list[str] | None,
        typer.Option(
            metavar="4,4,4|NAME=N,…",
            help="Individuals at the start: Aggressive, Cooperative, Neutral, or by name (repeatable).",
        ),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Moran processes of each start.")] = 100,
    against: Against = None,
    by: Annotated[
        ByName | None, typer.Option(help="What an individual is: a group, which draws, or one strategy.")
    ] = None,
    game: Game = None,
    turns: Turns = None,
    noise: Noise = None,
    repetitions: Repetitions = None,
    mutation: Annotated[float, typer.Option(help="Probability that a clone is of another name.")] = 0.0,
    intensity: Annotated[float, typer.Option(help="Of selection: fitness 1 - w + w payoff.")] = 1.0,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Most births of a run; default 100000, with mutation 20000.")
    ] = None,
    fidelity: Fidelity = FidelityName.axelrod,
    engine: Engine = "auto",
    workers: Workers = None,
    dask: Dask = None,
    level: Level = 0.95,
    seed: Seed = 0,
    salt: Salt = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder for tables, figures and matches; a cut one goes on."),
    ] = None,
    image: Annotated[str, typer.Option(help="png, svg or pdf.")] = "png",
    json: JsonFlag = False,
    overwrite: Overwrite = False,
) -> None:
    """Let strategies compete, copy those that earn more, see who is left.

    Moran processes over matches played once, beside fixation
    probabilities, invasion, replicator dynamics and stability.
    """
    from intent.cli.console import note, print_json, print_table, progress, say
    from intent.workflows.evolve import evolve as run

    with progress("matches", quiet=json) as update:
        found = run(
            [*paths],
            initial or None,
            runs=runs,
            against=against,
            game=game,
            turns=turns,
            noise=noise,
            repetitions=repetitions,
            by=None if by is None else by.value,
            mutation=mutation,
            intensity=intensity,
            steps=steps,
            fidelity=fidelity.value,
            seed=seed,
            salt=salt,
            workers=workers or None,
            dask=dask,
            engine=engine,
            level=level,
            output=output,
            image=image,
            overwrite=overwrite,
            update=update,
        )
    if json:
        print_json(found.to_dict())
        return
    from intent.workflows.evolve_tables import printed

    for header, rows, title in printed(found):
        print_table(header, rows, title=title)
        say()
    for line in found.notes():
        note(line)
    if (replay := found.source.facts["replay"]) is not None:
        note(replay)
    if found.path is not None:
        note(f"{found.path}: equilibria.csv, runs.csv, paths.parquet, payoff.csv, invasion.csv, figures")
