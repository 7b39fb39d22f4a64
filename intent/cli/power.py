"""``intent power``: games and rounds that it takes to see a difference."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import By, JsonFlag, Output, Overwrite, Seed, Workers, parse_pairs
from intent.cli.reading import reads_logs

__all__ = ["CONTEXT", "power"]

CONTEXT = {"ignore_unknown_options": True}
"""A negative difference looks like an option."""


@reads_logs
def power(
    difference: Annotated[float, typer.Argument(help="Between two groups, in a share (or a mean).")],
    strategy: Annotated[str, typer.Option(help="Whose share differs.")] = "TFT",
    strategies: Annotated[str, typer.Option(help="Set name, or names separated by commas.")] = "canonical4",
    base: Annotated[
        list[str] | None,
        typer.Option(metavar="STRATEGY=SHARE", help="True shares of the first group (repeatable)."),
    ] = None,
    rounds: Annotated[
        str | None, typer.Option(metavar="N,N,…", help="Rounds per game: 5,10,20, or the pilot's.")
    ] = None,
    games: Annotated[str, typer.Option(metavar="N,N,…", help="Games per group.")] = "50,100,200,500",
    targets: Annotated[str, typer.Option("--power", metavar="P,P,…", help="Powers to reach.")] = "0.8,0.9",
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    eps: Annotated[
        float | None, typer.Option(help="Noise of the players per move: .05, or the pilot's.")
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option(help="self (players meet each other), or whom they meet, as in intent generate."),
    ] = None,
    count: Annotated[
        str, typer.Option(help="How groups are compared: estimate, status, posterior or best.")
    ] = "estimate",
    seats: Annotated[
        int | None, typer.Option(help="Labelled seats per game: 2 where players meet each other, else 1.")
    ] = None,
    icc: Annotated[
        float | None, typer.Option(help="Correlation of the strategies of a game's seats: 0, or the pilot's.")
    ] = None,
    repeats: Annotated[int | None, typer.Option(help="Games of each condition: 1, or the pilot's.")] = None,
    spread: Annotated[
        float | None,
        typer.Option(help="Correlation of games of one condition: .25, or the pilot's."),
    ] = None,
    games_per_subject: Annotated[
        int | None, typer.Option(help="Games of each subject: 1, or the pilot's.")
    ] = None,
    design_effect: Annotated[
        float | None, typer.Option(help="In place of --icc, or of --spread with --repeats; of means.")
    ] = None,
    metric: Annotated[str | None, typer.Option(help="A mean differs: this number's.")] = None,
    sd: Annotated[float | None, typer.Option(help="Standard deviation of the metric over rows.")] = None,
    pilot: Annotated[
        Path | None,
        typer.Option(help="Log, labels or metrics of a pilot study, for all that is not said."),
    ] = None,
    by: By = None,
    cluster: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="What is independent in the pilot, in place of what its design says."
        ),
    ] = None,
    reading: dict[str, Any] | None = None,
    simulate: Annotated[int, typer.Option(help="Studies played for each number of --games.")] = 0,
    check: Annotated[int, typer.Option(help="Studies played of the number that is recommended.")] = 200,
    most: Annotated[int, typer.Option(help="Games per group up to which numbers are looked for.")] = 20_000,
    workers: Workers = 0,
    seed: Seed = 0,
    output: Output = None,
    json: JsonFlag = False,
    overwrite: Overwrite = False,
) -> None:
    """Plan games and rounds: the power to see a difference between two groups.

    Whole studies of the design are played and compared as intent compare does;
    the number of games that is recommended is played once more.
    """
    from intent.cli.console import note, print_json, print_table, progress, say
    from intent.workflows.power import power as run
    from intent.workflows.result_files import check_output

    if output:
        check_output(output, overwrite=overwrite, origin=pilot)
    with progress("planning", quiet=json) as update:
        result = run(
            difference,
            strategy=strategy,
            strategies=strategies,
            base=_shares(base),
            rounds=_numbers(rounds, "--rounds", int) if rounds else None,
            games=_numbers(games, "--games", int),
            targets=_numbers(targets, "--power", float),
            alpha=alpha,
            eps=eps,
            opponent=opponent,
            count=count,
            seats=seats,
            icc=icc,
            repeats=repeats,
            spread=spread,
            games_per_subject=games_per_subject,
            design_effect=design_effect,
            metric=metric,
            sd=sd,
            pilot=pilot,
            by=by or (),
            cluster=cluster,
            simulate=simulate,
            check=check,
            most=most,
            seed=seed,
            workers=workers,
            update=update,
            **(reading or {}),
        )
    if output:
        result.write(output, overwrite=overwrite)
    for line in result.notes:
        note(f"note: {line}")
    if json:
        print_json(result.to_dict())
        return
    for header, rows, title in result.tables():
        print_table(header, rows, title=title)
        say()
    if output:
        note(f"wrote {output}")


def _numbers(text: str, option: str, kind: type) -> list:  # type: ignore[type-arg]
    from intent.errors import UsageError

    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"{option} {text!r}, expected numbers separated by commas") from None


def _shares(items: list[str] | None) -> dict[str, float] | None:
    from intent.errors import UsageError

    found = {}
    for name, values in parse_pairs(items, "--base", "STRATEGY=SHARE").items():
        try:
            (found[name],) = map(float, values)
        except ValueError:
            raise UsageError(f"--base {name}={values[-1]}, expected one share per strategy") from None
    return found or None
