"""Uniform draws over the legal actions of a game, also where there are too many to list."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from intent.errors import GameError
from intent.games.course import CourseGame, Facts

__all__ = ["MOST", "extent", "uniform_action"]

MOST = 2**53
"""Whole numbers are looked for up to here."""


def uniform_action(game: CourseGame, seat: int, asked: Facts, rng: np.random.Generator) -> str:
    """A legal action, each as likely as the others.

    1. Of actions that the game lists, one.
    2. A proposal is a uniform composition: of the C(gold + k - 1, k - 1) ways to share `gold` among the k
       that are left, each as likely (stars and bars: k - 1 bars at distinct places of gold + k - 1).
    3. Else a whole number between the smallest and the largest that are legal.

    Raises
    ------
    GameError
        Actions that are none of these.
    """
    listed = game.legal(seat, asked)
    if listed is not None:
        return listed[int(rng.integers(len(listed)))]
    if asked.get("role") == "propose":
        gold, n = _whole(game.facts()["gold"]), len(cast("tuple[Any, ...]", asked["left"]))
        bars = np.sort(rng.choice(gold + n - 1, size=n - 1, replace=False))
        shares = np.diff(np.concatenate(([-1], bars, [gold + n - 1]))) - 1
        return ",".join(str(share) for share in shares)
    low, high = extent(game, seat, asked, rng)
    return str(int(rng.integers(low, high + 1)))


def extent(game: CourseGame, seat: int, asked: Facts, rng: np.random.Generator) -> tuple[int, int]:
    """The smallest and the largest legal whole number, of games whose legal numbers have no gaps.

    Found by doubling steps from what equilibrium plays.

    Raises
    ------
    GameError
        That is no whole number.
    """
    start = game.equilibrium(seat, asked, rng)
    try:
        at = int(start)
    except ValueError:
        raise GameError(
            f"{game.name}: actions such as {start!r} cannot be listed, expected numbers"
        ) from None

    def farthest(sign: int) -> int:
        found, step = at, 1
        while step and abs(found) <= MOST:
            further = found + sign * step
            try:
                game.read(further, seat, asked)
            except GameError:
                if step == 1:
                    break
                step = 1
            else:
                found, step = further, 2 * step
        return found

    return farthest(-1), farthest(1)


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value
