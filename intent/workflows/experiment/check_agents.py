"""Whether every agent of an experiment can be made, before anything is played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet

__all__ = ["check_agents"]


def check_agents(plans: Iterable[GamePlan], prompts: Mapping[str, PromptSet]) -> None:
    """Make the agents of every different game, and let them go again.

    What an architecture refuses (an option, an attitude, a game) is so said before the first call. Games
    that differ in repetition, seed, identifier and columns alone are alike.

    Parameters
    ----------
    plans : iterable of GamePlan
    prompts : mapping of name -> PromptSet

    Raises
    ------
    IntentError
        As `intent.agents.build.make_agents`.
    """
    from intent.agents.build import make_agents

    seen: set[str] = set()
    for plan in plans:
        like = plan.model_dump_json(exclude={"game_id", "repetition", "seed", "columns"})
        if like not in seen:
            seen.add(like)
            make_agents(plan, prompts)
