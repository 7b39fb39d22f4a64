"""Go on with the run of a benchmark that was stopped, from where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import RunError

if TYPE_CHECKING:
    from intent.runner.run import Run
    from intent.tracking.base import Tracker
    from intent.workflows.bench.benchmark import Benchmark
    from intent.workflows.bench.finish import BenchResult
    from intent.workflows.run_session import Live

__all__ = ["benchmark_of", "is_benchmark", "resume_benchmark"]


def is_benchmark(run: Run) -> bool:
    """Whether a run is one of a benchmark."""
    return isinstance(run.facts.get("benchmark"), dict)


def resume_benchmark(
    run: Run,
    source: str | Path | Mapping[str, Any] | Benchmark | None = None,
    *,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    tracker: Tracker | None = None,
    on_live: Callable[[Live], None] = lambda live: None,
    **changes: Any,
) -> BenchResult:
    """Play what is left of a run; no stored call is made again. Scores and leaderboard are written anew.

    Parameters
    ----------
    run : Run
    source : benchmark, optional
        Its limits, prices and budget are taken from now on; its games must be those of the run.
    callables, tracker, on_live
        As for `play_benchmark`.
    **changes
        As for `load_benchmark`; such that leave the games as they are.

    Raises
    ------
    RunError
        Another process plays it, or the benchmark is another one.
    """
    from intent.tracking.base import NullTracker
    from intent.workflows.bench.finish import finish_benchmark
    from intent.workflows.contacts import announce_job
    from intent.workflows.run_models import make_clients
    from intent.workflows.run_session import play_session

    benchmark = benchmark_of(run, source, **changes)
    clients = make_clients(list(run.plans()), benchmark, callables or {})
    announce_job((client.name for client in clients), tracker)
    outcome = play_session(run, benchmark, clients, on_live=on_live)
    return finish_benchmark(run, benchmark, outcome, tracker or NullTracker())


def benchmark_of(
    run: Run, source: str | Path | Mapping[str, Any] | Benchmark | None = None, **changes: Any
) -> Benchmark:
    """The benchmark of a run, or a given one that plans the same games.

    Raises
    ------
    RunError
        It plans others.
    DataError
        What the run keeps is none that this version knows.
    """
    from intent.files.settings import Document
    from intent.workflows.bench.benchmark import Benchmark
    from intent.workflows.bench.load import load_benchmark
    from intent.workflows.values import checked

    stored = checked(Benchmark, Document(run.facts["benchmark"]), called=f"{run.folder.name}/run.json")
    wanted = load_benchmark(stored if source is None else source, **changes)
    if wanted.design() != stored.design() and wanted.plans() != list(run.plans()):
        raise RunError(
            f"{run.folder.name}: the benchmark is not that of the run, expected the same games; "
            "play it into a folder of its own"
        )
    return wanted
