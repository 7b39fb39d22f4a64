"""How long a match lasts, and what the players are told of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intent.errors import GameError

__all__ = ["Horizon"]

MOST_ROUNDS = 1_000_000


@dataclass(frozen=True)
class Horizon:
    """A fixed number of rounds, or a chance to go on after each.

    Parameters
    ----------
    rounds : int
        Number of rounds; with a continuation probability the most that are played.
    known : bool
        Whether the players are told: the number of rounds, or the continuation probability.
    continuation : float in [0, 1), optional
        Probability, after each round, that another one follows (Roth & Murnighan 1978). None: the
        number of rounds is fixed.

    Raises
    ------
    GameError
        Rounds below 1 or above a million, or a probability outside [0, 1).

    References
    ----------
    Roth & Murnighan 1978, Journal of Mathematical Psychology 17:189.
    """

    rounds: int
    known: bool = True
    continuation: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.rounds, int) or not 1 <= self.rounds <= MOST_ROUNDS:
            raise GameError(f"horizon of {self.rounds} rounds, expected 1 to {MOST_ROUNDS}")
        if self.continuation is not None and not 0 <= self.continuation < 1:
            raise GameError(f"continuation probability {self.continuation}, expected [0, 1)")

    @property
    def told(self) -> int | None:
        """The number of rounds that the players are told."""
        return self.rounds if self.known and self.continuation is None else None

    @property
    def planned(self) -> int | None:
        """The number of rounds that are to be played, None where chance decides."""
        return self.rounds if self.continuation is None else None

    @property
    def expected(self) -> float:
        """Mean number of rounds: of at most n with continuation probability d, (1 - d^n) / (1 - d)."""
        if self.continuation is None:
            return float(self.rounds)
        return float((1 - self.continuation**self.rounds) / (1 - self.continuation))

    def length(self, rng: np.random.Generator | None = None) -> int:
        """The number of rounds of one match.

        The chances after all rounds are drawn at once, as one geometric number.

        Raises
        ------
        GameError
            A continuation probability without `rng`.
        """
        if self.continuation is None:
            return self.rounds
        if rng is None:
            raise GameError("a continuation probability needs rng, which draws the length of the match")
        return min(int(rng.geometric(1 - self.continuation)), self.rounds)
