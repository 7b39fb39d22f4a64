"""What the seats are asked in the first round, for checks before anything is played."""

from __future__ import annotations

import numpy as np

from intent.games.course import CourseGame, Facts

__all__ = ["opening"]


def opening(game: CourseGame) -> dict[int, Facts]:
    """Seat -> what it is asked in round 1, of the seats that move in it; earlier steps as in equilibrium.

    What depends on chance is one example of it.
    """
    rng = np.random.default_rng(0)
    course = game.course(rng)
    earlier: dict[int, str | None] = {}
    found: dict[int, Facts] = {}
    steps = course.steps()
    for number, step in enumerate(steps, start=1):
        asked = {seat: course.asked(seat, earlier) for seat in step}
        found |= asked
        if number < len(steps):
            earlier |= {seat: game.equilibrium(seat, facts, rng) for seat, facts in asked.items()}
    return found
