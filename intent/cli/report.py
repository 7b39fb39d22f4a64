"""``intent report``: a log, a run or labels -> one self-contained HTML file.

``intent figures``: a log, a run or a result table -> figures, each with the table it shows.

``intent results``: a log or a run -> all tables and figures of a published study.

``intent view``: a log or a run -> a local page to browse its games.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from intent.base.errors import UsageError
from intent.cli.options import (
    Bootstrap,
    By,
    JsonFlag,
    KeepDefaulted,
    Level,
    LogRecogniser,
    Others,
    Overwrite,
    Seed,
    reads_logs,
)

__all__ = ["figures", "report", "results", "view"]


ReportSource = Annotated[
    Path, typer.Argument(metavar="LOG|RUN|LABELS", help="A game log, a run folder, or a table of labels.")
]


_SHOWN = 5
"""Findings that are printed."""


@reads_logs
def report(
    source: ReportSource,
    output: Annotated[Path, typer.Option("-o", "--output", help="The page.")] = Path("report.html"),
    full: Annotated[
        bool,
        typer.Option("--full", help="Every factor, a regression, sensitivity, play, example games too."),
    ] = False,
    short: Annotated[
        bool, typer.Option("--short", help="Two printed pages: findings with figures, and their limits.")
    ] = False,
    by: By = None,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    recogniser: LogRecogniser = None,
    others: Others = None,
    keep_defaulted: KeepDefaulted = False,
    reading: dict[str, Any] | None = None,
    bootstrap: Bootstrap = 1000,
    permutations: Annotated[int, typer.Option(min=1, help="Draws or permutations per test.")] = 5000,
    level: Level = 0.95,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Write a report: ranked findings, quality, labels, comparisons with caveats.

    One file that loads nothing, for a screen, a phone or paper. --full
    compares by every factor that varies; --short prints on two pages.
    """
    from intent.cli.console import note, print_json, progress, say
    from intent.report.report import report as run

    with progress("report", quiet=json) as update:
        result = run(
            source,
            output,
            full=full,
            short=short,
            by=by or (),
            title=title,
            recogniser=recogniser,
            others=others,
            keep_defaulted=keep_defaulted,
            bootstrap=bootstrap,
            permutations=permutations,
            level=level,
            seed=seed,
            overwrite=overwrite,
            update=update,
            **(reading or {}),
        )
    for line in result.notes:
        note(f"note: {line}")
    if json:
        print_json(result.to_dict())
        return
    size = f"{result.size / 1e6:.1f} MB" if result.size >= 1e6 else f"{result.size / 1e3:.0f} kB"
    games = "" if result.n_games is None else f" of {result.n_games:,} games"
    say(f"{result.n:,} rows{games}, {len(result.sections)} sections, {size}, {result.seconds:.1f} s")
    for sentence in result.sentences()[:_SHOWN]:
        say(f"- {sentence}")
    note(f"wrote {output}")


FiguresSource = Annotated[
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
    source: FiguresSource = None,
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
        from intent.report.figures import table_figures

        play = (("--stakes", stakes), ("--persona", persona), ("--outcome", outcome))
        for option in (name for name, value in (*play, ("--keep-defaulted", keep_defaulted)) if value):
            raise UsageError(f"{option} is about play, and {source} is a table of {kind}, expected a log")
        result = table_figures(source, names or (), folder, by=by or (), where=chosen["where"], **drawing)
    else:
        from intent.report.figures import figures as run

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
    from intent.report.figure_makers import table_kind

    if reading.get("format", "auto") != "auto" or reading.get("mapping"):
        return None
    return table_kind(source)


def _number(n: int | None) -> str:
    return "–" if n is None else f"{n:,}"


def _print_list(*, json: bool) -> None:
    from intent.cli.console import print_json, print_table, say
    from intent.report.figure_makers import TABLES
    from intent.report.figures import listed

    found = listed()
    if json:
        print_json(found)
        return
    rows = [(f["name"], f["shows"], f["needs"], f["command"]) for f in found["figures"]]
    print_table(("figure", "shows", "needs", "drawn by"), rows)
    say()
    print_table(("table", "written by"), [(kind.name, kind.command) for kind in TABLES])


ResultsSource = Annotated[
    Path, typer.Argument(metavar="LOG|RUN", help="A game log of any known format, or a run folder.")
]


@reads_logs
def results(
    source: ResultsSource,
    paper: Annotated[
        str, typer.Option("--paper", help="Whose results: agent_architectures or private_deliberation.")
    ],
    folder: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into.")] = Path("results"),
    reading: dict[str, Any] | None = None,
    image: Annotated[str, typer.Option(help="png, svg or pdf.")] = "png",
    bootstrap: Annotated[int, typer.Option(help="Samples of intervals and tests.")] = 2000,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Make every table and figure of a published study from a log.

    Verdicts on its hypotheses stand beside the published ones. What
    the log cannot give is listed with the reason.
    """
    from intent.cli.console import note, print_json, print_table, say
    from intent.report.results import results as run

    made = run(
        source,
        # a bare name is never a folder that happens to stand here
        Path(paper) if "/" in paper or os.sep in paper else paper,
        folder,
        image=image,
        bootstrap=bootstrap,
        seed=seed,
        overwrite=overwrite,
        **(reading or {}),
    )
    if json:
        print_json(made)
        return
    listed = [("table", one) for one in made["tables"]] + [("figure", one) for one in made["figures"]]
    rows = [(kind, one["file"], one["title"], one["published"] or "") for kind, one in listed]
    print_table(("kind", "file", "what", "published as"), rows)
    if made["verdicts"]:
        say()
        verdicts = [(v["hypothesis"], v["verdict"], v["published"], v["claim"]) for v in made["verdicts"]]
        print_table(("hypothesis", "verdict", "published", "claim"), verdicts)
    for one in made["skipped"]:
        note(f"no {one['name']}: {one['why']}")
    for line in made["notes"]:
        note(line)
    note(f"wrote {len(listed)} files into {folder}")


ViewSource = Annotated[
    Path,
    typer.Argument(metavar="RUN|LOG|LABELS", help="Run folder (also while played), game log, or labels."),
]


@reads_logs
def view(
    source: ViewSource,
    labels: Annotated[
        Path | None, typer.Option(help="Table of labels (default: they are made while the page is open).")
    ] = None,
    recogniser: Annotated[
        str, typer.Option("-r", "--recogniser", help="What makes labels, where there is no table.")
    ] = "bayes-canonical4",
    others: Others = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any that is free.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Open no browser.")] = False,
    no_token: Annotated[
        bool,
        typer.Option("--no-token", help="Let every user of this machine read, at an address without token."),
    ] = False,
    reading: dict[str, Any] | None = None,
) -> None:
    """Browse games in a local page: filter, look at one, see why it has its label.

    The page reads only, and only this machine can reach it. Its address
    stands on standard output; the token in it keeps other users of the
    machine out. Ctrl+C ends it.
    """
    from intent.cli.console import note, say
    from intent.view.serve import view as run

    def ready(address: str) -> None:
        say(address)
        note("Ctrl+C ends it")

    run(
        source,
        labels=labels,
        recogniser=recogniser,
        others=others,
        port=port,
        browser=not no_browser,
        token=not no_token,
        ready=ready,
        **(reading or {}),
    )
    note("stopped")
