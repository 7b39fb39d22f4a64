"""Games whose rules depend on what has happened: who moves, what may be played, what a round pays.

A matrix game is the same in every round. In these the past decides: tokens are carried over, pirates are
thrown overboard, a dead player does not shoot. Such a game makes a `Course` for every match; the referee asks
it who is to move, shows each seat what the course says, and gives it the moves of a completed round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeGuard, runtime_checkable

from intent.games.game import Game

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Course", "CourseGame", "Facts", "RoundOutcome", "has_course"]

Facts = Mapping[str, object]
"""Name -> number, text, truth value, or tuple of these; the names are placeholders of the prompts."""


@dataclass(frozen=True)
class RoundOutcome:
    """What a completed round came to.

    Parameters
    ----------
    payoffs : tuple of float or None, by seat
        Of all seats; None of a seat whose own move is missing, 0 of one that had no part in the round.
    values : mapping of seat -> float or None
        The number of each move, for the log's column ``value``: a guess, a bid, tokens; what a proposer
        keeps; 1 for a shot that hit and 0 for one that did not; None of moves that are no numbers.
    told : mapping of seat -> Facts
        What each seat, also one that did not move, learns of the round. A seat that is out learns nothing.
    """

    payoffs: tuple[float | None, ...]
    values: Mapping[int, float | None]
    told: Mapping[int, Facts]


class Course(Protocol):
    """One match in progress, owned by its referee.

    Chance (ties, hits, endowments) is drawn from the generator that the course was made with, as many draws
    in every round whatever is played, so that two matches of one seed share their luck.
    """

    @property
    def over(self) -> bool:
        """Whether the rules have ended the match; rounds that are used up are the referee's business."""
        ...

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """Who moves in the coming round: seats by step, each seat once at most."""
        ...

    def asked(self, seat: int, earlier: Mapping[int, str | None]) -> Facts:
        """What a seat that is to move is shown of the round: its valuation, who is alive, the proposal.

        `earlier` has the moves of earlier steps of this round. The same facts decide what it may play
        (`CourseGame.read`).
        """
        ...

    def complete(self, actions: Mapping[int, str | None]) -> RoundOutcome:
        """Take the moves of the round, None where one is missing, and go on to the next round."""
        ...


@runtime_checkable
class CourseGame(Game, Protocol):
    """A game that makes courses; a frozen value like every game.

    Attributes
    ----------
    actions : tuple of str
        Empty where actions are numbers or depend on the round.
    open : bool
        Whether a seat sees what the others did; else its view has its own past alone, and `Course.complete`
        tells what is public.
    """

    @property
    def open(self) -> bool: ...

    def course(self, rng: np.random.Generator) -> Course:
        """A new match."""
        ...

    def facts(self) -> Facts:
        """What the rules say: the parameters as prompts tell them."""
        ...

    def key(self, asked: Facts) -> str:
        """Name of the field of the JSON object that a player answers with."""
        ...

    def read(self, value: object, seat: int, asked: Facts) -> str:
        """An answer as the action that the log has: ``"37"``, ``"go"``, ``"98,0,1,0,1"``.

        Parameters
        ----------
        value : str, int, float, mapping or list
            The field of the player's JSON object, or an action already read.
        seat : int
        asked : Facts
            As `Course.asked` gave it to the seat.

        Raises
        ------
        GameError
            No action, or none that the seat may play now; the message says what was got and what is expected,
            in words that may be shown to a player.
        """
        ...

    def legal(self, seat: int, asked: Facts) -> tuple[str, ...] | None:
        """All actions the seat may play now, where they can be listed (1,001 at most); else None."""
        ...

    def equilibrium(self, seat: int, asked: Facts, rng: np.random.Generator) -> str:
        """What equilibrium play does now; a draw where it mixes. The game's module cites the theory."""
        ...

    def best_reply(self, seat: int, told: Facts | None, asked: Facts, rng: np.random.Generator) -> str:
        """The best reply to what the others did in the last round, as far as the seat was told.

        In round 1 (None), and where nothing follows from what was told: as `equilibrium`.
        """
        ...

    def gains(
        self, seat: int, others: Mapping[int, str | None], asked: Facts, actions: tuple[str, ...]
    ) -> tuple[float, ...]:
        """What each of `actions` would have paid the seat against what the others did in this round.

        In sequential games with equilibrium play from the next round on. The largest over all that the seat
        could play, less what it did play, is its regret.
        """
        ...

    def best(self, seat: int, others: Mapping[int, str | None], asked: Facts) -> tuple[str, float]:
        """An action that pays most against what the others did in this round, and what it pays."""
        ...


def has_course(game: Game) -> TypeGuard[CourseGame]:
    """Whether a game is a `CourseGame`; asking the protocol takes longer than a move."""
    return hasattr(game, "course")
