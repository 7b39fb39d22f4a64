"""``intent train``: a dataset spec or log, model names -> tracked runs and saved recognisers.

``intent evaluate``: a recogniser on a labelled log -> accuracy, F1, calibration, regret.

``intent models``: the recognisers that come with the package.

``intent study``: many recognisers at many points of noise, length and opponent -> tables and figures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.base.errors import UsageError
from intent.cli.options import (
    Dask,
    JsonFlag,
    LogPath,
    Output,
    Overwrite,
    Seed,
    Workers,
    parse_pairs,
    reads_logs,
)

__all__ = ["evaluate", "models", "study", "train"]


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
    from intent.base.tracking import make_tracker, show_runs
    from intent.cli.console import note, print_json, print_table, progress
    from intent.recognise.train import train as run

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
    from intent.base.json_text import json_value

    values: dict[str, Any] = {}
    for item in items or []:
        name, equals, text = item.partition("=")
        if not equals or not name:
            raise UsageError(f"--param {item!r}, expected NAME=VALUE")
        try:
            values[name.strip()] = json_value(text)
        except (ValueError, RecursionError):
            values[name.strip()] = text
    return values


@reads_logs
def evaluate(
    log: LogPath,
    recogniser: Annotated[
        str, typer.Option("-r", "--recogniser", help="Shipped name or saved folder.")
    ] = "bayes-canonical4",
    ceiling: Annotated[
        str,
        typer.Option(
            help="The rule to compare with: auto (knows the play's own noise), known (the eps of each "
            "trajectory), integrated (only that eps is in 0-0.2)."
        ),
    ] = "auto",
    reading: dict[str, Any] | None = None,
    output: Output = None,
    per_class: Annotated[
        bool, typer.Option("--per-class", help="Reliability of every class, beside the most probable one.")
    ] = False,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Measure a recogniser on a log whose strategies are known, against the exact ceiling.

    With -o FILE, how reliable its probabilities are: a diagram (.png, .svg, .pdf) or a table (.csv, .json).
    """
    from intent.cli.console import note, print_json, print_table, say
    from intent.recognise.evaluate import evaluate as run

    result = run(
        recogniser,
        log,
        ceiling=ceiling,  # type: ignore[arg-type]
        output=output,
        per_class=per_class,
        overwrite=overwrite,
        **(reading or {}),
    )
    if json:
        from intent.recognise.evaluate import contract

        print_json(contract(result))
        return
    per_name = result["per_class"].items()
    rows = [(name, s["precision"], s["recall"], s["f1"], s["n"]) for name, s in per_name]
    print_table(("strategy", "precision", "recall", "F1", "n"), rows, title=f"{recogniser} on {log}")
    say(
        f"accuracy {result['accuracy']:.4f} ± {result['standard_error']:.4f}   "
        f"macro F1 {result['macro_f1']:.4f}   ECE {result['ece']:.4f}   Brier {result['brier']:.4f}"
    )
    if result["unknown_classes"]:
        note(f"this recogniser cannot name {', '.join(result['unknown_classes'])}")
    if result["trained_on_this"]:
        note("it was trained on part of this very log: the figures flatter it")
    _print_regret(result)
    if output is not None:
        note(f"reliability: {output}")


def _print_regret(result: dict[str, Any]) -> None:
    from intent.cli.console import say

    if result["ceiling"] is None:
        say(f"no ceiling: {result['ceiling_rule']}")
        return
    kind = str(result["ceiling_kind"]).replace("_", " ")
    paired = result["paired"]
    say(f"ceiling {result['ceiling']:.4f} ({result['ceiling_rule']}, {kind})")
    if result["ceiling_kind"] == "exact_enumeration":
        say(f"regret {result['regret']:+.4f} ± {result['standard_error']:.4f} to that expectation")
    say(
        f"regret {paired['value']:+.5f} ± {paired['standard_error']:.5f} to that rule on this very play, "
        f"at most {paired['bound']:.5f} with 95 % confidence"
    )


models = typer.Typer(help="Shipped recognisers: list, show.", no_args_is_help=True)


@models.command("list")
def list_(json: JsonFlag = False) -> None:
    """List the recognisers that `intent label --recogniser` finds by name."""
    from intent.cli.console import print_json, print_table
    from intent.recognise.storage import list_models

    rows = list_models()
    if json:
        print_json({"models": rows})
        return
    table = [
        (r["name"], r["kind"], f"{r['bytes'] / 1000:,.0f}", str(r["about"].get("summary", ""))) for r in rows
    ]
    print_table(("name", "kind", "kB", "what it is"), table)


@models.command("show")
def show(
    name: Annotated[str, typer.Argument(help="Shipped name or saved folder.")],
    json: JsonFlag = False,
) -> None:
    """Show the model card of a recogniser."""
    import json as json_module

    from intent.cli.console import print_json, show_text
    from intent.recognise.storage import show_model

    facts = show_model(name)
    if json:
        print_json(facts)
        return
    if facts["card"]:
        show_text(facts["card"])
        return
    show_text(json_module.dumps({k: v for k, v in facts.items() if k != "card"}, indent=2))


def study(
    file: Annotated[Path, typer.Argument(help="Study: a YAML file of recognisers, training and points.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for results; that of an earlier run goes on.")
    ],
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="COLUMN=VALUE",
            help="Run a part: group, recogniser, kind, set, train_size, train_noise, opponent, rounds, noise "
            "(repeat: same column OR, others AND).",
        ),
    ] = None,
    workers: Workers = 1,
    dask: Dask = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", envvar="INTENT_DATA", help="Folder of public logs, for opponents recorded there."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what there is to do.")] = False,
    json: JsonFlag = False,
) -> None:
    """Measure how recognisers hold up under noise, length, opponents and mismatched training.

    Trained models and measured cells are kept in the folder: a run that was stopped goes on, and a changed
    study computes only what changed.
    """
    from intent.cli.console import note, print_json, print_table, progress
    from intent.recognise.study.run import study as run

    with progress("study", quiet=json) as update:
        result = run(
            file,
            output,
            only=parse_pairs(only, "--only"),
            workers=workers,
            dask=dask,
            logs=data,
            dry_run=dry_run,
            update=update,
        )
    if json:
        print_json(result)
        return
    done = result["n_cells"] - result["n_pending"]
    print_table(
        ("models", "to train", "points", "cells", "done"),
        [(result["n_models"], result["n_untrained"], result["n_points"], result["n_cells"], done)],
    )
    for item in result["left_out"]:
        note(f"left out: {item['what']}: {item['why']}")
    if not dry_run:
        note(f"{result['path']}/summary.md after {result['seconds']:.0f} s")
