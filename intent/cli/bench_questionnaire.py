"""``intent bench gamma questionnaire``: a user's own items, put to a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.cli.options import JsonFlag, Seed

__all__ = ["questionnaire"]


def questionnaire(
    items: Annotated[
        Path, typer.Argument(metavar="ITEMS", help="YAML or CSV: name, text, low, high, reversed, subscale.")
    ],
    model: Annotated[str, typer.Option("-m", "--model", help="The language model, such as openai/gpt-4o.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for replies and results; an earlier one goes on.")
    ],
    repetitions: Annotated[int, typer.Option(min=1, max=1000, help="How often each item is asked.")] = 5,
    persona: Annotated[
        str | None, typer.Option(help="Text that the model is given first, as it stands.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(min=0, help="Default: the endpoint's own.")] = None,
    retries: Annotated[int, typer.Option(min=0, max=100, help="Asked again where no number is read.")] = 2,
    constrained: Annotated[
        bool, typer.Option("--constrained", help="Replies can only be numbers of the scale.")
    ] = False,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Put your own items to a model and average its answers by subscale.

    Every item is asked in a conversation of its own. No items come with
    the package but a small example of everyday choices.
    """
    from intent.cli.console import note, print_json, print_table, progress
    from intent.workflows.bench.questionnaire import put_questionnaire

    with progress("asking", quiet=json) as update:
        result = put_questionnaire(
            items,
            model,
            output,
            repetitions=repetitions,
            persona=persona,
            temperature=temperature,
            retries=retries,
            constrained=constrained,
            seed=seed,
            update=update,
        )
    if json:
        print_json(result)
        return
    rows = [(s["subscale"], _number(s["mean"]), _number(s["sd"]), s["n"]) for s in result["scores"]]
    print_table(["subscale", "mean", "sd", "repetitions"], rows)
    for line in result["notes"]:
        note(f"note: {line}")
    note(f"{result['path']}: replies.jsonl, answers.csv, questionnaire.json")


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"
