"""``intent figures``: a log, a run or a result table -> figures, each with the table it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import By, JsonFlag, KeepDefaulted, Level, Overwrite, Seed
from intent.cli.reading import reads_logs
from intent.errors import UsageError

__all__ = ["figures"]

Source = Annotated[
    Path | None,
    typer.Argument(
        metavar="LOG|RUN|TABLE",
        help="A game log of any known format, a run folder, or a table that a command wrote.",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="Figures, as --list names them; default all that can be made."),
]


@reads_logs
def figures(
    source: Source = None,
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
    level: Level = 0.95,
    bootstrap: Annotated[int, typer.Option(help="Samples of the bootstrap over games.")] = 2000,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    list_: Annotated[
        bool, typer.Option("--list", help="List all figures: what each shows, needs, and is drawn by.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Draw figures of a log, or of a table that another command wrote.

    Of a log: penalties, choices, cooperation, biases; panels or lines are
    models, or the columns of --by, and games are drawn apart. Of a table
    of labels, metrics, shares, …: what --list says. Beside each image stands
    its table as CSV.
    """
    from intent.cli.console import note, print_json, print_table
    from intent.cli.options import parse_pairs

    if list_:
        _print_list(json=json)
        return
    if source is None:
        raise UsageError("no log or table is given, expected intent figures LOG|RUN|TABLE, or --list")
    chosen = reading or {}
    drawing: dict[str, Any] = {
        "image": image,
        "level": level,
        "bootstrap": bootstrap,
        "seed": seed,
        "overwrite": overwrite,
    }
    kind = _table(source, chosen)
    if kind is not None:
        from intent.workflows.table_figures import table_figures

        play = (("--stakes", stakes), ("--persona", persona), ("--outcome", outcome))
        for option in (name for name, value in (*play, ("--keep-defaulted", keep_defaulted)) if value):
            raise UsageError(f"{option} is about play, and {source} is a table of {kind}, expected a log")
        result = table_figures(source, names or (), folder, by=by or (), where=chosen["where"], **drawing)
    else:
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
            **drawing,
            **chosen,
        )
    if json:
        print_json(result.to_dict())
    else:
        of_log = kind is None
        header = ("figure", *(("game",) if of_log else ()), "games", "image", "table")
        rows = [
            [f["name"], *([f["game"]] if of_log else []), _number(f["n_games"]), f["file"], f["table"]]
            for f in result.figures
        ]
        print_table(header, rows)
        for skipped in result.skipped:
            of = f" of {skipped['game']}" if of_log else ""
            note(f"no {skipped['name']}{of}: {skipped['why']}")
    for line in result.notes:
        note(line)
    n = len(result.figures)
    note(f"wrote {n} figure{'s' * (n > 1)} into {folder}")


def _table(source: Path, reading: dict[str, Any]) -> str | None:
    """The kind of result table in a file; None for a log, or where options say how to read one."""
    from intent.workflows.result_tables import table_kind

    if reading.get("format", "auto") != "auto" or reading.get("mapping"):
        return None
    return table_kind(source)


def _number(n: int | None) -> str:
    return "–" if n is None else f"{n:,}"


def _print_list(*, json: bool) -> None:
    from intent.cli.console import print_json, print_table, say
    from intent.workflows.figure_list import listed
    from intent.workflows.result_tables import TABLES

    found = listed()
    if json:
        print_json(found)
        return
    rows = [(f["name"], f["shows"], f["needs"], f["command"]) for f in found["figures"]]
    print_table(("figure", "shows", "needs", "drawn by"), rows)
    say()
    print_table(("table", "written by"), [(kind.name, kind.command) for kind in TABLES])
