"""``intent evaluate``: a recogniser on a labelled log -> accuracy, F1, calibration, regret."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from intent.cli.options import JsonFlag, LogPath
from intent.cli.reading import reads_logs

__all__ = ["evaluate"]


@reads_logs
def evaluate(
    log: LogPath,
    recogniser: Annotated[
        str, typer.Option("-r", "--recogniser", help="Shipped name or saved folder.")
    ] = "bayes-canonical4",
    reading: dict[str, Any] | None = None,
    json: JsonFlag = False,
) -> None:
    """Measure a recogniser on a log whose strategies are known, against the exact ceiling."""
    from intent.cli.console import note, print_json, print_table
    from intent.workflows.evaluate import evaluate as run

    result = run(
        recogniser,
        log,
        **(reading or {}),
    )
    if json:
        from intent.workflows.evaluate import contract

        print_json(contract(result))
        return
    per_class = result["per_class"].items()
    rows = [(name, s["precision"], s["recall"], s["f1"], s["n"]) for name, s in per_class]
    print_table(("strategy", "precision", "recall", "F1", "n"), rows, title=f"{recogniser} on {log}")
    print(
        f"accuracy {result['accuracy']:.4f} ± {result['standard_error']:.4f}   "
        f"macro F1 {result['macro_f1']:.4f}   ECE {result['ece']:.4f}   Brier {result['brier']:.4f}"
    )
    if result["unknown_classes"]:
        note(f"this recogniser cannot name {', '.join(result['unknown_classes'])}")
    if result["trained_on_this"]:
        note("it was trained on part of this very log: the figures flatter it")
    if result["ceiling"] is None:
        print(f"no ceiling: {result['ceiling_rule']}")
        return
    kind = str(result["ceiling_kind"]).replace("_", " ")
    print(
        f"ceiling {result['ceiling']:.4f} ({result['ceiling_rule']}, {kind})   regret {result['regret']:+.4f}"
    )
