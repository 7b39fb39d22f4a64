"""Play a benchmark: from its file, or nothing, to a run folder with log, scores and leaderboard."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.tracking.base import Tracker
    from intent.workflows.bench.benchmark import Benchmark
    from intent.workflows.bench.finish import BenchResult
    from intent.workflows.run_session import Live

__all__ = ["play_benchmark", "run_benchmark"]


def run_benchmark(
    benchmark: Benchmark | Mapping[str, Any] | str | Path | None = None,
    output: str | Path | None = None,
    *,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    overwrite: bool = False,
    track: str | None = None,
    **changes: Any,
) -> BenchResult:
    """Play games of GAMA-Bench and score them.

    Parameters
    ----------
    benchmark : path of a benchmark file, its values, or a Benchmark, optional
        None is the eight games as published: ten players, twenty rounds, temperature 1, five tables each.
    output : folder to make, optional
        None plays in a folder that is gone afterwards; the log stays in memory.
    callables : mapping of name -> async function, optional
        Models of your own, named ``python/NAME``: ``async (messages, tools, settings) -> text or Reply``.
    overwrite : bool
        Whether a run at `output` may be replaced, with all its replies.
    track : str, optional
        MLflow URI or SQLite file to record the run in.
    **changes
        As `load_benchmark`: keys by their new values, ``models=[...]``, ``games=[...]``.

    Returns
    -------
    BenchResult
        ``log``, ``path``, ``scores``, ``summary``.

    Raises
    ------
    IntentError
        The benchmark, its prompts or its models are not what they should be.

    Examples
    --------
    >>> result = run_benchmark(models=["scripted/equilibrium"], games=["diner"], repetitions=1, figures=False)
    >>> result.scores[["game", "score"]].to_dict("records")
    [{'game': 'diner', 'score': 100.0}]
    """
    from intent.workflows.bench.load import load_benchmark
    from intent.workflows.new_run import in_folder
    from intent.workflows.tracker import make_tracker

    chosen = load_benchmark(benchmark, **changes)
    settings: dict[str, Any] = {"callables": callables, "tracker": make_tracker(track)}
    return in_folder(output, lambda folder: play_benchmark(chosen, folder, overwrite=overwrite, **settings))


def play_benchmark(
    benchmark: Benchmark,
    output: str | Path,
    *,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    tracker: Tracker | None = None,
    overwrite: bool = False,
    journal: str = "wal",
    on_live: Callable[[Live], None] = lambda live: None,
) -> BenchResult:
    """Play a benchmark into a new run folder; what can be wrong with it is said before that is made.

    Parameters
    ----------
    benchmark : Benchmark
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
        As `load_benchmark`, `bench_prompts`, `checked_plans` and `make_run` say.
    """
    from intent.tracking.base import NullTracker
    from intent.workflows.bench.finish import finish_benchmark
    from intent.workflows.bench.prompt_sets import bench_prompts
    from intent.workflows.contacts import announce_job
    from intent.workflows.new_run import checked_plans, make_run
    from intent.workflows.run_session import play_session

    plans = benchmark.plans()
    prompts, clients = checked_plans(
        plans, lambda asked: bench_prompts(benchmark, asked), benchmark, callables
    )
    run = make_run(output, benchmark, "benchmark", plans, prompts, journal=journal, overwrite=overwrite)
    announce_job((client.name for client in clients), tracker)
    outcome = play_session(run, benchmark, clients, on_live=on_live)
    return finish_benchmark(run, benchmark, outcome, tracker or NullTracker())
