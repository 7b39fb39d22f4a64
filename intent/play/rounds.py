"""What a match leaves behind: moves, rounds, the match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from intent.games.game import Game
from intent.play.horizon import Horizon

__all__ = ["Communication", "Match", "Move", "MoveStatus", "QuestionAnswer", "Round"]

MoveStatus = Literal["parsed", "defaulted", "missing"]

Communication = Literal["none", "sequential", "simultaneous"]
"""No message phase; each message is seen by those who speak later in the round; or all speak at once."""


@dataclass(frozen=True)
class Move:
    """One seat's move.

    Parameters
    ----------
    seat : int
        From 1.
    step : int
        Step within the round, from 1; all 1 where players move at once.
    action : str or None
        What was played; None where the move is missing.
    status : {"parsed", "defaulted", "missing"}
    message : str or None
        Public message of the round: that of the message phase, or one sent along with the move, which
        the others see from the next round on.
    private_thought, reasoning : str or None
        Text of the player that no other player ever sees.
    reply, prompt : str or None
        References to the stored reply and prompt.
    advice : str or None
        The action that a tool or an assistant of the player advised.
    details : str or None
        What else the player's architecture recorded, a JSON object (`intent.schema.DETAILS`).
    decided : str or None
        What the player chose, in games with implementation errors.
    """

    seat: int
    step: int
    action: str | None
    status: MoveStatus = "parsed"
    message: str | None = None
    private_thought: str | None = None
    reasoning: str | None = None
    reply: str | None = None
    prompt: str | None = None
    advice: str | None = None
    details: str | None = None
    decided: str | None = None

    @property
    def submitted(self) -> Move:
        """The move as the player made it, before an error could change it."""
        return self if self.decided is None else replace(self, action=self.decided, decided=None)


@dataclass(frozen=True)
class QuestionAnswer:
    """What a player answered to a comprehension question between two rounds.

    Parameters
    ----------
    round : int
        The round after which it was asked, from 1.
    seat : int
        From 1.
    question : str
        Name of the question, as in `intent.agents.questions`.
    answer : str or None
        As given; None where nothing came.
    reply : str or None
        Reference to the stored reply.
    """

    round: int
    seat: int
    question: str
    answer: str | None
    reply: str | None = None


@dataclass(frozen=True)
class Round:
    """One completed round.

    Parameters
    ----------
    number : int
        From 1.
    moves : tuple of Move, in seat order
        Of all seats, or of those that had a part in this round of a `intent.games.course.CourseGame`.
    payoffs : tuple of float or None, by seat
        None for all where a move is missing; in a CourseGame as its course says.
    values : mapping of seat -> float or None
        The numbers of moves that are numbers.
    """

    number: int
    moves: tuple[Move, ...]
    payoffs: tuple[float | None, ...]
    values: Mapping[int, float | None] = field(default_factory=dict, compare=False)

    @property
    def actions(self) -> tuple[str | None, ...]:
        """The joint action by seat; of the seats that moved, where not all did."""
        return tuple(move.action for move in self.moves)

    def action(self, seat: int) -> str | None:
        """The action of a seat, None where it had none."""
        return next((move.action for move in self.moves if move.seat == seat), None)


@dataclass(frozen=True)
class Match:
    """A repeated game that was played.

    Parameters
    ----------
    game : Game
    horizon : Horizon
    rounds : tuple of Round
    seats : tuple of mappings, by seat
        Columns of the log's seats table: model, persona, strategy and any condition of the seat.
    columns : mapping
        Columns of the log's games table: language, run and any condition of the game.
    answers : tuple of QuestionAnswer
        To comprehension questions, in the order in which they were asked.
    """

    game: Game
    horizon: Horizon
    rounds: tuple[Round, ...]
    seats: tuple[Mapping[str, Any], ...] = ()
    columns: Mapping[str, Any] = field(default_factory=dict)
    answers: tuple[QuestionAnswer, ...] = ()

    def actions(self, seat: int) -> tuple[str | None, ...]:
        """All actions of a seat (from 1)."""
        return tuple(r.action(seat) for r in self.rounds)

    def payoffs(self, seat: int) -> tuple[float | None, ...]:
        """All payoffs of a seat (from 1)."""
        return tuple(r.payoffs[seat - 1] for r in self.rounds)
