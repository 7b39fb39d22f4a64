"""What the commands that play games show: progress on a terminal, a summary at the end, a dry run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer

from intent.cli.console import note, one_line, print_json, print_table, say, show_text, unfiltered
from intent.offline import Contact, contacts_line

__all__ = ["live_progress", "print_dry_run", "show_played", "shown_cost"]


@contextmanager
def live_progress(what: str, *, quiet: bool) -> Iterator[Callable[[Any], None]]:
    """A bar of games with calls per second, cost and troubles; nothing in a pipe."""
    if quiet or not sys.stderr.isatty():
        yield lambda live: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Column

    # Troubles stand last and are cut, so that the counts stay in sight on a narrow terminal.
    columns = (
        TextColumn("{task.description}", table_column=Column(no_wrap=True, max_width=20)),
        BarColumn(bar_width=16),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TextColumn("games  {task.fields[told]}", table_column=Column(no_wrap=True)),
        TimeElapsedColumn(table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[trouble]}", table_column=Column(no_wrap=True, ratio=1)),
    )
    with Progress(*columns, console=Console(file=unfiltered(sys.stderr)), transient=True, expand=True) as bar:
        task = bar.add_task(escape(one_line(what)), total=None, told="", trouble="")

        def update(live: Any) -> None:
            now = live.progress
            parts = [f"{now.calls:,} calls", f"{now.calls_per_second:.1f}/s"]
            if live.cost:
                parts.append(f"cost {live.cost:.4g}")
            if now.interrupted:
                parts.append(f"{now.interrupted} set aside")
            trouble = f"{_count(live.troubles, 'trouble')}, last: {live.trouble}" if live.troubles else ""
            bar.update(
                task,
                completed=now.finished,
                total=now.games,
                told=escape(one_line("  ".join(parts))),
                trouble=escape(one_line(trouble)),
            )

        yield update


def show_played(summary: Mapping[str, Any], *, json: bool) -> None:
    """The summary of a run, for programs or for people; the command ends with 3 where games are left.

    Raises
    ------
    typer.Exit
        The run is not finished.
    """
    if json:
        print_json(summary)
    else:
        _print_played(summary)
    if summary["state"] != "finished":
        raise typer.Exit(3)


def _print_played(summary: Mapping[str, Any]) -> None:
    """The summary of a run for people: one table of players, lines around it."""
    done, planned = summary["n_finished"], summary["n_games"]
    say(f"{summary['name']}: {done:,} of {planned:,} games, {summary['n_moves']:,} moves\n")
    use = {model["player"]: model for model in summary["models"]}
    rows = []
    for player in summary["players"]:
        model = use.get(player["player"], {})
        rows.append(
            (
                player["player"],
                f"{player['n_moves']:,}",
                _share(player["readable"]),
                _share(player["cooperation_rate"]),
                player["mean_payoff"],
                f"{model['calls']:,}" if model else "–",
                f"{model['prompt_tokens'] + model['completion_tokens']:,}" if model else "–",
                shown_cost(model.get("cost")),
            )
        )
    heads = ("player", "moves", "readable", "cooperation", "mean payoff", "calls", "tokens", "cost")
    if rows:
        print_table(heads, rows)
    failed = sum(summary["failures"].values())
    say(
        f"\n{summary['new_calls']:,} new calls, {summary['seconds']:.1f} s of play in all"
        + (f", {summary['resent']:,} sent again" if summary["resent"] else "")
        + (f", {_count(failed, 'request')} failed" if failed else "")
    )
    if summary["labels"] is not None:
        statuses = summary["labels"]["statuses"]
        say("labels: " + ", ".join(f"{n} {status}" for status, n in reversed(statuses.items())))
    path = summary["path"]
    for name in (*summary["comparisons"], *summary["figures"]):
        say(f"{path}/{name}")
    for line in summary["notes"]:
        note(line)
    if summary["state"] == "finished":
        note(f"run: {path}, log: {summary['log']}")
        return
    why = summary["reason"] or f"{_count(summary['n_interrupted'], 'game')} set aside with an error"
    note(f"{why}; intent resume {path} goes on")


def print_dry_run(
    found: Mapping[str, Any], *, shown: str = "prompt of round 2 after an invented round 1"
) -> None:
    """The grid as a table, totals, and prompts; `shown` says what these are."""
    factors = list(dict.fromkeys(key for c in found["conditions"] for key in c["levels"]))
    varied = any(len(set(c["players"])) > 1 for c in found["conditions"]) and "table" not in factors
    heads = [
        *factors,
        *(() if "game" in factors else ("plays",)),
        *(("players",) if varied or not {"model", "players", "table"} & set(factors) else ()),
        "games",
        "calls",
        "tokens in",
        "cost",
    ]
    rows = []
    for c in found["conditions"]:
        row: list[object] = [c["levels"].get(factor, "–") for factor in factors]
        row += [c["game"]] if "plays" in heads else []
        row += [" ".join(dict.fromkeys(c["players"]))] if "players" in heads else []
        row += [
            f"{c['n_games']:,}",
            f"{c['calls']:,.0f}",
            f"{c['prompt_tokens']:,.0f}",
            shown_cost(c["cost"]),
        ]
        rows.append([str(cell) for cell in row])
    print_table(heads, rows)
    say(
        f"\n{_count(found['n_games'], 'game')} ({_count(found['n_conditions'], 'condition')} x "
        f"{found['repetitions']:,}), "
        f"{found['decisions']:,.0f} decisions, {found['calls']:,.0f} calls expected, at most "
        f"{found['most_calls']:,}"
    )
    if found["calls"]:
        say(
            f"about {found['prompt_tokens']:,.0f} tokens of prompts and {found['reply_tokens']:,.0f} of "
            f"replies (reasoning not counted); cost "
            + ("unknown without prices (--price)" if found["cost"] is None else shown_cost(found["cost"]))
        )
    say(contacts_line(Contact(**one) for one in found["contacts"]))
    for prompt in found["prompts"]:
        levels = ", ".join(f"{key} {value}" for key, value in prompt["levels"].items())
        who = f"seat {prompt['seat']}, {prompt['role']}, {prompt['stage']}"
        say(f"\n--- {shown}: {who}{levels and f' ({levels})'} ---\n")
        show_text(prompt["text"])
        for tool in prompt["tools"]:
            show_text("\ntool: " + json.dumps(tool, ensure_ascii=False))
    asked = sum(c["calls"] > 0 for c in found["conditions"])
    if len(found["prompts"]) == 1 < asked:
        note(f"--prompts-shown {asked} shows a prompt of every condition")
    for line in found["notes"]:
        note(line)


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def shown_cost(cost: float | None) -> str:
    """A cost with four significant digits, a dash where no price is known."""
    return "–" if cost is None else f"{cost:.4g}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"
