"""The one copy of the rules: whose move it is, what it pays, when the match is over. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar, get_args

import numpy as np

from intent.errors import GameError, shorten
from intent.games.game import Game
from intent.play.horizon import Horizon
from intent.play.rounds import Move, MoveStatus, Round
from intent.play.view import View

__all__ = ["Referee"]

T = TypeVar("T")
_STATUSES: tuple[str, ...] = get_args(MoveStatus)


class Referee:
    """Steps a repeated game; synchronous and asynchronous drivers only carry moves to it.

    Until `over`: each seat of `pending` gets its `view` and its move is submitted, in any order within
    the step. When the last step of a round is complete, the payoffs are added and the next round
    begins, unless the rounds are used up or the joint action is one that stops the match. The
    stopping round is recorded.

    Parameters
    ----------
    game : Game
    horizon : Horizon
    stop : iterable of joint actions (labels by seat)
        The match ends after a round with one of them.
    order : sequence of steps, each a sequence of seats, optional
        Who moves in which step of a round; every seat once. By default all move at once.
    rng : numpy Generator, optional
        Draws the length of the match; needed with a continuation probability only.

    Raises
    ------
    GameError
        A stop rule that is no joint action of the game, an order that leaves out or repeats a seat,
        or a continuation probability without `rng`.
    """

    def __init__(
        self,
        game: Game,
        horizon: Horizon,
        *,
        stop: Iterable[Sequence[str]] = (),
        order: Sequence[Sequence[int]] | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        self.game = game
        self.horizon = horizon
        self._stop = frozenset(tuple(joint) for joint in stop)
        for joint in self._stop:
            game.payoff(joint)
        seats = tuple(range(1, game.n_players + 1))
        self._order = (seats,) if order is None else tuple(tuple(step) for step in order)
        if sorted(seat for step in self._order for seat in step) != list(seats) or not all(self._order):
            raise GameError(f"order of moves {shorten(order)}, expected every seat 1 to {len(seats)} once")
        self._length = horizon.length(rng)
        self._step = 0
        self._moves: dict[int, Move] = {}
        self._rounds: list[Round] = []
        self._over = False
        nothing: tuple[tuple[None, ...], ...] = ((),) * len(seats)
        self._actions: tuple[tuple[str | None, ...], ...] = nothing
        self._payoffs: tuple[tuple[float | None, ...], ...] = nothing
        self._messages: tuple[tuple[str | None, ...], ...] = nothing

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self._over

    @property
    def record(self) -> tuple[Round, ...]:
        """The completed rounds."""
        return tuple(self._rounds)

    def pending(self) -> tuple[int, ...]:
        """The seats whose move is awaited, none when the match is over."""
        if self._over:
            return ()
        return tuple(seat for seat in self._order[self._step] if seat not in self._moves)

    def view(self, seat: int) -> View:
        """What a seat sees now: completed rounds and earlier steps, not what others just submitted.

        Raises
        ------
        GameError
            No such seat.
        """
        if not 1 <= seat <= self.game.n_players:
            raise GameError(f"seat {seat}, expected 1 to {self.game.n_players}")
        earlier = [s for step in self._order[: self._step] for s in step]
        return View(
            game=self.game,
            seat=seat,
            round=len(self._rounds) + (not self._over),
            horizon=self.horizon.told,
            continuation=self.horizon.continuation if self.horizon.known else None,
            actions_by_seat=self._actions,
            payoffs_by_seat=self._payoffs,
            messages_by_seat=self._messages,
            earlier=tuple((s, self._moves[s].action) for s in earlier),
        )

    def submit(
        self, seat: int, action: str | None, status: MoveStatus = "parsed", message: str | None = None
    ) -> None:
        """Take a seat's move.

        Parameters
        ----------
        seat : int
            One of `pending`.
        action : str or None
            A label of the game; None exactly where the status is missing.
        status : {"parsed", "defaulted", "missing"}
            Whether the player chose it, a default replaced an unreadable reply, or nothing came.
        message : str, optional
            Public text that goes with the move.

        Raises
        ------
        GameError
            It is not the seat's turn, the action is none of the game's, or does not fit the status.
        """
        self._check(seat, action, status)
        self._moves[seat] = Move(seat, self._step + 1, action, status, message)
        if self.pending():
            return
        self._step += 1
        if self._step == len(self._order):
            self._complete_round()

    def _check(self, seat: int, action: str | None, status: str) -> None:
        where = f"round {len(self._rounds) + 1}, seat {seat}"
        if self._over:
            raise GameError(
                f"seat {seat}: the match is over after {len(self._rounds)} rounds, expected no move"
            )
        if seat not in self.pending():
            waiting = ", ".join(str(s) for s in self.pending())
            raise GameError(f"{where}: not this seat's turn, expected a move of seat {waiting}")
        if status not in _STATUSES:
            raise GameError(f"{where}: status {shorten(status)!r}, expected {', '.join(_STATUSES)}")
        if status == "missing":
            if action is not None:
                raise GameError(f"{where}: action {shorten(action)!r} of a missing move, expected none")
        elif action not in self.game.actions:
            raise GameError(
                f"{where}: action {shorten(action)!r} is not one of {', '.join(self.game.actions)}"
            )

    def _complete_round(self) -> None:
        moves = tuple(self._moves[seat] for seat in sorted(self._moves))
        known = [move.action for move in moves if move.action is not None]
        complete = len(known) == len(moves)
        payoffs: tuple[float | None, ...] = self.game.payoff(known) if complete else (None,) * len(moves)
        self._rounds.append(Round(len(self._rounds) + 1, moves, payoffs))
        self._actions = _grown(self._actions, [move.action for move in moves])
        self._payoffs = _grown(self._payoffs, payoffs)
        self._messages = _grown(self._messages, [move.message for move in moves])
        self._moves = {}
        self._step = 0
        self._over = len(self._rounds) >= self._length or tuple(known) in self._stop


def _grown(past: tuple[tuple[T, ...], ...], new: Sequence[T]) -> tuple[tuple[T, ...], ...]:
    """The table by seat with one round more."""
    return tuple((*row, value) for row, value in zip(past, new, strict=True))
