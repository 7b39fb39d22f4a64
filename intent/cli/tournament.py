"""``intent tournament``: strategies against each other."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

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
from intent.cli.options import Dask, JsonFlag, Seed

__all__ = ["tournament"]


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
    from intent.cli.console import note, print_json, progress, say
    from intent.files.settings import read_document
    from intent.workflows.tournament import tournament as run
    from intent.workflows.tournament_calls import count_calls

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
