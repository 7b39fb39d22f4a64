"""Play a benchmark: from its file, or nothing, to a run folder with log, scores and leaderboard."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.agents.client import Client
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.runner.run import Run
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
    from intent.workflows.tracker import make_tracker

    chosen = load_benchmark(benchmark, **changes)
    settings: dict[str, Any] = {"callables": callables, "tracker": make_tracker(track)}
    if output is not None:
        return play_benchmark(chosen, output, overwrite=overwrite, **settings)
    with tempfile.TemporaryDirectory(prefix="intent-") as folder:
        result = play_benchmark(chosen, Path(folder) / "run", **settings)
    return replace(result, path=None, summary={**result.summary, "path": None, "log": None})


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
        As `load_benchmark`, `bench_prompts`, `make_clients` and `Run.create` say.
    """
    from intent.runner.run import Run
    from intent.tracking.base import NullTracker
    from intent.workflows.bench.finish import finish_benchmark
    from intent.workflows.run_session import play_session

    plans, prompts, clients = _checked(benchmark, callables)
    run: Run = Run.create(
        output,
        plans,
        facts={
            "name": benchmark.name,
            "seed": benchmark.seed,
            "benchmark": benchmark.model_dump(mode="json"),
        },
        prompts={name: found.to_json() for name, found in prompts.items()},
        journal="delete" if journal == "delete" else "wal",
        overwrite=overwrite,
    )
    outcome = play_session(run, benchmark, clients, on_live=on_live)
    return finish_benchmark(run, benchmark, outcome, tracker or NullTracker())


def _checked(
    benchmark: Benchmark, callables: Mapping[str, Callable[..., Any]] | None
) -> tuple[list[GamePlan], dict[str, PromptSet], list[Client]]:
    """Plans, prompts and clients of a run that could be made; nothing is written, nobody is asked."""
    from intent.workflows.bench.prompt_sets import bench_prompts
    from intent.workflows.experiment.check_agents import check_agents
    from intent.workflows.run_models import make_clients, model_names

    plans = benchmark.plans()
    model_names(plans)
    prompts = bench_prompts(benchmark, plans)
    check_agents(plans, prompts)
    return plans, prompts, make_clients(plans, benchmark, callables or {})
