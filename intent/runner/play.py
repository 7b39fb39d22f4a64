"""Play an experiment from its file to a run folder, and go on with one that was stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import RunError

if TYPE_CHECKING:
    from intent.base.tracking import Tracker
    from intent.runner.experiment.model import Experiment, Runtime
    from intent.runner.finish import PlayResult
    from intent.runner.run import Run
    from intent.runner.session import Live


__all__ = ["ENTRY_POINTS", "experiment_of", "play", "play_experiment", "resume"]

ENTRY_POINTS = "intent.runs"
"""Group of entry points of runs of another kind: the key of ``run.json`` that keeps what was planned, to a
function that goes on with the run; its parameters are those of `resume`, the `Run` in place of the folder."""


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
    overwrite : whether a run at `output` may be replaced, with all its replies
    track : MLflow URI or SQLite file to record the run in
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
    from intent.base.tracking import make_tracker
    from intent.runner.experiment.file import load_experiment
    from intent.runner.session import in_folder

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
    output : folder to make
    callables : mapping of name -> async function, for models ``python/NAME``
    journal : {"wal", "delete"}
        "delete" for network file systems.
    on_live : called at most ten times a second

    Raises
    ------
    IntentError
        As `load_experiment` and `new_run` say.
    """
    from intent.agents.clients.endpoints import announce_job
    from intent.base.tracking import NullTracker
    from intent.runner.finish import finish
    from intent.runner.session import new_run, play_session

    run, clients = new_run(experiment, output, callables, journal=journal, overwrite=overwrite)
    announce_job((client.name for client in clients), tracker)
    outcome = play_session(run, experiment, clients, on_live=on_live)
    return finish(run, experiment, outcome, tracker or NullTracker())


def _article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _mentions(values: Any, names: Sequence[str]) -> bool:
    """Whether any of the names stands as a value, at any depth."""
    if isinstance(values, Mapping):
        return any(_mentions(value, names) for value in values.values())
    if isinstance(values, list | tuple):
        return any(_mentions(value, names) for value in values)
    return values in names


def resume(
    folder: str | Path,
    source: str | Path | Mapping[str, Any] | Runtime | None = None,
    *,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    tracker: Tracker | None = None,
    on_live: Callable[[Live], None] = lambda live: None,
    **changes: Any,
) -> PlayResult:
    """Play what is left of a run; no stored call is made again.

    Parameters
    ----------
    folder : that of the run
    source : experiment, or what the run is of, such as a benchmark, optional
        Its limits, prices, budget and ``after`` are taken from now on; its games must be those of the run.
    callables, tracker, on_live
        As for `play`.
    **changes
        As for `load_experiment`, or `load_benchmark`; such that leave the games as they are.

    Returns
    -------
    PlayResult
        What plays runs of another kind may return more, such as the scores of a benchmark.

    Raises
    ------
    RunError
        The folder is no run, another process plays it, or the experiment is another one.
    """
    from intent.agents.clients.endpoints import announce_job
    from intent.base.registry import load, points
    from intent.base.tracking import NullTracker
    from intent.runner.experiment.model import Experiment, Runtime
    from intent.runner.finish import check_after, finish
    from intent.runner.run import Run
    from intent.runner.session import make_clients, play_session

    run = Run.open(folder)
    others = points(ENTRY_POINTS)
    kind = next((name for name in others if isinstance(run.facts.get(name), dict)), Experiment.run_key)
    if isinstance(source, Runtime) and source.run_key != kind:
        name = getattr(source, "name", "what was given")
        raise RunError(
            f"{run.folder.name} is the run of {_article(kind)}, and {name} {_article(source.run_key)}"
        )
    if kind in others:
        driven: dict[str, Any] = {"callables": callables, "tracker": tracker, "on_live": on_live}
        resumed: PlayResult = load(others[kind])(run, source, **driven, **changes)
        return resumed
    assert not isinstance(source, Runtime) or isinstance(source, Experiment)
    experiment = experiment_of(run, source, **changes)
    plans = list(run.plans())
    check_after(experiment.after, plans)
    clients = make_clients(plans, experiment, callables or {})
    announce_job((client.name for client in clients), tracker)
    outcome = play_session(run, experiment, clients, on_live=on_live)
    return finish(run, experiment, outcome, tracker or NullTracker())


def experiment_of(
    run: Run, source: str | Path | Mapping[str, Any] | Experiment | None = None, **changes: Any
) -> Experiment:
    """The experiment of a run, or a given one that plans the same games.

    Raises
    ------
    RunError
        It plans others, or the run keeps none.
    DataError
        What the run keeps is none that this version knows.
    """
    from intent.base.settings import Document, checked
    from intent.runner.experiment.file import load_experiment
    from intent.runner.experiment.model import Experiment

    values = run.facts.get("experiment")
    if not isinstance(values, dict):
        raise RunError(f"{run.folder.name}: run.json holds no experiment, so it is no run of `intent play`")
    stored = checked(Experiment, Document(values), called=f"{run.folder.name}/run.json")
    wanted = load_experiment(stored if source is None else source, **changes)
    if wanted.design() == stored.design():
        return wanted
    planned = {plan.game_id: plan for plan in wanted.plans()}
    n = 0
    for plan in run.plans():
        n += 1
        other = planned.get(plan.game_id)
        if other != plan:
            what = "is not planned" if other is None else f"differs in {_difference(plan, other)}"
            raise RunError(
                f"{run.folder.name}: the experiment is not that of the run (game {plan.game_id} {what}), "
                "expected the same games; play it into a folder of its own"
            )
    if n != len(planned):
        raise RunError(
            f"{run.folder.name}: the experiment plans {len(planned)} games, the run {n}, expected the same; "
            "play it into a folder of its own"
        )
    return wanted


def _difference(one: Any, other: Any) -> str:
    """The first field in which two plans differ."""
    mine, theirs = one.model_dump(), other.model_dump()
    return next((name for name in mine if name != "seed" and mine[name] != theirs[name]), "seed")
