"""``intent compare``: shares or means by group, with intervals, tests and figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.console import note, print_json, print_table
from intent.cli.options import By, JsonFlag, Outputs, Overwrite, Seed, Where, parse_pairs

__all__ = ["compare"]

TablePath = Annotated[
    Path, typer.Argument(metavar="FILE", help="Labels, metrics or any table: Parquet, CSV, JSONL, .gz too.")
]
Count = Annotated[
    str,
    typer.Option(
        help="How labels count: status (uncertain ones apart), posterior, split (ties shared), best."
    ),
]
Metric = Annotated[
    str | None, typer.Option(help="Compare the mean of this numeric column instead of shares.")
]
Gate = Annotated[
    str | None,
    typer.Option(
        help="game: only games whose labelled seats all are confident; trajectory: only confident labels."
    ),
]
Cluster = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="Rows alike in these columns are not independent (game_id by default)."
    ),
]
Figure = Annotated[str, typer.Option(help="Kind of figure: auto, bars, heatmap, points.")]


def compare(
    file: TablePath,
    by: By = None,
    count: Count = "status",
    metric: Metric = None,
    gate: Gate = None,
    where: Where = None,
    cluster: Cluster = None,
    pairwise: Annotated[bool, typer.Option("--pairwise", help="Test every two groups too.")] = False,
    bootstrap: Annotated[int, typer.Option(min=1, help="Bootstrap samples.")] = 2000,
    permutations: Annotated[int, typer.Option(min=0, help="Permutations per test; 0 for none.")] = 2000,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    seed: Seed = 0,
    output: Outputs = None,
    figure: Figure = "auto",
    json: JsonFlag = False,
    overwrite: Overwrite = False,
) -> None:
    """Compare strategy shares, or the mean of a metric, between groups.

    Intervals resample whole games. Tests: chi-square (or analysis of variance)
    and a permutation of whole games, each corrected by Holm's method.
    """
    from intent.workflows.compare import compare as run
    from intent.workflows.result_files import check_output

    for path in output or []:
        check_output(path, overwrite=overwrite, origin=file)
    result = run(
        file,
        by or (),
        count=count,
        metric=metric,
        gate=gate,
        cluster=cluster or ("game_id",),
        bootstrap=bootstrap,
        permutations=permutations,
        level=level,
        pairwise=pairwise,
        seed=seed,
        where=parse_pairs(where, "--where"),
    )
    for path in output or []:
        result.write(path, figure=figure, overwrite=overwrite)
    for line in result.notes:
        note(f"note: {line}")
    if json:
        print_json(result.to_dict())
        return
    header, rows = result.rows()
    what = f"Mean of {metric}" if metric else "Shares in %"
    print_table(header, rows, title=f"{what}, with {level * 100:g} % intervals in brackets")
    for line in result.sentences():
        print(line)
    header, rows = result.pairs()
    if rows:
        print_table(header, rows, title="Pairs of groups, the deciding test of each (--json has all)")
    for path in output or []:
        note(f"wrote {path}")
