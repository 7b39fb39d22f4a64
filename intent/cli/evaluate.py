"""``intent evaluate``: a recogniser on a labelled log -> accuracy, F1, calibration, regret."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from intent.cli.options import JsonFlag, LogPath, Output, Overwrite
from intent.cli.reading import reads_logs

__all__ = ["evaluate"]


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
    from intent.workflows.evaluate import evaluate as run

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
        from intent.workflows.evaluate import contract

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
