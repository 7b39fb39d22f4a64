"""What FAIRGAME's templates have words for, and what not."""

from __future__ import annotations

from intent.agents.plan import GamePlan
from intent.errors import PromptError, shorten

__all__ = ["check_factors", "no_words"]


def check_factors(plan: GamePlan, name: str) -> None:
    """Refuse what a template cannot express, so that no factor of an experiment goes unheard.

    Raises
    ------
    PromptError
        A factor beyond them; named.
    """
    beyond = {
        f"framing {shorten(plan.framing)!r}": plan.framing != "plain",
        "named_first 'other'": plan.named_first != "self",
        f"listed_first {shorten(plan.listed_first)!r}": plan.listed_first is not None,
        "replies as JSON": plan.reply.parser == "json",
        "an implementation error": plan.implementation_error > 0,
        "a continuation probability that players know": plan.horizon_known and plan.continuation is not None,
        "totals of all rounds": plan.totals == "all",
        "comprehension questions": bool(plan.questions),
    }
    models = [seat for seat in plan.seats if seat.kind == "model"]
    wanted = [factor for factor, set_ in beyond.items() if set_]
    wanted += [
        f"architecture {shorten(seat.architecture)!r}" for seat in models if seat.architecture != "plain"
    ]
    if wanted:
        raise PromptError(no_words(name, wanted[0]))


def no_words(name: str, wanted: str) -> str:
    """What is said of something that the templates of this name have no words for."""
    return f"prompts {name}: FAIRGAME's templates have no words for {wanted}"
