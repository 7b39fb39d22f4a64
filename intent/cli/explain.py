"""``intent explain``: a table of metrics -> what drives them, by a random forest and SHAP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import By, JsonFlag, Overwrite, Seed, Where, parse_pairs

__all__ = ["explain"]

Source = Annotated[
    Path,
    typer.Argument(metavar="TABLE", help="Metrics by intent metrics, or any table (.parquet .csv .jsonl)."),
]


def explain(
    table: Source,
    target: Annotated[
        list[str] | None,
        typer.Option("-t", "--target", help="Metric to explain (repeatable); all: the six of behaviour."),
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option("-f", "--features", metavar="COLUMN[,COLUMN…]", help="What it may depend on."),
    ] = None,
    by: By = None,
    where: Where = None,
    trees: Annotated[int, typer.Option(help="Trees of the forest.")] = 10,
    seeds: Annotated[int, typer.Option(help="Forests by which stability is judged.")] = 20,
    with_occasion: Annotated[
        bool, typer.Option("--with-occasion", help="Leave out rows whose <target>_n is 0.")
    ] = False,
    seed: Seed = 0,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder for figures, tables and explain.json.")
    ] = None,
    image: Annotated[str, typer.Option(help="png, svg or pdf.")] = "png",
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Explain a metric: a random forest, and SHAP importances by feature.

    With them stand the fit on rows left out and how far the ranking
    changes with the forest's seed.
    """
    from intent.cli.console import note, print_json, print_table, say
    from intent.workflows.explain import explain as run

    result = run(
        table,
        target or ("cooperation_rate",),
        features or ("attitude", "opponent", "rounds", "game"),
        by=by or (),
        where=parse_pairs(where, "--where"),
        trees=trees,
        seeds=seeds,
        with_occasion=with_occasion,
        seed=seed,
    )
    if output is not None:
        result.write(output, image=image, overwrite=overwrite)
    if json:
        print_json(result.to_dict())
    else:
        for title, header, rows, words in result.texts():
            print_table(header, rows, title=title)
            for line in words:
                say(line)
            say()
    if output is not None:
        note(f"wrote {len(result.files)} files into {output}")
