"""``intent strategies write``: have language models write strategies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from intent.cli.arena_options import Engine
from intent.cli.options import JsonFlag, Seed
from intent.cli.run_options import Budget, Cache, Concurrency, Limit, Price

__all__ = ["write"]


def write(
    model: Annotated[str, typer.Argument(help="Who writes the words, such as openai/gpt-4o.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder for sets and exchanges; an earlier one goes on."),
    ] = None,
    code_model: Annotated[
        str | None, typer.Option(help="Who turns words into code; default: the same.")
    ] = None,
    style: Annotated[
        str, typer.Option(help="default, refine, prose, prose+refine; several with commas.")
    ] = "default",
    attitudes: Annotated[
        str, typer.Option(help="What the strategies are to be like.")
    ] = "Aggressive,Cooperative,Neutral",
    n: Annotated[int, typer.Option("-n", "--n", min=1, help="Strategies for each attitude and style.")] = 25,
    game: Annotated[
        str, typer.Option(help="classic (5,3,1,0), prisoner, chicken-t4, stag, or another symmetric one.")
    ] = "classic",
    noise: Annotated[float, typer.Option(help="Probability that a move is flipped.")] = 0.0,
    turns: Annotated[int, typer.Option(min=1, help="Rounds of a match.")] = 1000,
    temperature: Annotated[
        str, typer.Option(help="Of words and plans; none sends none in any request.")
    ] = "0.7",
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Length of a reply.")] = None,
    prompts: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of texts in place of ours (words_en.txt, …).")
    ] = None,
    scenarios: Annotated[
        str | None, typer.Option(help="Everyday settings that prose draws from; default: all.")
    ] = None,
    attempts: Annotated[
        int | None, typer.Option(min=1, help="For each attitude and style, at most; default 3 n + 5.")
    ] = None,
    engine: Engine = "auto",
    budget: Budget = None,
    price: Price = None,
    concurrency: Concurrency = None,
    limit: Limit = None,
    cache: Cache = False,
    seed: Seed = 0,
    seeded: Annotated[
        bool, typer.Option("--seeded", help="Send seeds to remote models too, for endpoints that take them.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count calls, tokens and cost, and ask nobody.")
    ] = False,
    show_prompts: Annotated[
        bool, typer.Option("--show-prompts", help="Print every prompt, and ask nobody.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Have a language model write strategies: words, code, the gate, a trial, a file.

    What fails is kept with its reason and replaced, up to --attempts. The
    same command goes on where an earlier one was cut short.
    """
    from intent.cli.console import note, print_json, progress
    from intent.cli.run_options import parse_limits, parse_prices
    from intent.errors import UsageError

    asked: dict[str, Any] = {
        "code_model": code_model,
        "style": style,
        "attitudes": attitudes,
        "n": n,
        "game": game,
        "noise": noise,
        "turns": turns,
        "temperature": _temperature(temperature),
        "max_tokens": max_tokens,
        "prompts": prompts,
        "scenarios": scenarios,
        "seed": seed,
        "seeded": seeded,
        "attempts": attempts,
        "prices": parse_prices(price),
    }
    if dry_run or show_prompts:
        from intent.workflows.writing_prompts import dry_run_writing

        found = dry_run_writing(model, **asked)
        if json:
            print_json(found)
        else:
            _print_prompts(found) if show_prompts else _print_count(found)
        return
    if output is None:
        raise UsageError("no folder for the strategies, expected -o FOLDER")
    from intent.workflows.write_strategies import write_strategies

    with progress("attempts", quiet=json) as update:
        result = write_strategies(
            model,
            output,
            limits=parse_limits(limit),
            concurrency=concurrency,
            cache=cache,
            budget=budget,
            engine=engine,
            update=update,
            **asked,
        )
    if json:
        print_json(result)
        return
    _print(result)
    for line in result["notes"]:
        note(line)
    files = [written["file"] for written in result["sets"] if written["file"]]
    note(f"{result['path']}: {', '.join([*files, 'failures.csv', 'exchanges.jsonl'])}")


def _temperature(text: str) -> float | None:
    from intent.errors import UsageError, shorten

    if text.strip().casefold() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--temperature {shorten(text)!r}, expected a number or none") from None


def _print(result: dict[str, Any]) -> None:
    """A row for every style and attitude: what became of the attempts."""
    from intent.cli.console import print_table, say

    outcomes = [name for name, count in result["outcomes"].items() if count or name == "good"]
    rows = [
        [row["style"], row["attitude"], row["attempts"], *(row["outcomes"][name] for name in outcomes)]
        for row in result["groups"]
    ]
    names = [name.replace("_", " ") for name in outcomes]
    print_table(["style", "attitude", "attempts", *names], rows)
    cost = "unknown" if result["cost"] is None else f"{result['cost']:.4g}"
    say(f"{result['n']} of {result['wanted']} strategies, {result['calls']} calls, cost {cost}")


def _print_count(found: dict[str, Any]) -> None:
    from intent.cli.console import note, print_table

    cost = "unknown" if found["cost"] is None else f"{found['cost']:.4g}"
    tokens = [f"{found[name]:,.0f}" for name in ("prompt_tokens", "reply_tokens")]
    header = ["strategies", "calls", "at most", "prompt tokens", "reply tokens", "cost"]
    print_table(header, [[found["n"], found["calls"], found["most_calls"], *tokens, cost]])
    for line in found["notes"]:
        note(line)


def _print_prompts(found: dict[str, Any]) -> None:
    from intent.cli.console import say, show_text

    for row in found["prompts"]:
        about = [row["attitude"], row["scenario"], row["model"]]
        say(f"[{row['purpose']}: {', '.join(text for text in about if text)}]")
        for role in ("system", "user"):
            if row[role]:
                show_text(f"{role}:\n{row[role]}\n")
