"""``intent sampling``: whether a language model can draw numbers from a distribution."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import (
    JsonFlag,
    Seed,
)

__all__ = ["sampling"]


def sampling(
    model: Annotated[
        list[str], typer.Option("-m", "--model", help="The language model, such as openai/gpt-4o.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for replies and results; an earlier one goes on.")
    ],
    n: Annotated[int, typer.Option("--n", min=1, help="Numbers asked for in one request.")] = 100,
    repetitions: Annotated[int, typer.Option(min=1, help="Requests for each distribution.")] = 1,
    distributions: Annotated[
        str, typer.Option(help="Names, with parameters: gaussian(0,1),poisson(4),uniform(0,1).")
    ] = "gaussian,poisson,uniform",
    prompt: Annotated[
        Path | None, typer.Option(help="Text file in place of our request, with {n} and {law}.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(min=0, help="Default: the endpoint's own.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Length of a reply.")] = None,
    seed: Seed = 0,
    image: Annotated[str, typer.Option(help="png, svg or pdf.")] = "png",
    json: JsonFlag = False,
) -> None:
    """Ask a model for random numbers and test whether they are.

    Numbers that cannot be read are counted, never guessed; an honest
    sampler of as many numbers stands beside every test.
    """
    from intent.base.errors import UsageError
    from intent.cli.console import note, print_json, progress
    from intent.runner.sampling import sample_numbers

    if len(model) > 1:
        raise UsageError(f"-m {', '.join(model)}: expected one model, since each needs an -o of its own")
    with progress("asking", quiet=json) as update:
        result = sample_numbers(
            model[0],
            output,
            n=n,
            repetitions=repetitions,
            distributions=distributions,
            prompt=prompt,
            temperature=temperature,
            max_tokens=max_tokens,
            seed=seed,
            image=image,
            update=update,
        )
    if json:
        print_json(result)
        return
    _print(result)
    for line in result["notes"]:
        note(line)
    note(f"{result['path']}: replies.jsonl, samples.csv, samples.{image}, sampling.json")


def _print(result: dict[str, Any]) -> None:
    from intent.cli.console import print_table

    rows: list[list[object]] = []
    for item in result["distributions"]:
        name = f"{item['distribution']}({', '.join(f'{p:g}' for p in item['parameters'])})"
        for who, facts, read in (
            (result["model"], item, f"{item['n_read']}/{item['n']}"),
            ("honest sampler", item["honest"], f"{item['n']}"),
        ):
            tests = [_p(facts["ks"]), _p(facts["chi_square"])]
            moments = [_number(facts["mean"]), _number(facts["sd"]), facts["distinct"]]
            rows.append([name, who, read, *moments, *tests, _word(facts["compatible"])])
    print_table(
        ["distribution", "from", "read", "mean", "sd", "distinct", "KS p", "chi² p", "compatible"], rows
    )


def _p(test: dict[str, Any] | None) -> str | None:
    return None if test is None else f"{test['p']:.3g}"


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g}"


def _word(answer: bool | None) -> str:
    return "too few" if answer is None else "yes" if answer else "no"
