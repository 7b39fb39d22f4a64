"""``intent tournament``: strategies against each other."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import JsonFlag, Seed

__all__ = ["tournament"]


class EngineName(StrEnum):
    """How written code is confined."""

    auto = "auto"
    seccomp = "seccomp"
    strict = "strict"
    monty = "monty"


class FidelityName(StrEnum):
    """Whose rules of play."""

    axelrod = "axelrod"
    clean = "clean"


class FaultPolicyName(StrEnum):
    """What becomes of a strategy that fails."""

    disqualify = "disqualify"
    void = "void"


class LogName(StrEnum):
    """Which moves are written."""

    first = "first"
    all = "all"
    none = "none"


_TOP = 20


def tournament(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="[PATH]...", help="Files or folders of strategies.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Opponents: humans, catalogue, a set or strategies, with commas."),
    ] = None,
    turns: Annotated[
        int | None, typer.Option(min=1, help="Rounds per match; default: as the files say, else 1000.")
    ] = None,
    noise: Annotated[
        float | None,
        typer.Option(help="Probability that a move is flipped; default: as the files say, else 0."),
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option(min=1, help="Matches of each pair; default: 20, or 1 where nothing is random."),
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="Name of a game; default: as the files say, else classic (5, 3, 1, 0).")
    ] = None,
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
    engine: Annotated[EngineName, typer.Option(help="Sandbox of written code.")] = EngineName.auto,
    fidelity: Annotated[
        FidelityName, typer.Option(help="axelrod: as that library plays; clean: both scores current.")
    ] = FidelityName.axelrod,
    reuse_instances: Annotated[
        bool,
        typer.Option("--reuse-instances", help="Attributes live on across repetitions: to replicate only."),
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; default: one per processor.")] = None,
    seed: Seed = 0,
    log: Annotated[
        LogName, typer.Option(help="Repetitions whose moves are written as a game log.")
    ] = LogName.first,
    label: Annotated[
        str | None, typer.Option(metavar="RECOGNISER", help="Label the log: which strategy is each of them?")
    ] = None,
    figures: Annotated[
        bool, typer.Option("--figures/--no-figures", help="Whether figures are drawn.")
    ] = True,
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
    from intent.cli.console import note, print_json, progress
    from intent.workflows.tournament import tournament as run
    from intent.workflows.tournament_calls import count_calls
    from intent.workflows.yaml_file import read_document

    changes = None if model_settings is None else read_document(model_settings).values
    if dry_run:
        needed = count_calls(
            paths or (),
            model or (),
            against=against,
            turns=turns,
            repetitions=repetitions,
            game=game,
            seed=seed,
            changes=changes,
        )
        if json:
            print_json(needed)
        else:
            cost = "" if needed["cost"] is None else f", about {needed['cost']:.2f}"
            print(f"{needed['n_games']:,} games, {needed['calls']:,.0f} calls{cost}")
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
            workers=workers,
            engine=engine.value,
            fidelity=fidelity.value,
            reuse_instances=reuse_instances,
            faults=faults.value,
            log=log.value,
            label=label,
            output=output,
            figures=figures,
            update=update,
        )
    for line in result.notes:
        note(f"note: {line}")
    if json:
        print_json(result.to_dict())
        return
    _print(result)
    if output is not None:
        note(f"wrote {output}")


def _print(result: Any) -> None:
    from intent.cli.console import note, print_table

    told = result.to_dict()
    rows = result.standings
    played = f"{told['game']}, {told['turns']:,} rounds, noise {told['noise']:g}"
    played += f", repetitions {told['repetitions']}"
    print_table(
        (
            "rank",
            "name",
            "group",
            "median score",
            "interval of the mean",
            "wins",
            "cooperation",
            "opens with C",
        ),
        [
            (
                row["rank"],
                row["name"],
                row["group"] or "–",
                row["median_score"],
                _interval(row),
                row["wins"],
                row["cooperation_rate"],
                row["initial_c_rate"],
            )
            for row in rows[:_TOP]
        ],
        title=f"{told['n']} strategies, {told['matches']:,} matches ({played}; engine {told['engine']})",
    )
    if len(rows) > _TOP:
        print(f"then {', '.join(row['name'] for row in rows[_TOP:])}")
    for name, title in (("payoff", "Payoff per round"), ("cooperation", "Share of cooperation")):
        matrix = result.head_to_head[name]
        if 0 < len(matrix) <= _TOP:
            print()
            header = ("", *matrix)
            lines = [(row, *columns.values()) for row, columns in matrix.items()]
            print_table(header, lines, title=f"{title} of rows against columns")
    labelled = result.label_rows()
    if labelled is not None:
        print()
        header, lines = labelled
        print_table(header, lines, title=f"Shares of labels by {result.config['label']}")
    for one in told["left_out"]:
        note(f"left out: {one['name']}: {one['reason']}")
    if result.config["faults"] == "void":
        for one in told["faults"]:
            note(f"not counted: {one['name']} against {one['against']} ({one['kind']}: {one['reason']})")


def _interval(row: dict[str, Any]) -> str:
    if row["score_low"] is None:
        return "–"
    return f"{row['score_low']:.3f} to {row['score_high']:.3f}"
