"""``intent generate``: noisy canonical trajectories -> a labelled log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.options import Dask, JsonFlag, Overwrite, Workers

__all__ = ["generate"]


def generate(
    spec: Annotated[str | None, typer.Argument(help="Dataset spec: a shipped name or a YAML file.")] = None,
    strategies: Annotated[str | None, typer.Option(help="Set name, or names separated by commas.")] = None,
    n: Annotated[
        int | None, typer.Option("-n", "--n", min=1, help="Trajectories, equally many of each.")
    ] = None,
    rounds: Annotated[str | None, typer.Option(help="Rounds, or a range such as 5-100.")] = None,
    eps: Annotated[str | None, typer.Option(help="Noise per move, or a range such as 0-0.2.")] = None,
    opponent: Annotated[
        str | None,
        typer.Option(
            help="random, random(p), a strategy, self, sequence:CDDC, a set, TFT=1,random=2 (a mixture), "
            "recorded:LOG, axelrod:NAME."
        ),
    ] = None,
    opponent_eps: Annotated[
        str | None, typer.Option(help="Noise of the opponent, a range, or 'same'.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all random numbers.")] = None,
    form: Annotated[
        str,
        typer.Option(
            help="tables (games, seats, moves), or compact: one .parquet file, a row of lists per seat."
        ),
    ] = "tables",
    workers: Workers = 1,
    dask: Dask = None,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Where to write: a folder (Parquet), or a .jsonl or .zip file."),
    ] = Path("play"),
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Generate noisy play of known strategies (10,000 ten-round trajectories by default)."""
    from intent.cli.console import note, print_json, progress
    from intent.workflows.dataset import load_spec, make_spec, parse_range
    from intent.workflows.generate import generate_to

    given: dict[str, Any] = {"strategies": strategies, "n": n, "opponent": opponent, "seed": seed}
    changes = {k: v for k, v in given.items() if v is not None}
    for key, text in (("rounds", rounds), ("eps", eps), ("opponent_eps", opponent_eps)):
        if text is not None:
            changes[key] = parse_range(text, f"--{key.replace('_', '-')}")
    chosen = load_spec(spec, **changes) if spec else make_spec(changes)
    with progress("playing", quiet=json) as update:
        result = generate_to(
            output, chosen, form=form, workers=workers, dask=dask, overwrite=overwrite, update=update
        )
    if json:
        print_json(result)
        return
    note(f"{result['n_games']:,} games of {chosen.strategies} in {result['path']} (seed {result['seed']})")
