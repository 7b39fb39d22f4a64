"""Players that need no language model: automata, constants, given sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np

from intent.errors import GameError
from intent.games.game import Game
from intent.play.view import View
from intent.strategies.automaton import Strategy
from intent.strategies.noise import Noise

__all__ = ["AutomatonPlayer", "ConstantPlayer", "Others", "Player", "SequencePlayer", "action_labels"]

Others = Literal["any", "majority", "all"]


class Player(Protocol):
    """Whoever takes a seat.

    A player may also have a mapping ``columns``: what the log's seats table says of it.
    """

    def act(self, view: View, rng: np.random.Generator) -> str | None:
        """The action for the round that the view asks for, None where the player does not move."""
        ...


class AutomatonPlayer:
    """Plays a strategy of the catalogue.

    The strategy's C is the game's cooperative action for the seat, D the other one. The state moves
    on the last round's outcome as the view tells it, so that noise and defaults count. A round in
    which an own or other move is missing leaves the state as it was.

    Parameters
    ----------
    strategy : Strategy
    eps : float in [0, .5), probability per move that the intended move is flipped
    others : {"any", "majority", "all"}, optional
        With more than two players the others "cooperated" when any, more than half, or all of them
        did, among those whose move is known. Needed there, ignored with two.

    Raises
    ------
    StrategyError
        eps outside [0, .5).
    """

    def __init__(self, strategy: Strategy, eps: float = 0.0, others: Others | None = None) -> None:
        self.strategy = strategy
        self.eps = Noise(eps).own
        self.others = others
        self._state = strategy.start
        self._intended = 0
        self._seat = 0
        self._seen: tuple[tuple[str | None, ...], ...] = ()

    @property
    def columns(self) -> dict[str, object]:
        """The name of the strategy."""
        return {"strategy": self.strategy.name}

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The realised move: the intended one, flipped with probability eps.

        A view that does not follow on the last one (a resumed match, another match or seat) is replayed
        from round 1.

        Raises
        ------
        GameError
            The game has no cooperative action for the seat, has more than two players and `others`
            is not set, or a replay would need intentions that no view shows.
        """
        cooperate, defect = action_labels(view.game, view.seat)
        past = view.actions_by_seat
        if view.round > 1 and view.seat == self._seat and tuple(p[:-1] for p in past) == self._seen:
            self._advance(view, view.round - 1, self._intended)
        else:
            self._replay(view)
        p = self.strategy.p_cooperate[self._state]
        self._intended = int(p == 1 or (p > 0 and rng.random() < p))
        flipped = self.eps > 0 and rng.random() < self.eps
        self._seat, self._seen = view.seat, past
        return cooperate if bool(self._intended) != flipped else defect

    def _replay(self, view: View) -> None:
        self._state = self.strategy.start
        if view.round > 1 and not self.strategy.observed_path:
            raise GameError(
                f"{self.strategy.name} remembers hidden intentions, which no view shows; expected round 1"
            )
        for number in range(1, view.round):
            self._advance(view, number, int(self.strategy.p_cooperate[self._state]))

    def _advance(self, view: View, number: int, intended: int) -> None:
        """Move the state on the outcome of a past round (from 1)."""
        action = view.own[number - 1]
        other = _others_cooperated(view, number, self.others)
        if action is None or other is None:
            return
        own = int(action == view.game.cooperative_action(view.seat))
        if self.strategy.memory == "intended":
            own = intended
        self._state = self.strategy.next_code(self._state, own, other)


class ConstantPlayer:
    """Plays the same action every time.

    Parameters
    ----------
    action : str
    """

    def __init__(self, action: str) -> None:
        self.action = action

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The action."""
        return self.action


class SequencePlayer:
    """Plays given actions in order, such as the moves of a log; None is a missing move.

    Parameters
    ----------
    actions : sequence of str or None, by round
    """

    def __init__(self, actions: Sequence[str | None]) -> None:
        self.actions = tuple(actions)

    def act(self, view: View, rng: np.random.Generator) -> str | None:
        """The action of the round.

        Raises
        ------
        GameError
            The sequence is shorter than the match.
        """
        if view.round > len(self.actions):
            raise GameError(
                f"seat {view.seat}: no action for round {view.round}, only {len(self.actions)} given"
            )
        return self.actions[view.round - 1]


def action_labels(game: Game, seat: int) -> tuple[str, str]:
    """The labels of C and D for a seat."""
    cooperate = game.cooperative_action(seat)
    if cooperate is None:
        raise GameError(
            f"{game.name} has no cooperative action for seat {seat}, expected one to play C and D"
        )
    return cooperate, next(a for a in game.actions if a != cooperate)


def _others_cooperated(view: View, number: int, how: Others | None) -> int | None:
    """Whether the others cooperated in a past round, None where no move of theirs is known."""
    if how is None and len(view.other_seats) > 1:
        raise GameError(
            f"{view.game.name} has {view.game.n_players} players, expected others='any', 'majority' or 'all'"
        )
    moves = [(seat, view.actions_by_seat[seat - 1][number - 1]) for seat in view.other_seats]
    known = [action == view.game.cooperative_action(seat) for seat, action in moves if action is not None]
    if not known:
        return None
    share = sum(known) / len(known)
    return int(share > 0.5 if how == "majority" else share >= 1 if how == "all" else share > 0)
