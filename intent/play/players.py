"""Players that need no language model: automata, constants, sequences, the Axelrod library's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np

from intent.base.errors import GameError, UnknownNameError
from intent.base.extras import require
from intent.games.game import Game
from intent.play.match import View
from intent.strategies.automaton import Noise, Strategy

__all__ = [
    "PREFIX",
    "AutomatonPlayer",
    "ConstantPlayer",
    "LibraryPlayer",
    "Others",
    "Player",
    "SequencePlayer",
    "action_labels",
]


Others = Literal["any", "majority", "all"]


class Player(Protocol):
    """Whoever takes a seat.

    A player may also have a mapping ``columns``: what the log's seats table says of it, and a method
    ``speak(view, rng)``: its message in a message phase, None to stay silent.
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
    eps : float in [0, .5), probability per move that the intended move is flipped
    others : {"any", "majority", "all"}, optional
        With more than two players the others "cooperated" when any, more than half, or all of them
        did, among those whose move is known. Needed there, ignored with two.
    stand_in : the action that counts as C for seats whose cooperative action the payoffs leave open

    Raises
    ------
    StrategyError
        eps outside [0, .5).
    """

    def __init__(
        self,
        strategy: Strategy,
        eps: float = 0.0,
        others: Others | None = None,
        stand_in: str | None = None,
    ) -> None:
        self.strategy = strategy
        self.eps = Noise(eps).own
        self.others = others
        self.stand_in = stand_in
        self._state = strategy.start
        self._intended = 0
        self._seat = 0
        self._seen: tuple[Sequence[str | None], ...] = ()

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
            The game has no cooperative action for the seat and there is no stand-in, it has more than two
            players and `others` is not set, or a replay would need intentions that no view shows.
        """
        cooperate, defect = action_labels(view.game, view.seat, self.stand_in)
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
        other = self._others_cooperated(view, number)
        if action is None or other is None:
            return
        own = int(action == (view.game.cooperative_action(view.seat) or self.stand_in))
        if self.strategy.memory == "intended":
            own = intended
        self._state = self.strategy.next_code(self._state, own, other)

    def _others_cooperated(self, view: View, number: int) -> int | None:
        """Whether the others cooperated in a past round, None where no move of theirs is known."""
        game = view.game
        if self.others is None and game.n_players > 2:
            raise GameError(
                f"{game.name} has {game.n_players} players, expected others='any', 'majority' or 'all'"
            )
        moves = [(seat, view.actions_by_seat[seat - 1][number - 1]) for seat in view.other_seats]
        known = [
            action == (game.cooperative_action(seat) or self.stand_in)
            for seat, action in moves
            if action is not None
        ]
        if not known:
            return None
        share = sum(known) / len(known)
        how = self.others
        return int(share > 0.5 if how == "majority" else share >= 1 if how == "all" else share > 0)


class ConstantPlayer:
    """Plays the same action every time."""

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
    eps : float in [0, .5), probability per move that the other action of the game is played
    repeat : whether a match that lasts longer goes through the actions again

    Raises
    ------
    StrategyError
        eps outside [0, .5).
    """

    def __init__(self, actions: Sequence[str | None], eps: float = 0.0, *, repeat: bool = False) -> None:
        self.actions = tuple(actions)
        self.eps = Noise(eps).own
        self.repeat = repeat

    def act(self, view: View, rng: np.random.Generator) -> str | None:
        """The action of the round.

        Raises
        ------
        GameError
            The sequence is shorter than the match.
        """
        at = view.round - 1
        if not self.actions or (at >= len(self.actions) and not self.repeat):
            raise GameError(
                f"seat {view.seat}: no action for round {view.round}, only {len(self.actions)} given"
            )
        action = self.actions[at % len(self.actions)]
        if action is not None and self.eps > 0 and rng.random() < self.eps:
            return next(a for a in view.actions if a != action)
        return action


def action_labels(game: Game, seat: int, stand_in: str | None = None) -> tuple[str, str]:
    """The labels of C and D for a seat; the stand-in is C where the payoffs leave open which one is.

    Raises
    ------
    GameError
        They do, and there is no stand-in.
    """
    cooperate = game.cooperative_action(seat) or stand_in
    if cooperate is None:
        raise GameError(
            f"{game.name} has no cooperative action for seat {seat}, expected one to play C and D"
        )
    return cooperate, next(a for a in game.actions if a != cooperate)


PREFIX = "axelrod:"
"""What a name of the library begins with, as in ``axelrod:TitForTat``."""


class LibraryPlayer:
    """Plays a strategy of the Axelrod library in a two-player game.

    A view that does not follow on the last one is replayed from round 1.

    The library's C is the game's cooperative action for the seat, D the other one. It is told the
    realised moves of both, and its own random numbers come from the seat's stream. A round in which a move
    is missing is to the library as if it had not been played.

    Parameters
    ----------
    name : name of the class, with or without `PREFIX`, such as ``Adaptive``
    eps : float in [0, .5), probability per move that the intended move is flipped
    stand_in : the action that counts as C for seats whose cooperative action the payoffs leave open

    Raises
    ------
    MissingExtraError
        The library is not installed.
    UnknownNameError
        It has no such strategy; the nearest names are suggested.
    StrategyError
        eps outside [0, .5).

    References
    ----------
    Knight et al. 2016, Journal of Open Research Software 4:e35.
    """

    def __init__(self, name: str, eps: float = 0.0, stand_in: str | None = None) -> None:
        self._library = _library()
        plain = name.removeprefix(PREFIX)
        known = {s.__name__: s for s in self._library.strategies}
        if plain not in known:
            raise UnknownNameError("strategy of the Axelrod library", plain, known)
        self._make = known[plain]
        self.name = PREFIX + plain
        self.eps = Noise(eps).own
        self.stand_in = stand_in
        self._player: Any = None
        self._rival: Any = None
        self._past: tuple[Sequence[str | None], ...] = ()

    @property
    def columns(self) -> dict[str, object]:
        """The name of the strategy, with `PREFIX`."""
        return {"strategy": self.name}

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The realised move: the library's, flipped with probability eps.

        Raises
        ------
        GameError
            The game has no cooperative action for a seat and there is no stand-in, or more than two players.
        """
        if view.game.n_players != 2:
            raise GameError(f"{self.name} plays two-player games, {view.game.name} has {view.game.n_players}")
        cooperate, defect = action_labels(view.game, view.seat, self.stand_in)
        past = view.actions_by_seat
        follows = view.round > 1 and tuple(p[:-1] for p in past) == self._past
        if not follows:
            self._player, self._rival = self._make(), self._library.MockPlayer()
            self._player.set_seed(int(rng.integers(2**31)))
            for number in range(view.round - 1):
                self._player.strategy(self._rival)
                self._tell(view, number, cooperate)
        else:
            self._tell(view, view.round - 2, cooperate)
        self._past = past
        intends = str(self._player.strategy(self._rival)) == "C"
        flipped = self.eps > 0 and rng.random() < self.eps
        return cooperate if intends != flipped else defect

    def _tell(self, view: View, number: int, cooperate: str) -> None:
        """The realised moves of a past round (from 0)."""
        (other_seat,) = view.other_seats
        own, other = (view.actions_by_seat[s - 1][number] for s in (view.seat, other_seat))
        if own is None or other is None:
            return
        helps, _ = action_labels(view.game, other_seat, self.stand_in)
        mine, theirs = (
            self._library.Action.from_char("C" if c else "D") for c in (own == cooperate, other == helps)
        )
        self._player.update_history(mine, theirs)
        self._rival.update_history(theirs, mine)


def _library() -> Any:
    import warnings

    require("axelrod")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import axelrod
    return axelrod
