"""Play an experiment from its file to a run folder, and go on with one that was stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from intent.base.errors import RunError
from intent.base.registry import points
from intent.base.settings import Document, checked
from intent.runner.experiment.file import load_experiment
from intent.runner.experiment.model import Experiment, Runtime
from intent.runner.experiment.plans import prompt_sets
from intent.runner.experiment.settings import read_with_includes
from intent.runner.finish import check_after, finish
from intent.runner.run import Run
from intent.runner.session import (
    ENTRY_POINTS,
    RunKind,
    in_folder,
    make_clients,
    new_run,
    play_session,
    run_kind,
    staged_folder,
    staged_kind,
)

if TYPE_CHECKING:
    from intent.agents.client import Client
    from intent.base.tracking import Tracker
    from intent.runner.finish import PlayResult
    from intent.runner.session import Live


__all__ = ["EXPERIMENTS", "experiment_of", "load_source", "play", "play_experiment", "play_source", "resume"]

EXPERIMENTS = RunKind(
    Experiment,
    load_experiment,
    lambda experiment, plans: check_after(experiment.after, plans),
    prompt_sets,
    finish,
)


def load_source(source: str | Path | Mapping[str, Any] | Runtime, **changes: Any) -> Any:
    """The experiment of a file or values, or what else they say is played.

    Parameters
    ----------
    source : path, values, or what is to be played
        One that is no experiment names its kind by a key: ``benchmark: gamma``.
    **changes
        As `load_experiment`, or what loads that kind.

    Raises
    ------
    IntentError
        As the kind's `load` says.
    """
    if isinstance(source, Runtime):
        return run_kind(source.run_key).load(source, **changes)
    values = source if isinstance(source, Mapping) else {}
    if isinstance(source, str | Path) and Path(source).suffix in (".yaml", ".yml"):
        values = read_with_includes(source, aliases={}).values
    kind = next((name for name in points(ENTRY_POINTS) if name in values), Experiment.run_key)
    return run_kind(kind).load(source, **changes)


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
    names = [f"python/{name}" for name in models or {}]
    chosen: Any = load_source(experiment, **changes)
    if names and staged_kind(chosen.run_key) is None and not _mentions(chosen.design(), names):
        chosen = load_source(experiment, models=names, **changes)
    result: PlayResult = play_source(chosen, output, callables=models, overwrite=overwrite, track=track)
    return result


def play_source(
    source: Any,
    output: str | Path | None = None,
    *,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    overwrite: bool = False,
    track: str | None = None,
) -> Any:
    """Play what was loaded, into a folder or one that is gone afterwards; as `play_experiment`."""
    from intent.base.tracking import make_tracker

    if (staged := staged_kind(source.run_key)) is not None:
        if output is None:
            raise RunError(f"{source.name} works in stages that keep their files, expected a folder for them")
        return staged.play(source, Path(output), lambda done, total: None, overwrite=overwrite)
    settings: dict[str, Any] = {
        "callables": callables,
        "tracker": make_tracker(track),
        "overwrite": overwrite,
    }
    return in_folder(output, lambda folder: play(source, folder, **settings))


def play(
    experiment: Any,
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
    experiment : Experiment, or a source of another `RunKind`
    output : folder to make
    callables : mapping of name -> async function, for models ``python/NAME``
    journal : {"wal", "delete"}
        "delete" for network file systems.
    on_live : called at most ten times a second

    Raises
    ------
    IntentError
        As `new_run` says.
    """
    run, clients = new_run(experiment, output, callables, journal=journal, overwrite=overwrite)
    return _session(run, experiment, clients, tracker, on_live)


def _session(
    run: Run,
    experiment: Any,
    clients: Sequence[Client],
    tracker: Tracker | None,
    on_live: Callable[[Live], None],
) -> PlayResult:
    """Play what is left of a run, and write what it comes to."""
    from intent.agents.clients.endpoints import announce_job
    from intent.base.tracking import NullTracker

    announce_job((client.name for client in clients), tracker)
    outcome = play_session(run, experiment, clients, on_live=on_live)
    return run_kind(experiment.run_key).finish(run, experiment, outcome, tracker or NullTracker())


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
        As for `load_source`; such that leave the games as they are.

    Returns
    -------
    PlayResult
        Runs of another kind may return more, such as the scores of a benchmark; a chain returns its own.

    Raises
    ------
    RunError
        The folder is no run, another process plays it, or the experiment is another one.
    """
    if (staged := staged_folder(Path(folder))) is not None:
        return cast("PlayResult", staged.resume(Path(folder), source, lambda done, total: None, **changes))
    run = Run.open(folder)
    experiment = experiment_of(run, source, **changes)
    plans = list(run.plans())
    run_kind(experiment.run_key).check(experiment, plans)
    return _session(run, experiment, make_clients(plans, experiment, callables or {}), tracker, on_live)


def experiment_of(
    run: Run, source: str | Path | Mapping[str, Any] | Runtime | None = None, **changes: Any
) -> Any:
    """The experiment of a run (or what else it is of), or a given one that plans the same games.

    Raises
    ------
    RunError
        It plans others, or the run keeps none.
    DataError
        What the run keeps is none that this version knows.
    """
    key = next((name for name in points(ENTRY_POINTS) if isinstance(run.facts.get(name), dict)), None)
    if key is None:
        raise RunError(f"{run.folder.name}: run.json holds no experiment, so it is no run of `intent play`")
    if isinstance(source, Runtime) and source.run_key != key:
        name = getattr(source, "name", "what was given")
        raise RunError(
            f"{run.folder.name} is the run of {_article(key)}, and {name} {_article(source.run_key)}"
        )
    kind = run_kind(key)
    stored: Any = checked(kind.source, Document(run.facts[key]), called=f"{run.folder.name}/run.json")
    wanted = kind.load(stored if source is None else source, **changes)
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
                f"{run.folder.name}: the {key} is not that of the run (game {plan.game_id} {what}), "
                "expected the same games; play it into a folder of its own"
            )
    if n != len(planned):
        raise RunError(
            f"{run.folder.name}: the {key} plans {len(planned)} games, the run {n}, expected the same; "
            "play it into a folder of its own"
        )
    return wanted


def _difference(one: Any, other: Any) -> str:
    """The first field in which two plans differ."""
    mine, theirs = one.model_dump(), other.model_dump()
    return next((name for name in mine if name != "seed" and mine[name] != theirs[name]), "seed")
