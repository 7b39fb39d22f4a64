"""Play an experiment: from its file to a run folder with log, labels and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.tracking.base import Tracker
    from intent.workflows.experiment.model import Experiment
    from intent.workflows.run_finish import PlayResult
    from intent.workflows.run_session import Live

__all__ = ["play", "play_experiment"]


def play_experiment(
    experiment: Experiment | Mapping[str, Any] | str | Path,
    output: str | Path | None = None,
    *,
    models: Mapping[str, Callable[..., Any]] | None = None,
    overwrite: bool = False,
    track: str | None = None,
    **changes: Any,
) -> PlayResult:
    """Play an experiment and return its log.

    Parameters
    ----------
    experiment : path of an experiment file (ours, or FAIRGAME's JSON), its values, or an Experiment
    output : folder to make, optional
        None plays in a folder that is gone afterwards; the log stays in memory.
    models : mapping of name -> async function, optional
        Models of your own, ``async (messages, tools, settings) -> text or Reply``. Where the experiment
        names one of them, as ``python/NAME``, they play where it says; else in place of its models.
    overwrite : bool
        Whether a run at `output` may be replaced, with all its replies.
    track : str, optional
        MLflow URI or SQLite file to record the run in.
    **changes
        Keys of the experiment by their new values: ``rounds=2``, ``model="local/smollm2-135m"``,
        ``language=["en", "vi"]`` (a list makes a factor of the grid).

    Returns
    -------
    PlayResult
        ``log``, ``path``, ``summary``.

    Raises
    ------
    IntentError
        The experiment, its prompts or its models are not what they should be.

    Examples
    --------
    >>> result = play_experiment({"game": "stag-hunt", "model": "scripted/TFT", "rounds": 3})
    >>> result.summary["n_moves"], result.summary["cooperation_rate"]
    (6, 1.0)
    """
    from intent.workflows.experiment.load import load_experiment
    from intent.workflows.new_run import in_folder
    from intent.workflows.tracker import make_tracker

    names = [f"python/{name}" for name in models or {}]
    chosen = load_experiment(experiment, **changes)
    if names and not _mentions(chosen.design(), names):
        chosen = load_experiment(experiment, models=names, **changes)
    settings: dict[str, Any] = {"callables": models or {}, "tracker": make_tracker(track)}
    return in_folder(output, lambda folder: play(chosen, folder, overwrite=overwrite, **settings))


def play(
    experiment: Experiment,
    output: str | Path,
    *,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    tracker: Tracker | None = None,
    overwrite: bool = False,
    journal: str = "wal",
    on_live: Callable[[Live], None] = lambda live: None,
) -> PlayResult:
    """Play an experiment into a new run folder.

    Everything that can be wrong with the experiment, its prompts, models and keys is said before the
    folder is made.

    Parameters
    ----------
    experiment : Experiment
    output : folder to make
    callables : mapping of name -> async function, for models ``python/NAME``
    tracker : Tracker, optional
    overwrite : bool
    journal : {"wal", "delete"}
        "delete" for network file systems.
    on_live : called at most ten times a second

    Raises
    ------
    IntentError
        As `load_experiment` and `new_run` say.
    """
    from intent.tracking.base import NullTracker
    from intent.workflows.contacts import announce_job
    from intent.workflows.new_run import new_run
    from intent.workflows.run_finish import finish
    from intent.workflows.run_session import play_session

    run, clients = new_run(experiment, output, callables, journal=journal, overwrite=overwrite)
    announce_job((client.name for client in clients), tracker)
    outcome = play_session(run, experiment, clients, on_live=on_live)
    return finish(run, experiment, outcome, tracker or NullTracker())


def _mentions(values: Any, names: Sequence[str]) -> bool:
    """Whether any of the names stands as a value, at any depth."""
    if isinstance(values, Mapping):
        return any(_mentions(value, names) for value in values.values())
    if isinstance(values, list | tuple):
        return any(_mentions(value, names) for value in values)
    return values in names
