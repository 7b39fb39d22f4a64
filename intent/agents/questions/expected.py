"""The right answers to comprehension questions, from the whole game."""

from __future__ import annotations

import math
from collections.abc import Sequence

from intent.games.game import Game
from intent.games.public_goods import PublicGoods

__all__ = ["next_action", "opponent_type", "payoff_extremes", "total"]


def next_action(actions_by_seat: Sequence[Sequence[str | None]], seat: int, round: int) -> str | None:
    """The other's action of the round after `round`; None after the last round, or with several others."""
    if len(actions_by_seat) != 2:
        return None
    other = actions_by_seat[2 - seat]
    return other[round] if round < len(other) else None


def payoff_extremes(game: Game, seat: int) -> tuple[float, float]:
    """The largest and the smallest payoff that one round can bring a seat, in the units of the game.

    Of a penalty, the largest is the worst.
    """
    a, b = game.actions
    if isinstance(game, PublicGoods):
        others = game.n_players - 1
        joint = [(own, *((a,) * k + (b,) * (others - k))) for k in {0, others} for own in (a, b)]
        payoffs = [game.payoff(actions)[0] for actions in joint]
    else:
        payoffs = [game.payoff((x, y))[seat - 1] for x in (a, b) for y in (a, b)]
    return max(payoffs), min(payoffs)


def total(payoffs: Sequence[float | None], round: int) -> float:
    """The sum of the first `round` payoffs; a round without one counts nothing, as prompts tell it."""
    return math.fsum(p for p in payoffs[:round] if p is not None)


def opponent_type(architectures: Sequence[str | None], seat: int) -> str | None:
    """The other's architecture where it is private or public; None for anything else, or several others."""
    if len(architectures) != 2:
        return None
    other = architectures[2 - seat]
    return other if other in ("private", "public") else None
