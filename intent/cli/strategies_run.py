"""``intent strategies run``: the whole chain of the study of written strategies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.arena_options import Engine, Salt, Workers
from intent.cli.options import JsonFlag

__all__ = ["run"]


def run(
    file: Annotated[Path, typer.Argument(help="Chain: a YAML file of models, styles, matches, evolution.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for results; that of an earlier run goes on.")
    ],
    published: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FOLDER",
            help="Start from published sets (anthropic_default.py, …), not from writing; the paper's numbers "
            "then stand beside ours.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="In place of the file's, as evolution.runs=10."),
    ] = None,
    salt: Salt = None,
    engine: Engine = "auto",
    workers: Workers = None,
    json: JsonFlag = False,
) -> None:
    """Write strategies (or read published ones), validate them, play their tournaments, let them evolve.

    Prints and leaves tables 3 to 6 of the paper, verdicts on its claims, a page for inspection and a
    summary. Replies of models and matches are kept in the folder: a run that was stopped goes on.
    """
    from intent.cli.console import note, print_json, print_table, progress, say
    from intent.workflows.chain.printed import printed_tables
    from intent.workflows.chain.run import run_chain

    with progress("chain", quiet=json) as update:
        result = run_chain(
            file,
            output,
            published=published,
            settings=settings or (),
            salt=salt,
            workers=workers or None,
            engine=engine,
            update=lambda stage, done, total: update(done, total),
        )
    if json:
        print_json(result)
        return
    print_table(
        ("set", "model", "style", "noise", "strategies", "run"),
        [(s["file"], s["model"], s["style"], f"{s['noise']:g}", s["n"], s["ok"]) for s in result["sets"]],
    )
    for table in printed_tables(result):
        say()
        print_table(table.header, table.rows, table.title)
        if table.remark:
            note(f"note: {table.remark}")
    if result["verdicts"]:
        say()
        print_table(
            ("claim", "here", "paper"),
            [(v["claim"], v["verdict"], v["published"]) for v in result["verdicts"]],
        )
    for line in result["notes"]:
        note(f"note: {line}")
    note(result["replay"])
    note(f"{result['path']}/summary.md")
