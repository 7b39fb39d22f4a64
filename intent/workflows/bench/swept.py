"""The tables of what a benchmark varies: who was scored at which level, in which setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.bench.leaderboard_runs import numbers_of
from intent.workflows.bench.table import table_name

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.suites.gamma.sweeps import Sweep
    from intent.workflows.bench.benchmark import Benchmark

__all__ = ["SWEEP_FILES", "sweep_rows", "swept", "write_sweeps"]

SWEEP_FILES = ("sweeps.md", "sweeps.csv")


def swept(benchmark: Benchmark, plans: Sequence[GamePlan], rows: Iterable[Mapping[str, Any]]) -> list[Sweep]:
    """The sweeps of a run; none where nothing was varied.

    Parameters
    ----------
    benchmark : Benchmark
    plans : those of the run, in order
    rows : as `intent.workflows.bench.scored.scored_tables`

    Notes
    -----
    Another story of a game is one of the levels, and no setting of its own.
    """
    from intent.suites.gamma.sweeps import sweeps_of
    from intent.workflows.bench.cells import bench_cells

    cells = bench_cells(benchmark)
    of_game = {plan.game_id: (cells[i % len(cells)], plan) for i, plan in enumerate(plans)}
    told = []
    for row in rows:
        cell, plan = of_game[str(row["game_id"])]
        levels = {key.rpartition(".")[2]: str(level) for key, level in cell.levels.items()}
        who = cell.model or table_name([seat.player for seat in plan.seats])
        told.append({**row, "model": who, "setting": cell.setting, "levels": levels})
    return sweeps_of(told)


def sweep_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows that are `labelled`, as `intent.suites.gamma.sweeps.sweeps_of` takes them."""
    groups: dict[tuple[object, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["model"], row["game"], str(row["setting"])), []).append(row)
    return [
        {
            **member,
            "model": member["plain"],
            "setting": str(member["setting"]),
            "levels": {name: _written(level) for name, level in member["levels"].items()},
            "run": number,
            "base": member["setting"] == "default",
        }
        for members in groups.values()
        for number, member in zip(numbers_of(members), members, strict=True)
    ]


def write_sweeps(sweeps: Sequence[Sweep], folder: Path, facts: Mapping[str, Any], *, overwrite: bool) -> None:
    """Write ``sweeps.md``, laid out as the paper's tables, and ``sweeps.csv``, a row per cell.

    Raises
    ------
    OutputError
        A file is there and may not be replaced, or cannot be written.
    """
    from intent.logs.output import writing
    from intent.logs.tablefile import write_table
    from intent.suites.gamma.sweeps import sweep_frame, sweep_markdown

    pages, table = (folder / name for name in SWEEP_FILES)
    with writing(pages, overwrite=overwrite) as draft:
        draft.write_text(sweep_markdown(sweeps), encoding="utf-8", errors="backslashreplace")
    write_table(sweep_frame(sweeps), table, facts, overwrite=overwrite)


def _written(level: object) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)
