"""``intent bench gamma analyse``: runs -> which differences are real, regret, levels of reasoning, memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.bench_score import Scoring
from intent.cli.options import By, JsonFlag, Overwrite, Seed
from intent.cli.reading import reads_logs

__all__ = ["analyse"]

Sources = Annotated[
    list[Path], typer.Argument(metavar="RUN|LOG…", help="Run folders, game logs, GAMA-Bench's saved JSON.")
]


@reads_logs
def analyse(
    sources: Sources,
    by: By = None,
    scoring: Scoring = "code",
    samples: Annotated[int, typer.Option(min=100, max=1_000_000, help="Of bootstrap and tests.")] = 2000,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help="Of intervals.")] = 0.95,
    reading: dict[str, Any] | None = None,
    seed: Seed = 0,
    folder: Annotated[Path | None, typer.Option("-o", "--output", help="Folder to write into.")] = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Analyse runs of the eight games beyond their scores.

    Differences between models (or other --by columns) with exact paired
    tests, the regret of every move against a best reply, levels of
    reasoning in the guessing game, and what changes when a game is told
    as another story.
    """
    from intent.cli.console import note, print_json, print_table, say
    from intent.workflows.bench.analyse import analyse as run

    result = run(
        sources, by=by or "model", scoring=scoring, samples=samples, level=level, seed=seed, **(reading or {})
    )
    wrote = result.write(folder, overwrite=overwrite) if folder is not None else []
    if json:
        print_json(result.to_dict())
    else:
        tables = (
            ("differences of scores", result.difference_rows()),
            ("original less story", result.difference_rows(memory=True)),
            ("regret of a move, in what the game pays", result.regret_rows()),
            ("levels of reasoning in the guessing game", result.level_rows()),
        )
        shown = [table for table in tables if table[1][1]]
        for k, (title, (header, rows)) in enumerate(shown):
            if k:
                say()
            print_table(header, rows, title=title)
    for line in result.notes:
        note(f"note: {line}")
    for path in wrote:
        note(f"wrote {path}")
