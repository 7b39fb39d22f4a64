"""Scripted players at the table of language models: strategies, with noise, and given sequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.plan import (
    BEST_REPLY,
    CONSTANT,
    CYCLE,
    EQUILIBRIUM,
    SEQUENCE,
    WRITTEN,
    GamePlan,
    PlayerName,
    parse_player,
    seat_columns,
)
from intent.base.errors import GameError, UsageError, shorten
from intent.games.game import Game
from intent.play.match import View
from intent.play.players import (
    PREFIX,
    AutomatonPlayer,
    LibraryPlayer,
    Others,
    Player,
    SequencePlayer,
    action_labels,
)
from intent.strategies.catalogue import strategy

__all__ = ["ScriptedAgent", "ScriptedSeat", "scripted_player"]


class ScriptedSeat:
    """Plays what its player does; never asks anything, never speaks.

    Parameters
    ----------
    columns : mapping, of the seats table
    """

    def __init__(self, player: Player, columns: Mapping[str, Any]) -> None:
        self._player, self._columns = player, columns

    @property
    def columns(self) -> Mapping[str, Any]:
        """What the seats table of the log says of the player."""
        return self._columns

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The player's move."""
        return Decision(self._player.act(view, rng))

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """Silence."""
        return Decision(None)


OTHERS: Others = "majority"
"""How several others are read as one where the plan does not say."""


class ScriptedAgent(ScriptedSeat):
    """Plays a strategy; never asks anything, never speaks.

    C and D are the game's cooperative action and the other one. Where the payoffs leave open which
    action is cooperation (battle of the sexes), the game's first action stands in for C, which the
    log's seats table says in its column ``plays_as_c``. With more than two players the others are read as
    one: `SeatPlan.others`, else the majority; the column ``others`` says which.

    Raises
    ------
    UnknownNameError, UsageError, StrategyError, GameError, MissingExtraError
        As `scripted_player`.
    """

    def __init__(self, plan: GamePlan, seat: int) -> None:
        mine, game = plan.seats[seat - 1], plan.stage()
        name = parse_player(mine.player)
        player = scripted_player(name, game, seat, mine.others)
        columns: dict[str, Any] = {**seat_columns(mine), "architecture": "scripted", "strategy": name.name}
        if name.eps:
            columns["eps"] = name.eps
        if game.cooperative_label is None:
            columns["plays_as_c"] = _stand_in(game)
        if isinstance(player, AutomatonPlayer) and player.strategy.n_states > 1:
            columns.update({"others": player.others} if player.others else {})
        super().__init__(player, columns)


def scripted_player(name: PlayerName, game: Game, seat: int, others: Others | None = None) -> Player:
    """The synchronous player of a name.

    Parameters
    ----------
    name : PlayerName, of kind scripted
    seat : int, from 1
    others : {"any", "majority", "all"}, optional

    Raises
    ------
    UsageError
        A sequence of neither C and D nor labels of the game; a player of the games of gamma-bench.
    UnknownNameError, MissingExtraError
        A strategy of the Axelrod library that is not there, or the library is not.
    GameError
        A strategy of that library in a game of more than two players.
    """
    stand_in = _stand_in(game)
    if name.name in (EQUILIBRIUM, BEST_REPLY):
        raise UsageError(
            f"player scripted/{name.name} plays the games of gamma-bench, not {game.name}; "
            "expected a strategy such as scripted/TFT"
        )
    if name.name.startswith((SEQUENCE, CONSTANT, CYCLE)):
        return SequencePlayer(_moves(name.name, game, seat), name.eps, repeat=True)
    if name.name.startswith(WRITTEN):
        return _Written(name.name)
    if name.name.startswith(PREFIX):
        if game.n_players != 2:
            raise GameError(f"{name.name} plays two-player games, {game.name} has {game.n_players}")
        return LibraryPlayer(name.name, name.eps, stand_in)
    several = (others or OTHERS) if game.n_players > 2 else None
    return AutomatonPlayer(strategy(name.name), name.eps, several, stand_in)


class _Written:
    """Stands for written code until the arena, which can confine it, takes the seat."""

    def __init__(self, name: str) -> None:
        self.name = name

    def act(self, view: View, rng: np.random.Generator) -> str:
        """Refuses.

        Raises
        ------
        UsageError
        """
        raise UsageError(f"{shorten(self.name)} is code that intent tournament confines; play it from there")


def _stand_in(game: Game) -> str | None:
    """The first action, where the payoffs leave open which one is cooperation."""
    return game.actions[0] if game.cooperative_label is None else None


def _moves(name: str, game: Game, seat: int) -> tuple[str, ...]:
    """The labels of a sequence; letters C and D mean cooperation and defection."""
    head, _, text = name.partition(":")
    letters = text.upper().replace(",", "").replace(" ", "") if head == "cycle" else text.upper()
    if not set(letters) - {"C", "D"} and (head != "constant" or len(letters) == 1):
        labels = dict(zip("CD", action_labels(game, seat, _stand_in(game)), strict=True))
        return tuple(labels[letter] for letter in letters)
    moves = (text,) if head == "constant" else tuple(label.strip() for label in text.split(","))
    stray = next((label for label in moves if label not in game.actions), None)
    if stray is not None:
        known = ", ".join(game.actions)
        raise UsageError(
            f"player scripted/{shorten(name)}: {shorten(stray)!r}, expected letters C and D or labels {known}"
        )
    return moves
