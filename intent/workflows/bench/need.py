"""What a table takes: who is asked how often, and what the seats see first and last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from intent.games.read import game_from_json
from intent.play.horizon import Horizon
from intent.play.referee import Referee

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.games.course import CourseGame
    from intent.play.view import View

__all__ = ["ExpectedCourse", "expected_course", "most_moves"]

MATCHES = 20
"""Matches of equilibrium play that a sequential game is averaged over."""


@dataclass(frozen=True, eq=False)
class ExpectedCourse:
    """What equilibrium play makes of a game.

    Parameters
    ----------
    moves : seat -> moves of a match, a mean
    first, second, last : seat -> what it sees when it is asked for the first, second and last time
        Of one match; a seat that is never asked is absent, one that is asked once has no second time.
    """

    moves: Mapping[int, float]
    first: Mapping[int, View]
    second: Mapping[int, View]
    last: Mapping[int, View]


def expected_course(plan: GamePlan) -> ExpectedCourse:
    """What is to be expected of a planned game, if everybody plays the equilibrium.

    Simultaneous games ask every seat in every round, whatever is played. How long sequential ones last
    depends on play: with language models a battle is longer where they miss, and pirates go overboard.

    Parameters
    ----------
    plan : GamePlan
    """
    return _course(plan.payoffs, plan.game, plan.payoff_kind, plan.rounds, plan.horizon_known)


@lru_cache(maxsize=256)
def _course(payoffs: str, name: str, kind: str, rounds: int, known: bool) -> ExpectedCourse:
    from intent.games.course import CourseGame

    game = game_from_json(payoffs, name, kind)
    assert isinstance(game, CourseGame)
    moves = dict.fromkeys(range(1, game.n_players + 1), 0.0)
    views: list[list[tuple[int, View]]] = []
    matches = MATCHES if name.startswith("battle_royale") else 1
    for number in range(matches):
        seen = _match(game, Horizon(rounds, known), np.random.default_rng(number), keep=number == 0)
        for seat, _ in seen:
            moves[seat] += 1 / matches
        views.append([(seat, view) for seat, view in seen if view is not None])
    first: dict[int, View] = {}
    second: dict[int, View] = {}
    last: dict[int, View] = {}
    for seat, view in views[0]:
        if seat in first:
            second.setdefault(seat, view)
        first.setdefault(seat, view)
        last[seat] = view
    return ExpectedCourse(moves, first, second, last)


def _match(
    game: CourseGame, horizon: Horizon, rng: np.random.Generator, *, keep: bool
) -> list[tuple[int, View | None]]:
    """Every request of a match in which all play the equilibrium: the seat, and what it sees."""
    chance, choice = rng.spawn(2)
    referee = Referee(game, horizon, rng=chance)
    seen: list[tuple[int, View | None]] = []
    while not referee.over:
        turn = [(seat, referee.view(seat)) for seat in referee.pending()]
        seen += [(seat, view if keep else None) for seat, view in turn]
        for seat, view in turn:
            referee.submit(seat, game.equilibrium(seat, view.asked or {}, choice))
    return seen


def most_moves(plan: GamePlan, seats: Sequence[int]) -> int:
    """Most moves of some seats together: in battle one a round, of a pirate as many as its place.

    Parameters
    ----------
    plan : GamePlan
    seats : sequence of int, from 1
    """
    if plan.game.startswith("battle_royale"):
        return plan.rounds if seats else 0
    if plan.game.startswith("pirate"):
        return sum(min(plan.rounds, seat) for seat in seats)
    return plan.rounds * len(seats)
