"""What the games have in common in which a round depends on chance or on what has happened before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intent.errors import GameError
from intent.games.gamma.base import GammaGame

__all__ = ["SituatedGame"]


@dataclass(frozen=True)
class SituatedGame(GammaGame):
    """A game that is played by its course alone.

    Parameters
    ----------
    n_players : int
    """

    def payoff(self, actions: Sequence[str]) -> tuple[float, ...]:
        """What actions pay depends on the round.

        Raises
        ------
        GameError
            Always.
        """
        raise GameError(
            f"{self.name}: payoffs of a joint action depend on the round, expected its course to pay"
        )
