"""What a set of prompts offers to those who play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from intent.agents.client import Message
from intent.agents.plan import GamePlan
from intent.agents.prompts.inside import NOTHING, Inside
from intent.errors import PromptError, shorten
from intent.play.view import View

__all__ = ["FORMAT", "Phase", "PromptSet", "check_names", "first_views"]

Phase = Literal["message", "choose"]

FORMAT = 1
"""Version of the JSON that prompt sets are saved as."""


class PromptSet(Protocol):
    """The words of a game, in one or more languages.

    Attributes
    ----------
    name : str
    languages : tuple of str
        Codes that a plan's language may be, aliases apart.
    """

    @property
    def name(self) -> str: ...
    @property
    def languages(self) -> tuple[str, ...]: ...

    def check(self, plan: GamePlan) -> None:
        """Refuse a plan that could not be put into words.

        Raises
        ------
        PromptError
            Its language, game, framing, phase or something else has no words here.
        """
        ...

    def render(
        self, view: View, plan: GamePlan, phase: Phase, inside: Inside = NOTHING
    ) -> tuple[Message, ...]:
        """The messages that ask the view's seat for its message, its choice, or what `inside` requests.

        Raises
        ------
        PromptError
            As for `check`.
        """
        ...

    def say(self, phrase: str, plan: GamePlan, **values: object) -> str:
        """A phrase of the plan's language and framing, such as the description of a tool.

        Raises
        ------
        PromptError
            There is none, or it asks for another value.
        """
        ...

    def remind(self, language: str, labels: Sequence[str], parser: str = "strict") -> str:
        """What to say after a reply that could not be read."""
        ...

    def to_json(self) -> str:
        """All texts, so that `prompts_from_json` gives an equal set on any machine."""
        ...


def check_names(plan: GamePlan) -> None:
    """Refuse players of the same name or without one, whom no reader could tell apart."""
    names = [seat.name for seat in plan.seats]
    if len(set(names)) < len(names) or not all(name.strip() for name in names):
        raise PromptError(f"{plan.game_id}: players {shorten(', '.join(names))!r}, expected different names")


def first_views(plan: GamePlan) -> tuple[View, ...]:
    """What each seat would see in round 1, and in round 2 after some joint action."""
    game, horizon = plan.stage(), plan.horizon()
    continuation = horizon.continuation if horizon.known else None
    seats = range(game.n_players)
    joint = [game.actions[seat % 2] for seat in seats]
    pasts: list[tuple[tuple[str, ...], tuple[float, ...]]] = [((), ()) for _ in seats]
    paid = [((action,), (payoff,)) for action, payoff in zip(joint, game.payoff(joint), strict=True)]
    return tuple(
        View(
            game=game,
            seat=seat + 1,
            round=number,
            horizon=horizon.told,
            continuation=continuation,
            actions_by_seat=tuple(actions for actions, _ in past),
            payoffs_by_seat=tuple(payoffs for _, payoffs in past),
            messages_by_seat=tuple((None,) * (number - 1) for _ in seats),
            implementation_error=plan.implementation_error,
        )
        for number, past in ((1, pasts), (2, paid))
        for seat in seats
    )
