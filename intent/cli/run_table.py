"""What the commands that play games show: progress on a terminal, a summary at the end, a dry run."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

__all__ = ["live_progress", "print_dry_run", "print_played", "shown_cost"]


@contextmanager
def live_progress(what: str, *, quiet: bool) -> Iterator[Callable[[Any], None]]:
    """A bar of games with calls per second, cost and troubles; nothing in a pipe."""
    if quiet or not sys.stderr.isatty():
        yield lambda live: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games  {task.fields[told]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(what), total=None, told="")

        def update(live: Any) -> None:
            now = live.progress
            parts = [f"{now.calls:,} calls", f"{now.calls_per_second:.1f}/s"]
            if live.cost:
                parts.append(f"cost {live.cost:.4g}")
            if now.interrupted:
                parts.append(f"{now.interrupted} set aside")
            if live.troubles:
                parts.append(f"{live.troubles} troubles, last: {live.trouble[:60]}")
            bar.update(task, completed=now.finished, total=now.games, told=escape("  ".join(parts)))

        yield update


def print_played(summary: Mapping[str, Any]) -> None:
    """The summary of a run for people: one table of players, lines around it."""
    from intent.cli.console import note, print_table

    done, planned = summary["n_finished"], summary["n_games"]
    print(f"{summary['name']}: {done:,} of {planned:,} games, {summary['n_moves']:,} moves\n")
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
    print(
        f"\n{summary['new_calls']:,} new calls, {summary['seconds']:.1f} s of play in all"
        + (f", {summary['resent']:,} sent again" if summary["resent"] else "")
        + (f", {failed:,} requests failed" if failed else "")
    )
    if summary["labels"] is not None:
        statuses = summary["labels"]["statuses"]
        print("labels: " + ", ".join(f"{n} {status}" for status, n in reversed(statuses.items())))
    path = summary["path"]
    for name in (*summary["comparisons"], *summary["figures"]):
        print(f"{path}/{name}")
    for line in summary["notes"]:
        note(line)
    if summary["state"] == "finished":
        note(f"run: {path}, log: {summary['log']}")
        return
    why = summary["reason"] or f"{summary['n_interrupted']:,} games were set aside with an error"
    note(f"{why}; intent resume {path} goes on")


def print_dry_run(found: Mapping[str, Any]) -> None:
    """The grid as a table, totals, and prompts."""
    from intent.cli.console import note, print_table

    factors = list(dict.fromkeys(key for c in found["conditions"] for key in c["levels"]))
    varied = any(len(set(c["players"])) > 1 for c in found["conditions"])
    heads = [
        *factors,
        *(() if "game" in factors else ("plays",)),
        *(("players",) if varied or not {"model", "players"} & set(factors) else ()),
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
    print(
        f"\n{found['n_games']:,} games ({found['n_conditions']:,} conditions x {found['repetitions']:,}), "
        f"{found['decisions']:,.0f} decisions, {found['calls']:,.0f} calls expected, at most "
        f"{found['most_calls']:,}"
    )
    if found["calls"]:
        print(
            f"about {found['prompt_tokens']:,.0f} tokens of prompts and {found['reply_tokens']:,.0f} of "
            f"replies (reasoning not counted); cost {shown_cost(found['cost'])}"
        )
    for prompt in found["prompts"]:
        levels = ", ".join(f"{key} {value}" for key, value in prompt["levels"].items())
        print(f"\n--- prompt of round 2 after an invented round 1{levels and f' ({levels})'} ---\n")
        print(_harmless(prompt["text"]))
    for line in found["notes"]:
        note(line)


def shown_cost(cost: float | None) -> str:
    """A cost with four significant digits, a dash where no price is known."""
    return "–" if cost is None else f"{cost:.4g}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _harmless(text: str) -> str:
    """The text without the control characters that a terminal would obey."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", text)
