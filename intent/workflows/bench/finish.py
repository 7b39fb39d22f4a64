"""The end of a session of a benchmark: log, scores, leaderboard, figures, and the tracked run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, IntentError
from intent.workflows.bench.scored import board_of, contestants, means_of, score_table, scored_tables
from intent.workflows.bench.swept import SWEEP_FILES, swept, write_sweeps
from intent.workflows.run_finish import PlayResult, record, tracked_run, written_log
from intent.workflows.run_summary import session_summary

if TYPE_CHECKING:
    import pandas as pd

    from intent.runner.run import Outcome, Run
    from intent.suites.gamma.plays import Plays
    from intent.tracking.base import Tracker
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


def finish_benchmark(run: Run, benchmark: Benchmark, outcome: Outcome, tracker: Tracker) -> BenchResult:
    """Write log, scores and tables of what has been played so far; once all is, figures; record the run.

    Raises
    ------
    OutputError
        The run folder cannot be written into.
    """
    log = written_log(run)
    plans = list(run.plans())
    tables, notes = scored_tables(log, contestants(benchmark, plans)) if len(log.games) else ([], [])
    rows = [row for row, _ in tables]
    means = means_of(rows)
    try:
        board = board_of(rows)
    except DataError as error:
        notes.append(f"no leaderboard: {error}")
        board = board_of([])
    files = _write(run, benchmark, rows, means, board) if rows else []
    if found := swept(benchmark, plans, rows):
        write_sweeps(found, run.folder, {"run": run.facts["run"], "scoring": "code"}, overwrite=True)
        files += SWEEP_FILES
    figures: list[str] = []
    if outcome.stop is None and len(log.games) and benchmark.figures:
        figures = _draw(tables, run.folder, notes)
    summary, set_aside = session_summary(run, benchmark.name, outcome, log)
    summary |= {
        "labels": None,
        "comparisons": files,
        "figures": figures,
        "scores": means,
        "leaderboard": board.to_dict()["leaderboard"],
        "run_id": None,
        "notes": [*notes, *set_aside],
    }
    overall = [one["overall"]["mean"] for one in summary["leaderboard"] if one["overall"]]
    numbers = {key: summary[key] for key in _NUMBERS} | {"overall": max(overall, default=None)}
    values = benchmark.model_dump_json()
    record(tracker, tracked_run(run, summary, "benchmark", values, numbers, ("figures", *files)), summary)
    return BenchResult(log, run.folder, summary, score_table(rows))


def _write(
    run: Run,
    benchmark: Benchmark,
    rows: Sequence[Mapping[str, Any]],
    means: Sequence[Mapping[str, Any]],
    board: LeaderboardResult,
) -> list[str]:
    """Write the tables of scores into the run folder; names of the files."""
    from intent.logs.tablefile import write_table

    folder = run.folder
    facts = {"run": run.facts["run"], "scoring": "code", "benchmark": benchmark.model_dump(mode="json")}
    write_table(score_table(rows), folder / "scores.csv", facts, overwrite=True)
    write_table(score_table(means), folder / "means.csv", facts, overwrite=True)
    board.write_pages(folder, overwrite=True)
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
