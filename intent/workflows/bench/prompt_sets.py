"""The prompts that a benchmark is played with, by the names that its plans give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.workflows.bench.cells import bench_cells
from intent.workflows.experiment.prompt_names import prompt_names

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.workflows.bench.benchmark import Benchmark

__all__ = ["bench_prompts"]


def bench_prompts(benchmark: Benchmark, plans: Sequence[GamePlan]) -> dict[str, PromptSet]:
    """Name -> prompts, checked against every condition in which a language model or a human plays.

    Raises
    ------
    PromptError
        A folder that holds no prompts, or a condition that has no words.
    """
    from intent.agents.prompts import load_prompts

    names = prompt_names(cell.condition.prompts for cell in bench_cells(benchmark))
    asked = [
        plan for plan in plans if plan.repetition == 1 and any(seat.kind != "scripted" for seat in plan.seats)
    ]
    found: dict[str, PromptSet] = {}
    for source, name in names.items():
        mine = [plan for plan in asked if plan.prompts == name]
        if mine:
            found[name] = load_prompts(source)
        for plan in mine:
            found[name].check(plan)
    return found
