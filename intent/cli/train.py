"""``intent train``: a dataset spec or log, model names -> tracked runs and saved recognisers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import (
    JsonFlag,
    Overwrite,
    Seed,
)
from intent.cli.reading import reads_logs
from intent.errors import UsageError

__all__ = ["train"]


@reads_logs
def train(
    data: Annotated[str, typer.Argument(help="Dataset spec (shipped name or YAML) or labelled log.")],
    model: Annotated[
        list[str] | None, typer.Option("-m", "--model", help="Kinds, repeated or separated by commas.")
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "-p", "--param", metavar="NAME=VALUE", help="Parameter of the models; a wrong name lists them."
        ),
    ] = None,
    calibrate: Annotated[
        str | None,
        typer.Option(metavar="METHOD", help="Calibrate on a quarter of the play: temperature or isotonic."),
    ] = None,
    test_share: Annotated[
        float, typer.Option(min=0.01, max=0.9, help="Held-out share of a log's settings.")
    ] = 0.2,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the recognisers.")] = Path(
        "recognisers"
    ),
    no_track: Annotated[bool, typer.Option("--no-track", help="Do not record the runs in MLflow.")] = False,
    tracking: Annotated[str | None, typer.Option(help="MLflow tracking URI or SQLite file.")] = None,
    experiment: Annotated[str, typer.Option(help="MLflow experiment.")] = "intent",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint of a training that was cut off.")
    ] = False,
    reading: dict[str, Any] | None = None,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Train recognisers and save them; logistic and forest by default.

    Kinds: bayes, logistic, forest, mlp, hmm, lstm, sfem, rules, hybrid, calibrated.
    The lstm learns from fresh play without end where the data are a spec.
    """
    from intent.cli.console import note, print_json, print_table, progress
    from intent.workflows.tracker import make_tracker, show_runs
    from intent.workflows.train import train as run

    kinds = [
        kind.strip() for item in model or ["logistic,forest"] for kind in item.split(",") if kind.strip()
    ]
    tracker = make_tracker(None if no_track else (tracking or "mlflow.db"), experiment)
    try:
        with progress("training", quiet=json) as update:
            result = run(
                data,
                kinds,
                output=output,
                parameters=_parameters(parameter),
                calibrate=calibrate,
                test_share=test_share,
                seed=seed,
                **(reading or {}),
                tracker=tracker,
                overwrite=overwrite,
                resume=resume,
                update=update,
            )
    except KeyboardInterrupt:
        if any(Path(output).glob("*.ckpt")):
            note(f"the training so far is kept in {output}; the same command with --resume goes on from it")
        raise
    if json:
        keys = ("name", "path", "run_id", "accuracy", "regret", "seconds")
        print_json({"models": [{key: model[key] for key in keys} for model in result["models"]]})
        return
    columns = (
        "name",
        "accuracy",
        "standard_error",
        "macro_f1",
        "ece",
        "ceiling",
        "regret",
        "seconds",
        "path",
    )
    rows = [[_shown(column, m[column]) for column in columns] for m in result["models"]]
    heads = ("model", "accuracy", "±", "macro F1", "ECE", "ceiling", "regret", "seconds", "saved to")
    print_table(heads, rows)
    if all(m["accuracy"] is None for m in result["models"]):
        note("the play is not labelled, so there is nothing to be measured on")
    else:
        note("±: standard error of accuracy and regret")
    if result["models"][0]["ceiling_kind"]:
        kind = result["models"][0]["ceiling_kind"].replace("_", " ")
        note(f"ceiling: exact Bayes rule, by {kind}")
    if result["tracking"]:
        note(f"runs: {show_runs(result['tracking'])}")


def _shown(column: str, value: Any) -> Any:
    """Four decimals for what is measured, so that errors and differences can be compared down a column."""
    if not isinstance(value, float):
        return value
    return f"{value:.1f}" if column == "seconds" else f"{value:.4f}"


def _parameters(items: list[str] | None) -> dict[str, Any]:
    from intent.files.json_text import json_value

    found: dict[str, Any] = {}
    for item in items or []:
        name, equals, text = item.partition("=")
        if not equals or not name:
            raise UsageError(f"--param {item!r}, expected NAME=VALUE")
        try:
            found[name.strip()] = json_value(text)
        except (ValueError, RecursionError):
            found[name.strip()] = text
    return found
