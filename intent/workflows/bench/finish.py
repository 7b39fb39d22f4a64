"""The end of a session of a benchmark: log, scores, leaderboard, figures, and the tracked run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, IntentError
from intent.workflows.bench.scored import board_of, contestants, means_of, score_table, scored_tables
from intent.workflows.run_finish import PlayResult
from intent.workflows.run_summary import move_summary, use_summary

if TYPE_CHECKING:
    import pandas as pd

    from intent.runner.run import Outcome, Run
    from intent.suites.gamma.plays import Plays
    from intent.tracking.base import TrackedRun, Tracker
    from intent.workflows.bench.benchmark import Benchmark
    from intent.workflows.bench.leaderboard import LeaderboardResult

__all__ = ["BenchResult", "finish_benchmark"]

_NUMBERS = (
    "n_games",
    "n_finished",
    "n_moves",
    "n_missing",
    "n_defaulted",
    "readable",
    "calls",
    "cost",
    "seconds",
)
"""Parts of the summary that are tracked as metrics, beside the means."""


@dataclass(frozen=True, eq=False, repr=False)
class BenchResult(PlayResult):
    """What came of playing a benchmark.

    Attributes
    ----------
    scores : DataFrame, a row per finished table as `intent.workflows.bench.scored.scored_tables`
    summary : dict as `schema.JSON_OBJECTS["bench_run"]`
    """

    scores: pd.DataFrame

    def __repr__(self) -> str:
        done = f"{self.summary['n_finished']} of {self.summary['n_games']} games"
        return f"<BenchResult {self.summary['name']}: {done}, {self.summary['state']}>"


def finish_benchmark(run: Run, benchmark: Benchmark, outcome: Outcome, tracker: Tracker) -> BenchResult:
    """Write log, scores and leaderboard of what has been played so far; once all is, figures; record the run.

    Raises
    ------
    OutputError
        The run folder cannot be written into.
    """
    from intent.logs.stores import write_log

    log = run.log()
    written = len(log.games) > 0
    if written:
        write_log(log, run.folder / "log", overwrite=True)
    tables, notes = scored_tables(log, contestants(benchmark, list(run.plans()))) if written else ([], [])
    rows = [row for row, _ in tables]
    means = means_of(rows)
    try:
        board = board_of(rows)
    except DataError as error:
        notes.append(f"no leaderboard: {error}")
        board = board_of([])
    files = _write(run, benchmark, rows, means, board) if rows else []
    figures: list[str] = []
    if outcome.stop is None and written and benchmark.figures:
        figures = _draw(tables, run.folder, notes)
    status = run.status()
    summary: dict[str, Any] = {
        "path": str(run.folder),
        "name": benchmark.name,
        "run": str(run.facts["run"]),
        "state": "stopped" if outcome.stop else "incomplete" if outcome.interrupted else "finished",
        "reason": outcome.stop.reason if outcome.stop else None,
        "n_games": status.games,
        "n_finished": status.finished,
        "n_interrupted": status.interrupted,
        **move_summary(log),
        **use_summary(status),
        "new_calls": outcome.calls,
        "log": str(run.folder / "log") if written else None,
        "labels": None,
        "comparisons": files,
        "figures": figures,
        "scores": means,
        "leaderboard": board.to_dict()["leaderboard"],
        "run_id": None,
        "notes": [*notes, *(f"game {name}: {error}" for name, error in status.errors[:5])],
    }
    try:
        summary["run_id"] = tracker.record(_tracked(run, benchmark, summary))
    except IntentError as error:
        summary["notes"].append(f"not tracked: {error}")
    return BenchResult(log, run.folder, summary, score_table(rows))


def _write(
    run: Run,
    benchmark: Benchmark,
    rows: Sequence[Mapping[str, Any]],
    means: Sequence[Mapping[str, Any]],
    board: LeaderboardResult,
) -> list[str]:
    """Write the tables of scores into the run folder; names of the files."""
    from intent.logs.jsonfile import write_object
    from intent.logs.output import writing
    from intent.logs.tablefile import write_table

    folder = run.folder
    facts = {"run": run.facts["run"], "scoring": "code", "benchmark": benchmark.model_dump(mode="json")}
    write_table(score_table(rows), folder / "scores.csv", facts, overwrite=True)
    write_table(score_table(means), folder / "means.csv", facts, overwrite=True)
    write_object(folder / "leaderboard.json", board.to_dict(), overwrite=True)
    with writing(folder / "leaderboard.md", overwrite=True) as draft:
        draft.write_text(board.markdown(), encoding="utf-8")
    return ["scores.csv", "means.csv", "leaderboard.md", "leaderboard.json"]


def _draw(tables: Sequence[tuple[Mapping[str, Any], Plays]], folder: Path, notes: list[str]) -> list[str]:
    """Draw the figures of the eight games; names of the files."""
    from intent.report.gamma_figures import gamma_figures

    try:
        drawn = gamma_figures(tables, folder / "figures")
    except IntentError as error:
        notes.append(f"figures: {error}")
        return []
    return [f"figures/{path.name}" for path in drawn]


def _tracked(run: Run, benchmark: Benchmark, summary: Mapping[str, Any]) -> TrackedRun:
    """The run as it is tracked: resolved benchmark, numbers, and files of the run folder."""
    from intent.agents.clients.keys import redact
    from intent.tracking.base import TrackedRun

    values = json.loads(redact(benchmark.model_dump_json()))
    facts = {"run": summary["run"], "state": summary["state"], "version": run.facts.get("version")}
    overall = [one["overall"]["mean"] for one in summary["leaderboard"] if one["overall"]]
    numbers = {key: summary[key] for key in _NUMBERS} | {"overall": max(overall, default=None)}
    files = ("run.json", "log", "figures", *summary["comparisons"])
    return TrackedRun(
        name=benchmark.name,
        parameters={**{f"benchmark.{key}": value for key, value in values.items()}, **facts},
        metrics={key: float(value) for key, value in numbers.items() if value is not None},
        artifacts=[run.folder / name for name in files if (run.folder / name).exists()],
    )
