"""The referee and the random streams of a planned game; the same whenever it is played."""

from __future__ import annotations

import numpy as np

from intent.agents.plan import GamePlan
from intent.play.referee import Referee

__all__ = ["stage"]


def stage(plan: GamePlan) -> tuple[Referee, list[np.random.Generator]]:
    """The referee of a game, and a random stream for every seat.

    The streams of horizon and seats are spawned from the plan's seed, in this order, as
    `intent.play.drive.play` does; implementation errors have one of their own, spawned after them. So the
    draws of a seat depend on nothing that other seats or games do, and a game resumed has the errors it had.

    Parameters
    ----------
    plan : GamePlan

    Raises
    ------
    GameError
        Payoffs, seats or rules that make no game.
    """
    of_horizon, *of_seat, of_errors = np.random.default_rng(plan.seed).spawn(2 + len(plan.seats))
    referee = Referee(
        plan.stage(),
        plan.horizon(),
        stop=plan.stop,
        communication=plan.communication,
        rng=of_horizon,
        implementation_error=plan.implementation_error,
        errors=of_errors,
    )
    return referee, of_seat
