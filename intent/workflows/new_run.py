"""A new run folder for an experiment, made once nothing can be wrong with it any more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.agents.client import Client
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.runner.run import Run
    from intent.workflows.experiment.model import Experiment

__all__ = ["checked_run", "new_run"]


def checked_run(
    experiment: Experiment, callables: Mapping[str, Callable[..., Any]] | None = None
) -> tuple[list[GamePlan], dict[str, PromptSet], list[Client]]:
    """Plans, prompts and clients of a run that could be made; nothing is written, nobody is asked.

    Raises
    ------
    IntentError
        As `prompt_sets`, `check_agents` and `make_clients` say.
    """
    from intent.workflows.check_after import check_after
    from intent.workflows.experiment.check_agents import check_agents
    from intent.workflows.experiment.prompt_sets import prompt_sets
    from intent.workflows.run_models import make_clients, model_names

    plans = experiment.plans()
    check_after(experiment.after, plans)
    model_names(plans)
    prompts = prompt_sets(experiment, plans)
    check_agents(plans, prompts)
    return plans, prompts, make_clients(plans, experiment, callables or {})


def new_run(
    experiment: Experiment,
    output: str | Path,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    *,
    journal: str = "wal",
    overwrite: bool = False,
) -> tuple[Run, list[Client]]:
    """The run, and the clients of its language models.

    Parameters
    ----------
    experiment : Experiment
    output : folder to make
    callables : mapping of name -> async function, for models ``python/NAME``
    journal : {"wal", "delete"}
        "delete" for network file systems.
    overwrite : bool

    Raises
    ------
    IntentError
        As `checked_run` and `Run.create` say.
    """
    from intent.runner.run import Run

    plans, prompts, clients = checked_run(experiment, callables)
    run = Run.create(
        output,
        plans,
        facts={
            "name": experiment.name,
            "seed": experiment.seed,
            "experiment": experiment.model_dump(mode="json"),
        },
        prompts={name: found.to_json() for name, found in prompts.items()},
        journal="delete" if journal == "delete" else "wal",
        overwrite=overwrite,
    )
    return run, clients
