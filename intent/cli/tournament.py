"""``intent tournament`` and ``intent evolve``: who wins, and who survives when the successful are copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from intent.arena.requests import EvolveRequest, TournamentRequest
from intent.cli.console import note, print_json, print_table, progress, say
from intent.cli.jobs import command

if TYPE_CHECKING:
    from intent.arena.tournament.tournament import TournamentResult

__all__ = ["evolve", "tournament"]


_TOP = 20
"""Rows of standings that are printed."""


@command(TournamentRequest)
def tournament(request: TournamentRequest) -> None:
    """Play strategies against each other: standings and head-to-head matrices.

    Every strategy meets every other one and itself. Code that somebody wrote runs
    in a sandbox; the moves are kept, so that a run that was ended goes on.
    """
    if request.dry_run:
        _print_calls(request)
        return
    with progress("matches", quiet=request.json) as update:
        result = request.replace(update=update).run()
    for line in result.notes:
        note(f"note: {line}")
    if request.json:
        print_json(result.to_dict())
        return
    _print(result)
    note(result.salt.replay)
    if request.output is not None:
        note(f"wrote {request.output}")


def _print_calls(request: TournamentRequest) -> None:
    """What language models would be asked."""
    from intent.arena.tournament.models import count_calls

    needed = count_calls(request)
    if request.json:
        print_json(needed)
        return
    cost = "; prices in --model-settings tell the cost"
    if needed["cost"] is not None:
        cost = f", about {needed['cost']:.2f}"
    say(f"{needed['n_games']:,} games, {needed['calls']:,.0f} calls{cost}")


def _print(result: TournamentResult) -> None:
    facts = result.to_dict()
    rows = result.standings
    played = f"{facts['game']}, {facts['turns']:,} rounds, noise {facts['noise']:g}"
    played += f", repetitions {facts['repetitions']}"
    who = "1 strategy" if facts["n"] == 1 else f"{facts['n']} strategies"
    matches = "1 match" if facts["matches"] == 1 else f"{facts['matches']:,} matches"
    title = f"{who}, {matches} ({played}; engine {facts['engine']})"
    if not rows:
        say(title)
    else:
        _print_standings(rows, title)
    if len(result.table.field) == 1:
        note("note: one strategy alone meets itself only; --against humans gives it opponents")
    if len(rows) > _TOP:
        say(f"then {', '.join(row['name'] for row in rows[_TOP:])}")
    matrices = [matrix for matrix in result.head_to_head.values() if matrix]
    if matrices and _fits(matrices[0]):
        for name, title in (("payoff", "Payoff per round"), ("cooperation", "Share of cooperation")):
            say()
            lines = [(row, *columns.values()) for row, columns in result.head_to_head[name].items()]
            header = ("", *result.head_to_head[name])
            print_table(header, lines, title=f"{title} of rows against columns")
    elif matrices:
        place = "-o FOLDER writes them" if result.path is None else f"they are in {result.path}"
        note(f"note: head-to-head matrices of {len(matrices[0])} are too wide to print; {place}")
    labelled = result.label_rows()
    if labelled is not None:
        say()
        header, lines = labelled
        print_table(header, lines, title=f"Shares of labels by {result.config['label']}")
    for one in facts["left_out"]:
        note(f"left out: {one['name']}: {one['reason']}")
    if result.config["faults"] == "void":
        for one in facts["faults"]:
            note(f"not counted: {one['name']} against {one['against']} ({one['kind']}: {one['reason']})")


def _print_standings(rows: list[dict[str, Any]], title: str) -> None:
    header = ("rank", "name", "group", "median score", "interval of the mean")
    last = {"wins": "wins", "cooperation_rate": "cooperation", "initial_c_rate": "opens with C"}
    print_table(
        (*header, *last.values()),
        [
            (
                *(row["rank"], row["name"], row["group"] or "–", row["median_score"], _interval(row)),
                *(row[name] for name in last),
            )
            for row in rows[:_TOP]
        ],
        title,
    )


def _fits(matrix: dict[str, Any]) -> bool:
    """Whether a matrix of numbers such as 2.723 fits a line of a terminal, or 120 characters."""
    from shutil import get_terminal_size

    width = max(map(len, matrix)) + sum(2 + max(5, len(name)) for name in matrix)
    return width <= max(120, get_terminal_size().columns)


def _interval(row: dict[str, Any]) -> str:
    if row["score_low"] is None:
        return "–"
    return f"{row['score_low']:.3f} to {row['score_high']:.3f}"


@command(EvolveRequest)
def evolve(request: EvolveRequest) -> None:
    """Let strategies compete, copy those that earn more, see who is left.

    Moran processes over matches played once, beside fixation
    probabilities, invasion, replicator dynamics and stability.
    """
    with progress("matches", quiet=request.json) as update:
        evolution = request.replace(update=update).run()
    if request.json:
        print_json(evolution.to_dict())
        return
    from intent.arena.evolution.result import terminal_tables

    for header, rows, title in terminal_tables(evolution):
        print_table(header, rows, title=title)
        say()
    for line in evolution.notes():
        note(line)
    if (replay := evolution.source.facts["replay"]) is not None:
        note(replay)
    if evolution.path is not None:
        note(f"{evolution.path}: equilibria.csv, runs.csv, paths.parquet, payoff.csv, invasion.csv, figures")
