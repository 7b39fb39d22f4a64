"""``intent strategies check``: which written strategies run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.arena_options import Engine, Salt, Workers
from intent.cli.options import JsonFlag, Overwrite, Seed

__all__ = ["check"]


def check(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="Files of written strategies, or folders of .py files."),
    ],
    engine: Engine = "auto",
    turns: Annotated[int, typer.Option(min=1, max=100_000, help="Rounds of each short match.")] = 50,
    workers: Workers = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Table of strategies (.csv .parquet .jsonl) or result (.json)."),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--page", metavar="FILE.html", help="Page for inspection: code, words, play."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="A strategy that does not run is an error (exit code 2).")
    ] = False,
    seed: Seed = 0,
    salt: Salt = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Read written strategies, gate them and let them play a little in the sandbox: what runs?"""
    from intent.cli.console import note, print_json, print_table, progress, say
    from intent.workflows.check_strategies import check_strategies

    with progress("matches", quiet=json) as update:
        found = check_strategies(
            paths,
            engine=engine,
            turns=turns,
            workers=workers or None,
            seed=seed,
            salt=salt,
            strict=strict,
            output=output,
            page=page,
            overwrite=overwrite,
            update=update,
        )
    if json:
        print_json(found.to_json())
        return
    ok = len(found.entrants)
    ran = f"engine {found.engine}, {turns} rounds each" if found.engine else "nothing passed the gate"
    print_table(
        ("file", "strategies", "run", "ranks"),
        [(Path(f.path).name, f.n, f.ok, ", ".join(f.ranks) or None) for f in found.files],
        f"{ok:,} of {found.n:,} strategies run ({ran})",
    )
    groups = found.groups()
    if set(groups) != {Path(f.path).name for f in found.files}:
        say()
        print_table(
            ("attitude or file", "strategies", "run"), [(k, g["n"], g["ok"]) for k, g in groups.items()]
        )
    if found.failed:
        say()
        print_table(
            ("failed", "where", "reason"),
            [(f.name, f.origin or None, _reason(f.reason, f.origin)) for f in found.failed],
        )
    for line in found.notes:
        note(f"note: {line}")
    note(found.salt.replay)
    for written in filter(None, (output, page)):
        note(f"wrote {written}")


def _reason(reason: str, origin: str) -> str:
    """The reason, without the line where it is the one that the strategy begins in."""
    _, _, line = origin.rpartition(" line ")
    return reason.removeprefix(f"line {line}: ")
