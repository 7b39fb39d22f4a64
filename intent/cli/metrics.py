"""``intent metrics``: any log -> behaviour and comprehension metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import (
    Bootstrap,
    By,
    Dask,
    JsonFlag,
    KeepDefaulted,
    Level,
    LogPath,
    Others,
    Overwrite,
    Seed,
    Workers,
)
from intent.cli.reading import reads_logs

__all__ = ["metrics"]

Tables = Annotated[
    list[Path] | None,
    typer.Option(
        "-o", "--output", help="Metrics (.parquet .csv .jsonl) or means by group (.json); repeatable."
    ),
]


_GROUPS = 10
"""Groups that are printed, each with a line for every metric."""


@reads_logs
def metrics(
    log: LogPath,
    by: By = None,
    cluster: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="What is independent, cell for conditions; default: as the design says (sessions, "
            "subjects, conditions that repeat, else games).",
        ),
    ] = None,
    bootstrap: Bootstrap = 2000,
    level: Level = 0.95,
    rescore: Annotated[
        bool, typer.Option("--rescore", help="Read and score the answers to questions again.")
    ] = False,
    others: Others = None,
    keep_defaulted: KeepDefaulted = False,
    reading: dict[str, Any] | None = None,
    seed: Seed = 0,
    workers: Workers = 1,
    dask: Dask = None,
    output: Tables = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Measure behaviour: cooperation, niceness, forgiveness, retaliation, emulation, and more.

    One row per agent and game, each metric with its denominator, so that "never" can be told from
    "no occasion"; answers to comprehension questions too.
    """
    from intent.cli.console import note, print_json, print_table, say
    from intent.workflows.metrics import claim_outputs
    from intent.workflows.metrics import metrics as run

    claim_outputs(output or [], overwrite=overwrite, source=log)
    settings = {
        "by": by or (),
        "cluster": cluster or (),
        "bootstrap": bootstrap,
        "level": level,
        "rescore": rescore,
        "others": others,
        "keep_defaulted": keep_defaulted,
        "seed": seed,
        "workers": workers,
        "dask": dask,
        **(reading or {}),
    }
    result = _streamed(log, output or [], overwrite, json, settings)
    if result is None:
        result = run(log, **settings)
    for path in output or []:
        if path != getattr(result, "path", None):
            result.write(path, overwrite=overwrite)
    for line in result.notes:
        note(f"note: {line}")
    if json:
        print_json(result.to_dict(next((p for p in output or [] if p.suffix != ".json"), None)))
        return
    header, rows = result.rows(_GROUPS)
    told = f"{result.n:,} trajectories of {result.n_games:,} games"
    print_table(header, rows, title=f"{told}, with {level * 100:g} % intervals")
    say(result.unit_line)
    if (more := len(result.groups) - _GROUPS) > 0:
        note(
            f"note: {more} further groups are not printed; -o FILE.csv or FILE.json, or --json, has them all"
        )
    header, rows = result.question_rows(_GROUPS)
    if rows:
        say()
        print_table(header, rows, title="Answers to comprehension questions, shares of rounds")
    for path in output or []:
        note(f"wrote {path}")


def _streamed(log: Path, outputs: list[Path], overwrite: bool, quiet: bool, settings: dict[str, Any]) -> Any:
    """Metrics made piece by piece; None where the log, a setting or an output does not allow that."""
    from intent.cli.console import progress
    from intent.workflows.metrics_stream import stream_metrics

    tables = [path for path in outputs if path.suffix != ".json"]
    if len(tables) > 1:
        return None
    with progress("measuring", quiet=quiet) as update:
        return stream_metrics(
            log, tables[0] if tables else None, overwrite=overwrite, update=update, **settings
        )
