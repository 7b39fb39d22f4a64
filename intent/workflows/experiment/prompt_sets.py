"""The prompts that an experiment is played with, by the names that its plans give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from intent.errors import PromptError
from intent.workflows.experiment.grid import cells
from intent.workflows.experiment.prompt_names import prompt_names

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.workflows.experiment.model import Experiment

__all__ = ["loaded_prompts", "prompt_sets"]


def prompt_sets(experiment: Experiment, plans: Sequence[GamePlan]) -> dict[str, PromptSet]:
    """Name -> prompts, checked against every condition in which a language model plays.

    Raises
    ------
    PromptError
        A folder that holds no prompts, or a condition that has no words.
    """
    names = prompt_names(cell.condition.prompts for cell in cells(experiment))
    asked = [plan for plan in plans if plan.repetition <= _orders(experiment) and _is_asked(plan)]
    return loaded_prompts(names, asked, lambda source, name: _load(experiment, source, name))


def loaded_prompts(
    names: Mapping[str, str], asked: Sequence[GamePlan], load: Callable[[str, str], PromptSet]
) -> dict[str, PromptSet]:
    """Name -> prompts of those that any plan is asked with, checked against these plans.

    Parameters
    ----------
    names : mapping of source -> name
    asked : plans in which somebody reads prompts
    load : from source and name to the prompts

    Raises
    ------
    PromptError
        As `load` and `PromptSet.check` say.
    """
    found: dict[str, PromptSet] = {}
    for source, name in names.items():
        mine = [plan for plan in asked if plan.prompts == name]
        if mine:
            found[name] = load(source, name)
        for plan in mine:
            found[name].check(plan)
    return found


def _orders(experiment: Experiment) -> int:
    """Repetitions that differ in how they are presented."""
    return int(2 ** len(experiment.counterbalance))


def _is_asked(plan: GamePlan) -> bool:
    return any(seat.kind == "model" for seat in plan.seats)


def _load(experiment: Experiment, source: str, name: str) -> PromptSet:
    from intent.agents.prompts import FairgamePrompts, fairgame_prompts, load_prompts

    wording = experiment.fairgame
    if source == "fairgame":
        if wording is None or wording.templates is None:
            raise PromptError(f"{experiment.name}: prompts fairgame, but the file holds no promptTemplate")
        return fairgame_prompts(
            None, None, wording.weights, wording.strategies, templates=wording.templates, name=name
        )
    prompts = load_prompts(source)
    if wording is None or not isinstance(prompts, FairgamePrompts):
        return prompts
    return fairgame_prompts(source, wording.stem, wording.weights, wording.strategies, name=name)
