"""``intent tournament``: strategies against each other.

``intent evolve``: which strategies survive when the successful are copied.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import (
    Against,
    Dask,
    Engine,
    Fidelity,
    FidelityName,
    Game,
    JsonFlag,
    Level,
    Noise,
    Overwrite,
    Repetitions,
    Salt,
    Seed,
    Turns,
)
from intent.cli.options import MatchWorkers as Workers

__all__ = ["evolve", "tournament"]


class FaultPolicyName(StrEnum):
    """What becomes of a strategy that fails."""

    disqualify = "disqualify"
    void = "void"


class LogName(StrEnum):
    """Which moves are written."""

    first = "first"
    all = "all"
    none = "none"


_NO_PRICE = "; prices in --model-settings tell the cost"
_TOP = 20


def tournament(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="[PATH]...", help="Files or folders of strategies.")
    ] = None,
    against: Against = None,
    turns: Turns = None,
    noise: Noise = None,
    repetitions: Repetitions = None,
    game: Game = None,
    self_play: Annotated[
        bool, typer.Option("--self-play/--no-self-play", help="Whether strategies meet themselves.")
    ] = True,
    agents: Annotated[
        bool, typer.Option("--agents", help="One agent per attitude, which draws a strategy for each match.")
    ] = False,
    singles: Annotated[
        bool, typer.Option("--singles", help="With --agents: the strategies play by themselves, too.")
    ] = False,
    faults: Annotated[
        FaultPolicyName,
        typer.Option(help="Who fails is disqualified, or only the spoiled pairs do not count (void)."),
    ] = FaultPolicyName.disqualify,
    engine: Engine = "auto",
    fidelity: Fidelity = FidelityName.axelrod,
    reuse_instances: Annotated[
        bool,
        typer.Option("--reuse-instances", help="Attributes live on across repetitions: to replicate only."),
    ] = False,
    workers: Workers = None,
    dask: Dask = None,
    seed: Seed = 0,
    salt: Salt = None,
    log: Annotated[
        LogName, typer.Option(help="Repetitions whose moves are written as a game log.")
    ] = LogName.first,
    label: Annotated[
        str | None, typer.Option(metavar="RECOGNISER", help="Label the log: which strategy is each of them?")
    ] = None,
    figures: Annotated[
        bool, typer.Option("--figures/--no-figures", help="Whether figures are drawn.")
    ] = True,
    image: Annotated[str, typer.Option(help="png, svg or pdf.")] = "png",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FOLDER", help="Where results go; an earlier run is gone on with."
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--model", help="A language model that joins (repeatable): 10 rounds, once, unless given."
        ),
    ] = None,
    model_settings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.yaml", help="For them: settings, prices, budget, … of an experiment file."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what the models would be asked, and stop.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Play strategies against each other: standings and head-to-head matrices.

    Every strategy meets every other one and itself. Code that somebody wrote runs
    in a sandbox; the moves are kept, so that a run that was ended goes on.
    """
    from intent.arena.tournament.models import count_calls
    from intent.arena.tournament.tournament import tournament as run
    from intent.base.settings import read_document
    from intent.cli.console import note, print_json, progress, say

    changes = None if model_settings is None else read_document(model_settings).values
    if dry_run:
        needed = count_calls(
            paths or (),
            model or (),
            against=against,
            turns=turns,
            repetitions=repetitions,
            game=game,
            self_play=self_play,
            seed=seed,
            changes=changes,
        )
        if json:
            print_json(needed)
        else:
            cost = f", about {needed['cost']:.2f}" if needed["cost"] is not None else _NO_PRICE
            say(f"{needed['n_games']:,} games, {needed['calls']:,.0f} calls{cost}")
        return
    with progress("matches", quiet=json) as update:
        result = run(
            paths or (),
            models=model or (),
            model_settings=changes,
            against=against,
            turns=turns,
            noise=noise,
            repetitions=repetitions,
            game=game,
            self_play=self_play,
            agents=agents,
            singles=singles,
            seed=seed,
            salt=salt,
            workers=workers or None,
            dask=dask,
            engine=engine,
            fidelity=fidelity.value,
            reuse_instances=reuse_instances,
            faults=faults.value,
            log=log.value,
            label=label,
            output=output,
            figures=figures,
            image=image,
            update=update,
        )
    for line in result.notes:
        note(f"note: {line}")
    if json:
        print_json(result.to_dict())
        return
    _print(result)
    note(result.salt.replay)
    if output is not None:
        note(f"wrote {output}")


def _print(result: Any) -> None:
    from intent.cli.console import note, print_table, say

    told = result.to_dict()
    rows = result.standings
    played = f"{told['game']}, {told['turns']:,} rounds, noise {told['noise']:g}"
    played += f", repetitions {told['repetitions']}"
    who = "1 strategy" if told["n"] == 1 else f"{told['n']} strategies"
    matches = "1 match" if told["matches"] == 1 else f"{told['matches']:,} matches"
    title = f"{who}, {matches} ({played}; engine {told['engine']})"
    if not rows:
        say(title)
    else:
        _print_standings(rows, title)
    if len(result.table.field) == 1:
        note("note: one strategy alone meets itself only; --against humans gives it opponents")
    if len(rows) > _TOP:
        say(f"then {', '.join(row['name'] for row in rows[_TOP:])}")
    matrices = [matrix for matrix in result.head_to_head.values() if matrix]
    if matrices and _fits(matrices[0]):
        for name, title in (("payoff", "Payoff per round"), ("cooperation", "Share of cooperation")):
            say()
            lines = [(row, *columns.values()) for row, columns in result.head_to_head[name].items()]
            header = ("", *result.head_to_head[name])
            print_table(header, lines, title=f"{title} of rows against columns")
    elif matrices:
        place = "-o FOLDER writes them" if result.path is None else f"they are in {result.path}"
        note(f"note: head-to-head matrices of {len(matrices[0])} are too wide to print; {place}")
    labelled = result.label_rows()
    if labelled is not None:
        say()
        header, lines = labelled
        print_table(header, lines, title=f"Shares of labels by {result.config['label']}")
    for one in told["left_out"]:
        note(f"left out: {one['name']}: {one['reason']}")
    if result.config["faults"] == "void":
        for one in told["faults"]:
            note(f"not counted: {one['name']} against {one['against']} ({one['kind']}: {one['reason']})")


def _print_standings(rows: list[dict[str, Any]], title: str) -> None:
    from intent.cli.console import print_table

    header = ("rank", "name", "group", "median score", "interval of the mean")
    last = {"wins": "wins", "cooperation_rate": "cooperation", "initial_c_rate": "opens with C"}
    print_table(
        (*header, *last.values()),
        [
            (
                *(row["rank"], row["name"], row["group"] or "–", row["median_score"], _interval(row)),
                *(row[name] for name in last),
            )
            for row in rows[:_TOP]
        ],
        title,
    )


def _fits(matrix: dict[str, Any]) -> bool:
    """Whether a matrix of numbers such as 2.723 fits a line of a terminal, or 120 characters."""
    from shutil import get_terminal_size

    width = max(map(len, matrix)) + sum(2 + max(5, len(name)) for name in matrix)
    return width <= max(120, get_terminal_size().columns)


def _interval(row: dict[str, Any]) -> str:
    if row["score_low"] is None:
        return "–"
    return f"{row['score_low']:.3f} to {row['score_high']:.3f}"


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
    from intent.arena.evolution.evolve import evolve as run
    from intent.cli.console import note, print_json, print_table, progress, say

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
    from intent.arena.evolution.result import terminal_tables as printed

    for header, rows, title in printed(found):
        print_table(header, rows, title=title)
        say()
    for line in found.notes():
        note(line)
    if (replay := found.source.facts["replay"]) is not None:
        note(replay)
    if found.path is not None:
        note(f"{found.path}: equilibria.csv, runs.csv, paths.parquet, payoff.csv, invasion.csv, figures")
