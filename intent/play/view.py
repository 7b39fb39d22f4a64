"""What a player sees before a move or a message: the past and the rules, never the other players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from intent.games.course import Facts
from intent.games.game import Game

__all__ = ["Phase", "View"]

Phase = Literal["message", "choose"]
"""What is asked for: a public message, or an action."""


@dataclass(frozen=True)
class View:
    """The game from one seat.

    Parameters
    ----------
    game : Game
        The stage game with all payoffs.
    seat : int
        The player's own position, from 1.
    round : int
        The round to be played, from 1.
    horizon : int or None
        Number of rounds of the match, None where the players are not told.
    continuation : float or None
        Probability of another round after each, where there is one and the players are told.
    actions_by_seat : tuple by seat of sequences by past round, of label or None
        All actions so far, None where a move is missing, of others also where the game hides what they did.
    payoffs_by_seat : tuple by seat of sequences by past round, of float or None
        All payoffs so far, None where some move of the round is missing, of others also where the game hides
        what they did.
    messages_by_seat : tuple by seat of sequences by past round, of str or None
        Public messages of past rounds, None where a player stayed silent.
    earlier : tuple of (seat, action)
        Moves of earlier steps of this round; empty where all move at once.
    phase : {"message", "choose"}
        What is asked for now.
    said : tuple of (seat, message or None)
        Messages of this round that the seat sees, in seat order; None of a player who stayed silent.
    asked : Facts
        What the course of a `intent.games.course.CourseGame` shows the seat of this round; empty in other
        games.
    told : sequence by past round of Facts or None
        What the course told the seat of each round, None of rounds that it had no part in; empty in other
        games.

    implementation_error : float
        Probability that a move is played as the opposite of what was chosen; all that is seen was played.

    Notes
    -----
    The sequences by past round never change and equal the tuples of their values (`intent.play.past.Past`).
    """

    game: Game
    seat: int
    round: int
    horizon: int | None
    continuation: float | None
    actions_by_seat: tuple[Sequence[str | None], ...]
    payoffs_by_seat: tuple[Sequence[float | None], ...]
    messages_by_seat: tuple[Sequence[str | None], ...]
    earlier: tuple[tuple[int, str | None], ...] = ()
    phase: Phase = "choose"
    said: tuple[tuple[int, str | None], ...] = ()
    asked: Facts = field(default_factory=dict, compare=False)
    told: Sequence[Facts | None] = field(default=(), compare=False)
    implementation_error: float = 0.0

    @property
    def actions(self) -> tuple[str, ...]:
        """Labels to choose from."""
        return self.game.actions

    @property
    def other_seats(self) -> tuple[int, ...]:
        """The other positions, in order."""
        return tuple(s for s in range(1, self.game.n_players + 1) if s != self.seat)

    @property
    def own(self) -> Sequence[str | None]:
        """Own past actions."""
        return self.actions_by_seat[self.seat - 1]

    @property
    def others(self) -> tuple[Sequence[str | None], ...]:
        """Past actions of the others, by seat in the order of `other_seats`."""
        return tuple(self.actions_by_seat[s - 1] for s in self.other_seats)

    @property
    def own_payoffs(self) -> Sequence[float | None]:
        """Own past payoffs."""
        return self.payoffs_by_seat[self.seat - 1]

    @property
    def others_payoffs(self) -> tuple[Sequence[float | None], ...]:
        """Past payoffs of the others, by seat in the order of `other_seats`."""
        return tuple(self.payoffs_by_seat[s - 1] for s in self.other_seats)
