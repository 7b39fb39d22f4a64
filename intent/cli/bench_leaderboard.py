"""``intent bench gamma leaderboard``: runs of several models -> their ranking."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.bench_score import Scoring
from intent.cli.options import JsonFlag, Overwrite, parse_pairs
from intent.cli.reading import reads_logs

__all__ = ["leaderboard"]

Sources = Annotated[
    list[Path] | None,
    typer.Argument(metavar="FILE|RUN|TABLE…", help="As of score, or tables that score wrote."),
]


@reads_logs
def leaderboard(
    sources: Sources = None,
    scoring: Scoring = "code",
    published: Annotated[
        bool, typer.Option("--published", help="Put four published models beside yours.")
    ] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="Let runs that lack games count with those they have.")
    ] = False,
    rename: Annotated[
        list[str] | None,
        typer.Option("--rename", metavar="OLD=NEW", help="Call a model NEW (repeatable); joins two names."),
    ] = None,
    reading: dict[str, Any] | None = None,
    folder: Annotated[Path | None, typer.Option("-o", "--output", help="Folder to write into.")] = None,
    overwrite: Overwrite = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    json: JsonFlag = False,
) -> None:
    """Rank models: mean and sample deviation over runs, per game, per family, overall.

    Runs of other settings than the paper's are left out. The overall
    score of a run is the mean over its eight games.
    """
    import sys

    from intent.cli.blocks import print_blocks
    from intent.cli.console import harmless, note, print_json
    from intent.errors import UsageError
    from intent.workflows.bench.leaderboard import leaderboard_of

    if json and markdown:
        raise UsageError("--json and --markdown, expected one of them")
    names = {old: new[-1] for old, new in parse_pairs(rename, "--rename", "OLD=NEW").items()}
    result = leaderboard_of(
        sources or [],
        scoring=scoring,
        published=published,
        partial=partial,
        rename=names,
        **(reading or {}),
    )
    wrote = result.write(folder, overwrite=overwrite) if folder is not None else []
    for line in result.notes:
        note(f"note: {line}")
    for reject in result.rejects:
        note(f"cannot score {reject['reason']}")
    if json:
        print_json(result.to_dict())
    elif markdown:
        sys.stdout.write(harmless(result.markdown()))
    else:
        print_blocks(*result.rows())
    for path in wrote:
        note(f"wrote {path}")
