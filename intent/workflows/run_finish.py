"""The end of a session: the log beside the run, what the experiment wants of it, the tracked run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import IntentError
from intent.workflows.run_after import run_after
from intent.workflows.run_summary import session_summary

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.runner.run import Outcome, Run
    from intent.tracking.base import TrackedRun, Tracker
    from intent.workflows.experiment.model import Experiment

__all__ = ["PlayResult", "finish", "record", "tracked_run", "written_log"]

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
        return f"<{type(self).__name__} {self.summary['name']}: {done}, {self.summary['state']}>"


def finish(run: Run, experiment: Experiment, outcome: Outcome, tracker: Tracker) -> PlayResult:
    """Write the log, do what the experiment wants done after the last game, and record the run.

    Raises
    ------
    OutputError
        The run folder cannot be written into.
    """
    log = written_log(run)
    after: dict[str, Any] = {"labels": None, "comparisons": [], "figures": [], "notes": []}
    if outcome.stop is None and len(log.games):
        after = run_after(experiment.after, run.folder, seed=experiment.seed)
    summary, set_aside = session_summary(run, experiment.name, outcome, log)
    notes = [*experiment.notes, *after.pop("notes"), *set_aside]
    summary |= {**after, "run_id": None, "notes": notes}
    values = experiment.model_dump_json(exclude={"fairgame"})
    files = ("labels.parquet", "figures", *summary["comparisons"])
    numbers = {key: summary[key] for key in _NUMBERS}
    record(tracker, tracked_run(run, summary, "experiment", values, numbers, files), summary)
    return PlayResult(log, run.folder, summary)


def written_log(run: Run) -> GameLog:
    """The log of the finished games, written into the run folder if there are any.

    Raises
    ------
    OutputError
        The run folder cannot be written into.
    """
    from intent.logs.stores import write_log

    log = run.log()
    if len(log.games):
        write_log(log, run.folder / "log", overwrite=True)
    return log


def tracked_run(
    run: Run,
    summary: Mapping[str, Any],
    what: str,
    values: str,
    numbers: Mapping[str, float | None],
    files: Sequence[str],
) -> TrackedRun:
    """The run as it is tracked: what was to be played, numbers, and files of the run folder.

    Parameters
    ----------
    summary : mapping, as `session_summary`
    what : str
        What the values are of, before the name of each parameter.
    values : str
        JSON object; keys that look like secrets are taken out.
    numbers : mapping of metric -> value, None where there is none
    files : names of files beside the run's own, if they are there
    """
    from intent.masking import redact
    from intent.tracking.base import TrackedRun

    facts = {"run": summary["run"], "state": summary["state"], "version": run.facts.get("version")}
    return TrackedRun(
        name=summary["name"],
        parameters={**{f"{what}.{key}": value for key, value in json.loads(redact(values)).items()}, **facts},
        metrics={key: float(value) for key, value in numbers.items() if value is not None},
        artifacts=[path for name in ("run.json", "log", *files) if (path := run.folder / name).exists()],
    )


def record(tracker: Tracker, tracked: TrackedRun, summary: dict[str, Any]) -> None:
    """Put the identifier of the tracked run into the summary, or a note on why there is none."""
    try:
        summary["run_id"] = tracker.record(tracked)
    except IntentError as error:
        summary["notes"].append(f"not tracked: {error}")
