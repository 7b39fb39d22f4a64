"""The prompts that a benchmark is played with, by the names that its plans give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.workflows.bench.cells import bench_cells
from intent.workflows.experiment.prompt_names import prompt_names
from intent.workflows.experiment.prompt_sets import loaded_prompts

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
    return loaded_prompts(names, asked, lambda source, name: load_prompts(source, bench=True))
