"""``intent strategies``: the catalogue, and strategies that somebody wrote or that models are to write."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from intent.arena.requests import ENGINE, MATCH_WORKERS, SALT, CheckRequest, Processes, WriteRequest
from intent.cli.jobs import command
from intent.cli.options import JsonFlag, shared
from intent.cli.runs import Budget, Cache, Concurrency, Limit, Price

__all__ = ["check", "run", "write"]


Engine = Annotated[str, shared("engine", ENGINE)]
Salt = Annotated[str | None, shared("salt", SALT)]
Workers = Annotated[int | None, shared("workers", MATCH_WORKERS, Processes)]


@command(CheckRequest)
def check(request: CheckRequest) -> None:
    """Read written strategies, gate them and let them play a little in the sandbox: what runs?"""
    from intent.cli.console import note, print_json, print_table, progress, say

    with progress("matches", quiet=request.json) as update:
        result = request.replace(update=update).run()
    if request.json:
        print_json(result.to_json())
        return
    ok, engine = len(result.entrants), result.engine
    ran = f"engine {engine}, {request.turns} rounds each" if engine else "nothing passed the gate"
    print_table(
        ("file", "strategies", "run", "ranks"),
        [(Path(f.path).name, f.n, f.ok, ", ".join(f.ranks) or None) for f in result.files],
        f"{ok:,} of {result.n:,} strategies run ({ran})",
    )
    groups = result.groups()
    if set(groups) != {Path(f.path).name for f in result.files}:
        say()
        print_table(
            ("attitude or file", "strategies", "run"), [(k, g["n"], g["ok"]) for k, g in groups.items()]
        )
    if result.failed:
        say()
        print_table(
            ("failed", "where", "reason"),
            [(f.name, f.origin or None, _reason(f.reason, f.origin)) for f in result.failed],
        )
    for line in result.notes:
        note(f"note: {line}")
    note(result.salt.replay)
    for written in filter(None, (request.output, request.page)):
        note(f"wrote {written}")


def _reason(reason: str, origin: str) -> str:
    """The reason, without the line where it is the one that the strategy begins in."""
    _, _, line = origin.rpartition(" line ")
    return reason.removeprefix(f"line {line}: ")


def run(
    file: Annotated[Path, typer.Argument(help="Chain: a YAML file of models, styles, matches, evolution.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for results; that of an earlier run goes on.")
    ],
    published: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FOLDER",
            help="Start from published sets (anthropic_default.py, …), not from writing; the paper's numbers "
            "then stand beside ours.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="In place of the file's, as evolution.runs=10."),
    ] = None,
    salt: Salt = None,
    engine: Engine = "auto",
    workers: Workers = None,
    json: JsonFlag = False,
) -> None:
    """Write strategies (or read published ones), validate them, play their tournaments, let them evolve.

    Prints and leaves tables 3 to 6 of the paper, verdicts on its claims, a page for inspection and a
    summary. Replies of models and matches are kept in the folder: a run that was stopped goes on.
    """
    from intent.base.experiments import experiment_code
    from intent.cli.console import note, print_json, print_table, progress, say

    with progress("chain", quiet=json) as update:
        result = experiment_code("llm_strategies", "chain").run_chain(
            file,
            output,
            published=published,
            settings=settings or (),
            salt=salt,
            workers=workers or None,
            engine=engine,
            update=lambda stage, done, total: update(done, total),
        )
    if json:
        print_json(result)
        return
    print_table(
        ("set", "model", "style", "noise", "strategies", "run"),
        [(s["file"], s["model"], s["style"], f"{s['noise']:g}", s["n"], s["ok"]) for s in result["sets"]],
    )
    for table in experiment_code("llm_strategies", "tables").printed_tables(result):
        say()
        print_table(table.header, table.rows, table.title)
        if table.remark:
            note(f"note: {table.remark}")
    if result["verdicts"]:
        say()
        print_table(
            ("claim", "here", "paper"),
            [(v["claim"], v["verdict"], v["published"]) for v in result["verdicts"]],
        )
    for line in result["notes"]:
        note(f"note: {line}")
    note(result["replay"])
    note(f"{result['path']}/summary.md")


@command(WriteRequest, budget=Budget, prices=Price, concurrency=Concurrency, limits=Limit, cache=Cache)
def write(request: WriteRequest) -> None:
    """Have a language model write strategies: words, code, the gate, a trial, a file.

    What fails is kept with its reason and replaced, up to --attempts. The
    same command goes on where an earlier one was cut short.
    """
    from intent.cli.console import note, print_json, progress
    from intent.cli.runs import parse_limits, parse_prices

    items: Any = request
    request = request.replace(prices=parse_prices(items.prices), limits=parse_limits(items.limits))
    if request.dry_run or request.show_prompts:
        from intent.arena.writing.order import dry_run_writing

        count = inspect.unwrap(dry_run_writing)(request)
        if request.json:
            print_json(count)
        else:
            _print_prompts(count) if request.show_prompts else _print_count(count)
        return
    with progress("attempts", quiet=request.json) as update:
        result = request.replace(update=update).run()
    if request.json:
        print_json(result)
        return
    _print(result)
    for line in result["notes"]:
        note(line)
    files = [written["file"] for written in result["sets"] if written["file"]]
    note(f"{result['path']}: {', '.join([*files, 'failures.csv', 'exchanges.jsonl'])}")


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


def _print_count(count: dict[str, Any]) -> None:
    from intent.cli.console import note, print_table

    cost = "unknown" if count["cost"] is None else f"{count['cost']:.4g}"
    tokens = [f"{count[name]:,.0f}" for name in ("prompt_tokens", "reply_tokens")]
    header = ["strategies", "calls", "at most", "prompt tokens", "reply tokens", "cost"]
    print_table(header, [[count["n"], count["calls"], count["most_calls"], *tokens, cost]])
    for line in count["notes"]:
        note(line)


def _print_prompts(count: dict[str, Any]) -> None:
    from intent.cli.console import say, show_text

    for row in count["prompts"]:
        about = [row["attitude"], row["scenario"], row["model"]]
        say(f"[{row['purpose']}: {', '.join(text for text in about if text)}]")
        for role in ("system", "user"):
            if row[role]:
                show_text(f"{role}:\n{row[role]}\n")
