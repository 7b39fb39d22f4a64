"""``intent bench gamma score``: saved files, runs and logs -> scores from 0 to 100."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import JsonFlag, Overwrite
from intent.cli.reading import reads_logs

__all__ = ["Scoring", "score"]

Scoring = Annotated[
    str, typer.Option("--scoring", help="code (what published numbers use) or paper (its equation 1).")
]
Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE…", help="GAMA-Bench's saved JSON, or folders of it, run folders, game logs."
    ),
]
Table = Annotated[
    list[Path] | None, typer.Option("-o", "--output", help="Scores (.csv .parquet .jsonl .json); repeatable.")
]


@reads_logs
def score(
    files: Files,
    scoring: Scoring = "code",
    reading: dict[str, Any] | None = None,
    output: Table = None,
    figures: Annotated[
        Path | None,
        typer.Option("--figures", metavar="DIR", help="Draw the play of each game into a folder."),
    ] = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Score runs of the eight games: one row per run, in the order given.

    With the score under the other scoring, and why they differ. Files
    that cannot be scored are listed with the reason.
    """
    from intent.cli.console import note, print_json, print_table
    from intent.workflows.bench.pictures import Pictures
    from intent.workflows.bench.score import score_files
    from intent.workflows.metrics import claim_outputs

    claim_outputs(output or [], overwrite=overwrite)
    pictures = Pictures.into(figures, overwrite=overwrite) if figures is not None else None
    result = score_files(files, scoring=scoring, seen=pictures.take if pictures else None, **(reading or {}))
    wrote = [result.write(path, overwrite=overwrite) for path in output or []]
    wrote += pictures.draw() if pictures is not None else []
    for line in result.notes:
        note(f"note: {line}")
    for reject in result.rejects:
        note(f"cannot score {reject['reason']}")
    if json:
        print_json(result.to_dict())
        return
    other = "paper" if scoring == "code" else "code"
    header = ("file", "game", "setting", "model", "run", "rounds", scoring, other)
    rows = [
        (r.file, r.game, r.setting, r.model, r.run, r.rounds, f"{r.score:.1f}", f"{r.other:.1f}")
        for r in result.rows
    ]
    print_table(header, rows)
    for path in wrote:
        note(f"wrote {path}")
