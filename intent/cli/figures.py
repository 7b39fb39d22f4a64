"""``intent figures``: a log or a run -> the figures of the literature, each with the table it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import By, JsonFlag, KeepDefaulted, Overwrite, Seed
from intent.cli.reading import reads_logs

__all__ = ["figures"]

Source = Annotated[
    Path, typer.Argument(metavar="LOG|RUN", help="A game log of any known format, or a run folder.")
]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME]...",
        help="payoffs, choices, cooperation, contributors, mismatch, personas, radar; default all.",
    ),
]


@reads_logs
def figures(
    source: Source,
    names: Names = None,
    folder: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into.")] = Path("figures"),
    by: By = None,
    stakes: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Payoff settings, where the usual columns do not say them."),
    ] = None,
    persona: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PERSONA=KIND", help="Kind of a persona: cooperative, selfish, neutral … (repeatable)."
        ),
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(help="What the radar measures: payoff or cooperation (default: as payoffs allow)."),
    ] = None,
    keep_defaulted: KeepDefaulted = False,
    reading: dict[str, Any] | None = None,
    image: Annotated[str, typer.Option(help="png, svg or pdf.")] = "png",
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    bootstrap: Annotated[int, typer.Option(help="Samples of the bootstrap over games.")] = 2000,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Draw how a log was played: penalties, choices, cooperation, biases.

    Panels or lines are models, or the columns of --by. Beside each image
    stands its table as CSV. Games are drawn apart.
    """
    from intent.cli.console import note, print_json, print_table
    from intent.cli.options import parse_pairs
    from intent.workflows.figures import figures as run

    result = run(
        source,
        names or (),
        folder,
        by=by or ("model",),
        stakes=stakes,
        personas={name: kinds[-1] for name, kinds in parse_pairs(persona, "--persona").items()},
        outcome=outcome,
        keep_defaulted=keep_defaulted,
        image=image,
        level=level,
        bootstrap=bootstrap,
        seed=seed,
        overwrite=overwrite,
        **(reading or {}),
    )
    if json:
        print_json(result.to_dict())
    else:
        rows = [(f["name"], f["game"], f["n_games"], f["file"], f["table"]) for f in result.figures]
        print_table(("figure", "game", "games", "image", "table"), rows)
        for skipped in result.skipped:
            note(f"no {skipped['name']} of {skipped['game']}: {skipped['why']}")
    for line in result.notes:
        note(line)
    n = len(result.figures)
    note(f"wrote {n} figure{'s' * (n > 1)} into {folder}")
