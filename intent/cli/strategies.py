"""``intent strategies``: the catalogue, and strategies that somebody wrote or that models are to write."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.arena.requests import ChainRequest, CheckRequest, WriteRequest
from intent.cli.jobs import job_command
from intent.cli.jobs import run as run_job
from intent.cli.options import JsonFlag, Overwrite, command
from intent.cli.runs import Budget, Cache, Concurrency, Limit, Price

__all__ = ["strategies", "write"]


@command(WriteRequest, budget=Budget, prices=Price, concurrency=Concurrency, limits=Limit, cache=Cache)
def write(request: WriteRequest) -> None:
    """Have a language model write strategies: words, code, the gate, a trial, a file.

    What fails is kept with its reason and replaced, up to --attempts. The
    same command goes on where an earlier one was cut short.
    """
    from intent.cli.runs import parse_limits, parse_prices

    items: Any = request
    run_job(request.replace(prices=parse_prices(items.prices), limits=parse_limits(items.limits)))


strategies = typer.Typer(
    help="The catalogue (list, show), and written strategies (check, run, write).", no_args_is_help=True
)
strategies.command("check")(job_command(CheckRequest))
strategies.command("run")(job_command(ChainRequest))
strategies.command("write")(write)


@strategies.command("list")
def list_(
    names: Annotated[str, typer.Argument(help="A set (canonical4, df2011, rr20, all) or names.")] = "all",
    json: JsonFlag = False,
) -> None:
    """List strategies with their rule, number of states and memory-one vector."""
    from intent.cli.console import print_json, print_table
    from intent.strategies.listing import list_strategies

    rows = list_strategies(names)
    if json:
        print_json({"strategies": rows})
        return
    print_table(
        ("name", "rule", "states", "memory-one (p0; CC, CD, DC, DD)"),
        [(r["name"], r["rule"], str(r["states"]), _vector(r["memory_one"])) for r in rows],
    )


@strategies.command("show")
def show(
    name: Annotated[str, typer.Argument(help="Name or synonym, such as TFT or 'GTFT(0.1)'.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Draw the automaton into a .svg, .png or .pdf.")
    ] = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Draw one automaton, with its memory-one vector, synonyms and citation."""
    from intent.cli.console import note, print_json, say, show_text
    from intent.strategies.listing import draw_strategy, show_strategy

    facts = show_strategy(name)
    if output is not None:
        draw_strategy(name, output, overwrite=overwrite)
        note(f"wrote {output}")
    if json:
        print_json({k: v for k, v in facts.items() if k != "drawing"})
        return
    say(f"{facts['name']}: {facts['rule']}")
    if facts["synonyms"]:
        say(f"also called {', '.join(facts['synonyms'])}")
    show_text(f"\n{facts['drawing']}\n")
    say("outcomes: own move first")
    if facts["memory_one"] is None:
        say("memory-one vector: none (play depends on more than the last outcome)")
    else:
        say(f"memory-one vector (p0; p_CC, p_CD, p_DC, p_DD): {_vector(facts['memory_one'])}")
    if facts["sets"]:
        say(f"in the sets: {', '.join(facts['sets'])}")
    say(f"source: {facts['citation']}")


def _vector(values: list[float] | None) -> str:
    if values is None:
        return "–"
    first, *rest = (f"{v:.4g}" for v in values)
    return f"({first}; {', '.join(rest)})"
