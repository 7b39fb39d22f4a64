"""The end of a session: the log beside the run, what the experiment wants of it, the tracked run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import IntentError
from intent.workflows.run_after import run_after
from intent.workflows.run_summary import move_summary, use_summary

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.runner.run import Outcome, Run
    from intent.tracking.base import TrackedRun, Tracker
    from intent.workflows.experiment.model import Experiment

__all__ = ["PlayResult", "finish"]

_NUMBERS = (
    "n_games",
    "n_finished",
    "n_moves",
    "n_missing",
    "n_defaulted",
    "readable",
    "cooperation_rate",
    "calls",
    "cached",
    "resent",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "seconds",
)
"""Parts of the summary that are tracked as metrics."""


@dataclass(frozen=True, eq=False)
class PlayResult:
    """What came of playing an experiment.

    Attributes
    ----------
    log : GameLog
        The finished games.
    path : Path or None
        The run folder; None where it was not kept.
    summary : dict as `schema.JSON_OBJECTS["play"]`
    """

    log: GameLog
    path: Path | None
    summary: dict[str, Any]

    def __repr__(self) -> str:
        done = f"{self.summary['n_finished']} of {self.summary['n_games']} games"
        return f"<PlayResult {self.summary['name']}: {done}, {self.summary['state']}>"


def finish(run: Run, experiment: Experiment, outcome: Outcome, tracker: Tracker) -> PlayResult:
    """Write the log, do what the experiment wants done after the last game, and record the run.

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
    over = outcome.stop is None
    after: dict[str, Any] = {"labels": None, "comparisons": [], "figures": [], "notes": []}
    if over and written:
        after = run_after(experiment.after, run.folder, seed=experiment.seed)
    status = run.status()
    set_aside = [f"game {name}: {error}" for name, error in status.errors[:5]]
    notes = [*experiment.notes, *after.pop("notes"), *set_aside]
    summary: dict[str, Any] = {
        "path": str(run.folder),
        "name": experiment.name,
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
        **after,
        "run_id": None,
        "notes": notes,
    }
    try:
        summary["run_id"] = tracker.record(tracked_run(run, experiment, summary))
    except IntentError as error:
        notes.append(f"not tracked: {error}")
    return PlayResult(log, run.folder, summary)


def tracked_run(run: Run, experiment: Experiment, summary: dict[str, Any]) -> TrackedRun:
    """The run as it is tracked: resolved experiment, numbers, and files of the run folder."""
    from intent.agents.clients.keys import redact
    from intent.tracking.base import TrackedRun

    values = json.loads(redact(experiment.model_dump_json(exclude={"fairgame"})))
    facts = {"run": summary["run"], "state": summary["state"], "version": run.facts.get("version")}
    files = ("run.json", "log", "labels.parquet", "figures", *summary["comparisons"])
    return TrackedRun(
        name=experiment.name,
        parameters={**{f"experiment.{key}": value for key, value in values.items()}, **facts},
        metrics={key: float(summary[key]) for key in _NUMBERS if summary[key] is not None},
        artifacts=[run.folder / name for name in files if (run.folder / name).exists()],
    )
