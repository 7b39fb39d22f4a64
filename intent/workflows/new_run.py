"""A new run folder for an experiment or a benchmark, made once nothing can be wrong with it any more."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from intent.agents.client import Client
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.runner.run import Run
    from intent.workflows.bench.benchmark import Benchmark
    from intent.workflows.experiment.model import Experiment
    from intent.workflows.experiment.runtime import Runtime
    from intent.workflows.run_finish import PlayResult

__all__ = ["checked_plans", "checked_run", "in_folder", "make_run", "new_run"]

R = TypeVar("R", bound="PlayResult")


def checked_plans(
    plans: Sequence[GamePlan],
    prompts_of: Callable[[Sequence[GamePlan]], dict[str, PromptSet]],
    runtime: Runtime,
    callables: Mapping[str, Callable[..., Any]] | None = None,
) -> tuple[dict[str, PromptSet], list[Client]]:
    """Prompts and clients of games that could be played; nothing is written, nobody is asked.

    Parameters
    ----------
    plans : sequence of GamePlan
    prompts_of : from the plans to their prompts by name
    runtime : how the run is driven
    callables : mapping of name -> async function, for models ``python/NAME``

    Raises
    ------
    IntentError
        As `prompts_of`, `check_agents` and `make_clients` say.
    """
    from intent.workflows.experiment.check_agents import check_agents
    from intent.workflows.run_models import make_clients, model_names

    model_names(plans)
    prompts = prompts_of(plans)
    check_agents(plans, prompts)
    return prompts, make_clients(plans, runtime, callables or {})


def checked_run(
    experiment: Experiment, callables: Mapping[str, Callable[..., Any]] | None = None
) -> tuple[list[GamePlan], dict[str, PromptSet], list[Client]]:
    """Plans, prompts and clients of an experiment that could be played.

    Raises
    ------
    IntentError
        As `check_after`, `prompt_sets` and `checked_plans` say.
    """
    from intent.workflows.check_after import check_after
    from intent.workflows.experiment.prompt_sets import prompt_sets

    plans = experiment.plans()
    check_after(experiment.after, plans)
    prompts, clients = checked_plans(
        plans, lambda asked: prompt_sets(experiment, asked), experiment, callables
    )
    return plans, prompts, clients


def new_run(
    experiment: Experiment,
    output: str | Path,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    *,
    journal: str = "wal",
    overwrite: bool = False,
) -> tuple[Run, list[Client]]:
    """The run of an experiment, and the clients of its language models.

    Parameters
    ----------
    callables : mapping of name -> async function, for models ``python/NAME``
    output, journal, overwrite
        As `make_run`.

    Raises
    ------
    IntentError
        As `checked_run` and `make_run` say.
    """
    plans, prompts, clients = checked_run(experiment, callables)
    run = make_run(output, experiment, "experiment", plans, prompts, journal=journal, overwrite=overwrite)
    return run, clients


def make_run(
    output: str | Path,
    source: Experiment | Benchmark,
    what: str,
    plans: Sequence[GamePlan],
    prompts: Mapping[str, PromptSet],
    *,
    journal: str = "wal",
    overwrite: bool = False,
) -> Run:
    """The run folder of games that were planned.

    Parameters
    ----------
    output : folder to make
    source : what was planned
    what : str
        The key of ``run.json`` that keeps it, for resuming.
    plans, prompts
        Once checked.
    journal : {"wal", "delete"}
        "delete" for network file systems.
    overwrite : bool

    Raises
    ------
    IntentError
        As `Run.create` says.
    """
    from intent.runner.run import Run

    return Run.create(
        output,
        plans,
        facts={"name": source.name, "seed": source.seed, what: source.model_dump(mode="json")},
        prompts={name: found.to_json() for name, found in prompts.items()},
        journal="delete" if journal == "delete" else "wal",
        overwrite=overwrite,
    )


def in_folder(output: str | Path | None, play: Callable[[Path], R]) -> R:
    """What `play` makes in the folder; without one, in a folder that is gone afterwards.

    Parameters
    ----------
    output : folder to make, optional
    play : from the run folder to the result
    """
    if output is not None:
        return play(Path(output))
    with tempfile.TemporaryDirectory(prefix="intent-") as folder:
        result = play(Path(folder) / "run")
    return replace(result, path=None, summary={**result.summary, "path": None, "log": None})
