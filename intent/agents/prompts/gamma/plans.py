"""What prompts of the eight games take from a plan, and what no words are there for."""

from __future__ import annotations

from intent.agents.plan import GamePlan
from intent.agents.prompts.gamma.pieces import VERSIONS, game_of
from intent.agents.prompts.inside import Inside
from intent.agents.prompts.prompt_set import Phase, check_names
from intent.errors import PromptError, shorten
from intent.games.course import CourseGame

__all__ = ["check_choice", "check_table", "version_of"]


def version_of(plan: GamePlan) -> str:
    """The wording that the plan's framing names; ``plain`` is the first."""
    return VERSIONS[0] if plan.framing == "plain" else plan.framing


def check_choice(name: str, phase: Phase, inside: Inside) -> None:
    """Refuse every request but that for a choice.

    Raises
    ------
    PromptError
    """
    if phase != "choose" or inside.request or inside.role != "player":
        raise PromptError(
            f"prompts {name}: no words for {inside.request or phase} of a {inside.role}, expected a choice"
        )


def check_table(plan: GamePlan, name: str) -> CourseGame:
    """The plan's game, if it is one of the eight and nothing is planned that no table has.

    Raises
    ------
    PromptError
    """
    check_names(plan)
    game = plan.stage()
    if not isinstance(game, CourseGame) or game_of(game.name) is None:
        raise PromptError(f"prompts {name}: no words for {shorten(plan.game)}, expected a gamma-bench game")
    factors = {
        "communication": plan.communication != "none",
        "questions": bool(plan.questions),
        "listed_first": plan.listed_first is not None,
        "named_first": plan.named_first != "self",
        "totals": plan.totals != "shown",
        "opponent_persona_probability": any(seat.opponent_persona_probability for seat in plan.seats),
    }
    if asked := [what for what, is_set in factors.items() if is_set]:
        raise PromptError(
            f"prompts {name}: no words for {asked[0]} in {game.name}, expected it not to be set"
        )
    return game
