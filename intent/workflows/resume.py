"""Go on with a run that was stopped, from where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import RunError

if TYPE_CHECKING:
    from intent.runner.run import Run
    from intent.tracking.base import Tracker
    from intent.workflows.bench.benchmark import Benchmark
    from intent.workflows.experiment.model import Experiment
    from intent.workflows.run_finish import PlayResult
    from intent.workflows.run_session import Live

__all__ = ["experiment_of", "resume"]


def resume(
    folder: str | Path,
    source: str | Path | Mapping[str, Any] | Experiment | Benchmark | None = None,
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
    source : experiment, or benchmark where the run is of one, optional
        Its limits, prices, budget and ``after`` are taken from now on; its games must be those of the run.
    callables, tracker, on_live
        As for `play`.
    **changes
        As for `load_experiment`, or `load_benchmark`; such that leave the games as they are.

    Returns
    -------
    PlayResult
        A `BenchResult` where the run is of a benchmark.

    Raises
    ------
    RunError
        The folder is no run, another process plays it, or the experiment is another one.
    """
    from intent.runner.run import Run
    from intent.tracking.base import NullTracker
    from intent.workflows.bench.benchmark import Benchmark
    from intent.workflows.bench.resume import is_benchmark, resume_benchmark
    from intent.workflows.check_after import check_after
    from intent.workflows.contacts import announce_job
    from intent.workflows.experiment.model import Experiment
    from intent.workflows.run_finish import finish
    from intent.workflows.run_models import make_clients
    from intent.workflows.run_session import play_session

    run = Run.open(folder)
    if is_benchmark(run):
        if isinstance(source, Experiment):
            raise RunError(f"{run.folder.name} is the run of a benchmark, and {source.name} an experiment")
        driven: dict[str, Any] = {"callables": callables, "tracker": tracker, "on_live": on_live}
        return resume_benchmark(run, source, **driven, **changes)
    if isinstance(source, Benchmark):
        raise RunError(f"{run.folder.name} is the run of an experiment, and {source.name} a benchmark")
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
    from intent.files.settings import Document
    from intent.workflows.experiment.load import load_experiment
    from intent.workflows.experiment.model import Experiment
    from intent.workflows.values import checked

    kept = run.facts.get("experiment")
    if not isinstance(kept, dict):
        raise RunError(f"{run.folder.name}: run.json holds no experiment, so it is no run of `intent play`")
    stored = checked(Experiment, Document(kept), called=f"{run.folder.name}/run.json")
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
