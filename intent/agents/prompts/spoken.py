"""Phrases that are said by themselves, such as the description of a tool."""

from __future__ import annotations

from collections.abc import Mapping

from intent.agents.plan import GamePlan
from intent.agents.prompts.facts import listed
from intent.agents.prompts.wording import Wording
from intent.games.game import Game

__all__ = ["spoken"]


def spoken(wording: Wording, phrase: str, plan: GamePlan, values: Mapping[str, object]) -> str:
    """A phrase with `values`, and with what the plan itself tells.

    Parameters
    ----------
    wording : Wording
        That of the plan's language and framing.
    values : mapping
        Lists are joined by the phrase ``or``.

    Raises
    ------
    PromptError
        There is no such phrase, or it asks for another value.
    """
    joined = {
        name: wording.say("or").join(map(str, value)) if isinstance(value, list | tuple) else value
        for name, value in values.items()
    }
    return wording.say(phrase, **{**_told(wording, plan), **joined})


def _told(wording: Wording, plan: GamePlan) -> dict[str, object]:
    """Options, unit, and the labels of cooperation and defection where the game has them."""
    stage = plan.stage()
    told: dict[str, object] = {
        "options": wording.say("or").join(listed(stage.actions, plan.listed_first)),
        "unit": wording.say(f"unit_{stage.kind}"),
    }
    cooperate = _cooperative(stage)
    if cooperate is not None:
        told["cooperate"] = cooperate
        told["defect"] = next(action for action in stage.actions if action != cooperate)
    return told


def _cooperative(stage: Game) -> str | None:
    """The action that is cooperation for every player, None where there is none."""
    labels = {stage.cooperative_action(seat) for seat in range(1, stage.n_players + 1)}
    return labels.pop() if len(labels) == 1 else None
