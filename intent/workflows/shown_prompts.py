"""The prompts that a dry run shows: one for every role in a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.agents.agent import Agent
    from intent.agents.plan import GamePlan

__all__ = ["model_seats", "shown_prompts"]


def model_seats(plan: GamePlan) -> list[int]:
    """Seats that language models take, from 1."""
    return [i for i, seat in enumerate(plan.seats, start=1) if seat.kind == "model"]


def shown_prompts(plan: GamePlan, agents: Sequence[Agent]) -> list[dict[str, Any]]:
    """The prompts of round 2 by role: seats that are not alike, sides of a debate, stages of a decision.

    Parameters
    ----------
    plan : GamePlan
    agents : sequence of Agent, by seat

    Returns
    -------
    list of dict with seat, role (architecture, and the side of a debate), stage (purpose of the call), text,
    tools (as they are declared to the endpoint)
    """
    from intent.workflows.first_prompt import invented_view, stage_prompts

    found, seen = [], set()
    for seat in model_seats(plan):
        player = plan.seats[seat - 1]
        like = f"{player.architecture} {player.options} {player.attitude}"
        if like in seen:
            continue
        seen.add(like)
        for one in stage_prompts(agents[seat - 1], invented_view(plan, seat, min(2, plan.rounds))):
            role = player.architecture
            if role == "debate":
                role = f"debate, {'assistant' if one.purpose == 'advise' else 'decision maker'}"
            facts = {"seat": seat, "role": role, "stage": one.purpose, "text": one.text}
            found.append({**facts, "tools": list(one.tools)})
    return found
