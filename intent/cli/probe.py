"""``intent probe``: the opponent moves that tell a set of strategies apart best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import JsonFlag, Overwrite, Seed

__all__ = ["probe"]

Outputs = Annotated[
    list[Path] | None,
    typer.Option(
        "-o", "--output", help="Figure (.png .svg .pdf) or table (.csv .parquet .jsonl .json); repeatable."
    ),
]


def probe(
    strategies: Annotated[str, typer.Option(help="Set name, or names separated by commas.")] = "canonical4",
    rounds: Annotated[int, typer.Option(min=1, help="Length of the sequence.")] = 10,
    eps: Annotated[
        str, typer.Option(help="Noise of the player per move, or a range such as 0-0.2: unknown, within it.")
    ] = "0.05",
    target: Annotated[float, typer.Option(help="Expected accuracy whose rounds are asked for.")] = 0.99,
    max_rounds: Annotated[int, typer.Option(min=1, help="Rounds after which that is given up.")] = 100,
    objective: Annotated[
        str, typer.Option(help="What is maximised after the last round: information or accuracy.")
    ] = "information",
    width: Annotated[
        int, typer.Option(min=2, help="Sequences compared in each round; 512 are all of ten rounds.")
    ] = 512,
    seed: Seed = 0,
    output: Outputs = None,
    json: JsonFlag = False,
    overwrite: Overwrite = False,
) -> None:
    """Propose the opponent moves that separate a set of strategies best.

    Says how sure the best observer can be after each round, and how many
    rounds it needs; beside a fair coin and other usual opponents.
    """
    from intent.cli.console import note, print_json, progress
    from intent.errors import UsageError
    from intent.workflows.compare import check_output
    from intent.workflows.dataset import parse_range
    from intent.workflows.probe import probe as run

    noise = parse_range(eps, "--eps")
    if noise is None:
        raise UsageError(f"--eps {eps!r}, expected a number or a range such as 0-0.2")
    for path in output or []:
        check_output(path, overwrite=overwrite)
    with progress("searching", quiet=json) as update:
        result = run(
            strategies,
            rounds,
            noise,
            target=target,
            max_rounds=max_rounds,
            objective=objective,
            width=width,
            seed=seed,
            update=update,
        )
    for path in output or []:
        result.write(path, overwrite=overwrite)
    if json:
        print_json(result.to_dict())
        return
    _print(result, f"--strategies {strategies} --rounds {rounds} --eps {eps}")
    for path in output or []:
        note(f"wrote {path}")


def _print(result: Any, options: str) -> None:
    from intent.cli.console import print_table, say

    for header, rows, title in result.tables():
        print_table(header, rows, title=title)
        say()
    for line in result.sentences():
        say(line)
    say(f"to try it: intent generate {options} --opponent {result.probe.name}")
