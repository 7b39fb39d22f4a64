"""Players that need no language model: automata, constants, sequences, and those of libraries by their
names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from intent.base.errors import GameError
from intent.base.registry import load, point, points
from intent.games.game import Game
from intent.play.match import View
from intent.strategies.catalogue import Noise, Strategy, strategy

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "FITTED",
    "PLAYERS",
    "AutomatonPlayer",
    "ConstantPlayer",
    "Others",
    "Player",
    "SequencePlayer",
    "action_labels",
    "named_player",
    "player_library",
    "plays_by_library",
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


PLAYERS = "intent.players"
"""Group of entry points: the word before the colon of a player's name, as in ``axelrod:Adaptive``, to what
makes the player of ``(name, eps, stand_in)``; ours are players of other libraries and fitted models."""


FITTED = "fitted:"
"""What the name of a player begins with that plays as a saved model would, as in ``fitted:FOLDER``."""


def player_library(name: str) -> EntryPoint | None:
    """What makes the player of a name such as ``axelrod:Adaptive``; None of other names."""
    head, colon, _ = name.partition(":")
    return point(PLAYERS, head.strip()) if colon else None


def plays_by_library(names: str) -> bool:
    """Whether any of the names in a text is of another library, whose players play match by match."""
    return any(f"{head}:" in names for head in points(PLAYERS))


def named_player(
    player: Strategy | str | Path,
    eps: float = 0.0,
    stand_in: str | None = None,
    *,
    others: Others | None = None,
    own: Sequence[Strategy] = (),
) -> Player:
    """The player of a strategy, a name, or a folder.

    Parameters
    ----------
    player : Strategy, str or Path
        A strategy, its name in the catalogue or `own`; ``axelrod:NAME``, ``openspiel:NAME`` or of another
        library of the group ``intent.players``; a folder that ``intent fit -o`` or ``intent train -o`` wrote.
    eps : float in [0, .5), probability per move that the intended move is flipped
    stand_in : the action that counts as C for seats whose cooperative action the payoffs leave open
    others : as for `AutomatonPlayer`, of strategies
    own : strategies that names may mean besides

    Raises
    ------
    UnknownNameError, RecogniserError
        No such strategy, or no model in the folder.
    MissingExtraError
        The library is not installed.
    StrategyError
        eps outside [0, .5).

    Examples
    --------
    >>> named_player("GTFT(0.1)", eps=0.05).columns
    {'strategy': 'GTFT(0.1)'}
    """
    if isinstance(player, Strategy):
        return AutomatonPlayer(player, eps, others, stand_in)
    name = str(player)
    there = player_library(name)
    if there is None and (isinstance(player, Path) or Path(name).is_dir()):
        there = player_library(FITTED)
        assert there is not None
    if there is None:
        return AutomatonPlayer(strategy(name, tuple(own)), eps, others, stand_in)
    whole: Player = load(there)(name, eps, stand_in)
    return whole
