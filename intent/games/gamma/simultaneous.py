"""What the games have in common in which all players move once, at the same time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intent.errors import GameError
from intent.games.course import Course, Facts, RoundOutcome
from intent.games.gamma.base import GammaGame, check_moves

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Repetition", "SimultaneousGame", "by_seat"]


@dataclass(frozen=True)
class SimultaneousGame(GammaGame, ABC):
    """A round in which every player moves once, without seeing the others.

    Parameters
    ----------
    n_players : int, 2 to 1000
    """

    def course(self, rng: np.random.Generator) -> Course:
        """A new match, in which no round depends on an earlier one; nothing is drawn."""
        return Repetition(self)

    def request(self) -> Facts:
        """What a request says beside the rules, in the first round."""
        return {}

    def payoff(self, actions: Sequence[str]) -> tuple[float, ...]:
        """Payoffs by seat of a first round, for the actions by seat.

        Raises
        ------
        GameError
            Not one action per seat, or one that may not be played.
        """
        if isinstance(actions, str) or len(actions) != self.n_players:
            raise GameError(f"{self.name}: {len(actions)} actions, expected those of {self.n_players} seats")
        moves = {seat: self.read(a, seat, self.request()) for seat, a in enumerate(actions, start=1)}
        return tuple(float(paid or 0) for paid in self.outcome(moves).payoffs)

    def legal(self, seat: int, asked: Facts) -> tuple[str, ...] | None:
        """The labels, of a game that has some."""
        return self.actions or None

    @abstractmethod
    def read(self, value: object, seat: int, asked: Facts) -> str:
        """See `intent.games.course.CourseGame.read`."""

    @abstractmethod
    def outcome(self, actions: Mapping[int, str | None]) -> RoundOutcome:
        """What a first round comes to, from the moves of all seats, None where one is missing."""


class Repetition:
    """The course of a game whose rounds are all alike.

    Parameters
    ----------
    game : SimultaneousGame
    """

    over = False

    def __init__(self, game: SimultaneousGame) -> None:
        self._game = game
        self._steps = (tuple(range(1, game.n_players + 1)),)

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """All seats at once."""
        return self._steps

    def asked(self, seat: int, earlier: Mapping[int, str | None]) -> Facts:
        """Nothing beside the rules."""
        return self._game.request()

    def complete(self, actions: Mapping[int, str | None]) -> RoundOutcome:
        """The outcome of the round."""
        return self._game.outcome(actions)


def by_seat(name: str, n_players: int, actions: Mapping[int, str | None]) -> list[str | None]:
    """The moves of a round in the order of seats.

    Raises
    ------
    GameError
        Not those of all seats and no others.
    """
    seats = range(1, n_players + 1)
    check_moves(name, actions, seats)
    return [actions[seat] for seat in seats]
