"""The tool that always advises the same action."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intent.agents.plan import GamePlan
from intent.agents.tools.advice import Advice
from intent.errors import UsageError, shorten

__all__ = ["ATTITUDES", "FixedAdvice", "advised_label", "check_attitude"]

ATTITUDES = ("cooperate", "defect", "compute")
"""Attitudes that are advised in every game that has a cooperative action; a label of the game is one too."""


def check_attitude(plan: GamePlan, seat: int) -> None:
    """Refuse an attitude that no architecture knows, also for one that gives no advice.

    Raises
    ------
    UsageError
    """
    attitude, actions = plan.seats[seat - 1].attitude, plan.stage().actions
    if attitude is not None and attitude not in (*ATTITUDES, *actions):
        expected = ", ".join((*ATTITUDES, *actions))
        raise UsageError(f"{plan.game_id}: attitude {shorten(attitude)!r}, expected one of {expected}")


def advised_label(plan: GamePlan, seat: int) -> str | None:
    """The action that the attitude of a seat means: what its tool or assistant advises.

    Parameters
    ----------
    plan : GamePlan
    seat : int, from 1

    Returns
    -------
    str or None
        The cooperative action for ``cooperate`` (that of `GamePlan.cooperate`, where it names one), the other
        one for ``defect``, the action itself for one of the game; None for ``compute`` and no attitude.

    Raises
    ------
    UsageError
        Another attitude, or ``cooperate`` or ``defect`` in a game without a cooperative action.
    """
    game, attitude = plan.stage(), plan.seats[seat - 1].attitude
    if attitude is None or attitude == "compute":
        return None
    if attitude in ("cooperate", "defect"):
        helpful = game.cooperative_action(seat)
        if helpful is None:
            raise UsageError(
                f"{plan.game_id}: attitude {attitude} in {plan.game}, where no action is cooperation; "
                f"expected compute or one of {', '.join(game.actions)}"
            )
        other = next(action for action in game.actions if action != helpful)
        return helpful if attitude == "cooperate" else other
    check_attitude(plan, seat)
    return attitude


@dataclass(frozen=True)
class FixedAdvice:
    """Advises one action, whatever it is called with.

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, 2.3.2.

    Parameters
    ----------
    action : str
    """

    action: str
    name: str = "fixed"
    arguments: tuple[str, ...] = ()

    @classmethod
    def of(cls, plan: GamePlan, seat: int) -> FixedAdvice:
        """The tool of a seat.

        Raises
        ------
        UsageError
            The seat's attitude means no action.
        """
        action = advised_label(plan, seat)
        if action is None:
            raise UsageError(
                f"{plan.game_id}: tool fixed with attitude {plan.seats[seat - 1].attitude}, "
                f"expected cooperate, defect or one of {', '.join(plan.stage().actions)}"
            )
        return cls(action)

    def advise(self, arguments: str, rng: np.random.Generator) -> Advice:
        """The action; neither the arguments nor `rng` are used."""
        return Advice(self.action)
