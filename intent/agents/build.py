"""The agents of a game: one for every seat of its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from intent.agents.agent import Agent
from intent.agents.human import HumanAgent
from intent.agents.plan import GamePlan
from intent.agents.scripted import ScriptedAgent
from intent.errors import UnknownNameError

if TYPE_CHECKING:
    from intent.agents.prompts.prompt_set import PromptSet

__all__ = ["ARCHITECTURES", "ENTRY_POINTS", "architecture", "make_agents"]

ARCHITECTURES: dict[str, str] = {
    "plain": "intent.agents.architectures.plain:PlainAgent",
    "chain_of_thought": "intent.agents.architectures.chain_of_thought:ChainOfThoughtAgent",
    "tool": "intent.agents.architectures.tool:ToolAgent",
    "debate": "intent.agents.architectures.debate:DebateAgent",
    "private": "intent.agents.architectures.private:PrivateAgent",
    "public": "intent.agents.architectures.deliberation:PublicAgent",
}
"""Name -> ``module:Class`` of an agent that asks a language model: ``Class(plan, seat, prompt_set)``."""

ENTRY_POINTS = "intent.agents"
"""Group of entry points by which other packages add architectures."""


def make_agents(plan: GamePlan, prompts: Mapping[str, PromptSet]) -> tuple[Agent, ...]:
    """The agents of a game, by seat.

    Parameters
    ----------
    plan : GamePlan
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
    if mine.kind == "scripted":
        return ScriptedAgent(plan, seat)
    if mine.kind == "human":
        return HumanAgent(plan, seat)
    made = architecture(mine.architecture)
    if plan.prompts not in prompts:
        raise UnknownNameError("prompt set", plan.prompts, prompts)
    agent: Agent = made(plan, seat, prompts[plan.prompts])
    return agent


@cache
def architecture(name: str) -> Callable[..., Any]:
    """The class of an architecture.

    Raises
    ------
    UnknownNameError
    """
    if name in ARCHITECTURES:
        module, _, attribute = ARCHITECTURES[name].partition(":")
        found: Callable[..., Any] = getattr(import_module(module), attribute)
        return found
    outside = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name not in outside:
        raise UnknownNameError("architecture", name, [*ARCHITECTURES, *outside])
    loaded: Callable[..., Any] = outside[name].load()
    return loaded
