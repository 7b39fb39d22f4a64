"""The agents of a game: one for every seat of its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from intent.agents.agent import ARCHITECTURES, Agent
from intent.agents.human import HumanAgent
from intent.agents.plan import GamePlan
from intent.agents.scripted import ScriptedAgent
from intent.agents.transforms import OPTION, transformed_agent
from intent.base.errors import UnknownNameError
from intent.base.registry import load, loaded, point, points
from intent.games.game import CourseGame

if TYPE_CHECKING:
    from intent.agents.prompts.prompt_set import PromptSet

__all__ = ["ENTRY_POINTS", "architecture", "make_agents"]


ENTRY_POINTS = "intent.agents"
"""Group of entry points by which other packages add architectures."""


def make_agents(plan: GamePlan, prompts: Mapping[str, PromptSet]) -> tuple[Agent, ...]:
    """The agents of a game, by seat.

    Parameters
    ----------
    prompts : mapping of name -> PromptSet
        Those of the run; the plan's own is needed where a language model plays.

    Raises
    ------
    UnknownNameError
        A strategy, an architecture or a prompt set that is not there.
    IntentError
        What an agent refuses to play.
    """
    return tuple(_agent(plan, seat, prompts) for seat in range(1, len(plan.seats) + 1))


def _agent(plan: GamePlan, seat: int, prompts: Mapping[str, PromptSet]) -> Agent:
    mine = plan.seats[seat - 1]
    at_table = isinstance(plan.stage(), CourseGame)
    if mine.kind == "scripted":
        return _table().ScriptedTableAgent(plan, seat) if at_table else ScriptedAgent(plan, seat)
    if mine.kind == "human":
        shown = prompts.get(plan.prompts)
        return _table().HumanTableAgent(plan, seat, shown) if at_table else HumanAgent(plan, seat)
    if plan.prompts not in prompts:
        raise UnknownNameError("prompt set", plan.prompts, prompts)

    def of_model(plan: GamePlan) -> Agent:
        return _of_model(plan, seat, at_table, prompts[plan.prompts])

    return transformed_agent(plan, seat, of_model) if OPTION in mine.options else of_model(plan)


def _of_model(plan: GamePlan, seat: int, at_table: bool, prompts: PromptSet) -> Agent:
    name = plan.seats[seat - 1].architecture
    ours = at_table and (name in ARCHITECTURES or point(ENTRY_POINTS, name) is None)
    made = _table().TableAgent if ours else architecture(name)
    agent: Agent = made(plan, seat, prompts)
    return agent


def _table() -> Any:
    from intent.agents import table

    return table


@cache
def architecture(name: str) -> Callable[..., Any]:
    """The class of an architecture.

    Raises
    ------
    UnknownNameError
    """
    if name in ARCHITECTURES:
        ours: Callable[..., Any] = loaded(ARCHITECTURES[name])
        return ours
    there = point(ENTRY_POINTS, name)
    if there is None:
        raise UnknownNameError("architecture", name, [*ARCHITECTURES, *points(ENTRY_POINTS)])
    theirs: Callable[..., Any] = load(there)
    return theirs
