"""OpenSpiel's games and bots here, our games and players there.

A two-player game of one simultaneous move with two actions each is a `MatrixGame`; any other game of one
simultaneous move, chance included, is an `intent.play.bridges.environment.EnvironmentGame`. Ours go there as
a stage game and its repetition (``create_repeated_game``), our players as bots.

References
----------
Lanctot et al. 2019, OpenSpiel: A Framework for Reinforcement Learning in Games, arXiv:1908.09453.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, cast

import numpy as np

from intent.base.errors import GameError, UnknownNameError, UsageError, one_line, shorten
from intent.base.registry import require
from intent.games.game import Game, MatrixGame, PublicGoods
from intent.play.bridges.environment import EnvironmentGame, Opened, parameters_of
from intent.play.match import Horizon, View
from intent.play.players import Player
from intent.play.referee import Referee
from intent.strategies.catalogue import Noise

__all__ = ["PREFIX", "BotPlayer", "matrix_game", "one_shot", "player_bot", "spiel_game"]

PREFIX = "openspiel:"
"""What a name of the library begins with, as in ``openspiel:matrix_pd``."""

POSSIBLE = (
    "games of one simultaneous move, such as matrix_pd, matrix_rps, matching_pennies_3p or "
    "blotto(coins=4,fields=2), which are repeated here"
)
MOST_CHANCE = 1_000
MOST_JOINT = 1 << 16


def matrix_game(name: str) -> MatrixGame:
    """A game of OpenSpiel of two players with two actions each, with its payoffs.

    Parameters
    ----------
    name : str
        As OpenSpiel has it, with or without `PREFIX`: ``matrix_pd``.

    Raises
    ------
    MissingExtraError
        OpenSpiel is not installed.
    UnknownNameError
        No such game; the nearest names are suggested.
    GameError
        A game that is no such matrix; the line says what is possible.
    """
    plain = name.removeprefix(PREFIX).strip()
    game = _one_move(plain)
    shape = [_labels(game, seat) for seat in range(game.num_players())]
    if [len(labels) for labels in shape] != [2, 2] or _has_chance(game):
        counts = " by ".join(str(len(labels)) for labels in shape)
        chance = " and chance" if _has_chance(game) else ""
        raise GameError(
            f"{PREFIX}{plain} has {counts} actions{chance}; expected two players with two actions each; "
            "from Python environment_game('openspiel', …) takes any game of one simultaneous move"
        )
    # what OpenSpiel calls the actions of the second player is dropped: our games have one pair of labels
    rows: Any = tuple(tuple(tuple(_returns(game, (i, j))) for j in (0, 1)) for i in (0, 1))
    first, second = (label.replace(",", ";").replace("|", "/") for label in shape[0])
    return MatrixGame(f"{PREFIX}{plain}", (first, second), rows, "reward", description="of OpenSpiel")


def one_shot(name: str | Callable[[], Any]) -> Opened:
    """A game of OpenSpiel of one simultaneous move, to be repeated (`intent.environments`).

    Raises
    ------
    MissingExtraError, UnknownNameError, GameError
        As `matrix_game`; sequential games, and games of several moves, are refused.
    """
    game = _one_move(name if isinstance(name, str) else name())
    labels = tuple(_labels(game, seat) for seat in range(game.num_players()))
    return Opened(labels, lambda rng: _Repeated(game, labels, rng))


class _Repeated:
    """The game, over and over; its chances are drawn from the match's generator."""

    over = False

    def __init__(self, game: Any, labels: tuple[tuple[str, ...], ...], rng: np.random.Generator) -> None:
        self._game, self._labels, self._rng = game, labels, rng
        self.seats = tuple(range(1, len(labels) + 1))
        self._state = self._settled(game.new_initial_state())

    def legal(self, seat: int) -> tuple[str, ...]:
        return tuple(self._labels[seat - 1][a] for a in self._state.legal_actions(seat - 1))

    def step(self, actions: Mapping[int, str]) -> Mapping[int, float]:
        self._state.apply_actions([self._labels[seat - 1].index(actions[seat]) for seat in self.seats])
        state = self._settled(self._state)
        if not state.is_terminal():
            raise GameError(f"{PREFIX}{self._game}: goes on after one move; possible are {POSSIBLE}")
        paid = {seat: float(value) for seat, value in zip(self.seats, state.returns(), strict=True)}
        self._state = self._settled(self._game.new_initial_state())
        return paid

    def _settled(self, state: Any) -> Any:
        """The state after the chances that come now."""
        for _ in range(MOST_CHANCE):
            if not state.is_chance_node():
                return state
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(self._rng.choice(outcomes, p=np.array(chances) / sum(chances))))
        raise GameError(f"{PREFIX}{self._game}: {MOST_CHANCE} chances in a row, expected a move")


class BotPlayer:
    """A bot of OpenSpiel in a seat of ours.

    The bot is shown the repetition of the game as OpenSpiel's own repeated game (``recall`` 1, the rounds
    played so far with perfect information); its random numbers come from a seed that the seat's stream draws.
    A view that does not follow on the last one is played back to it from round 1. A round in which a move is
    missing is to the bot as if it had not been played.

    Parameters
    ----------
    bot : str or callable
        Name of a registered bot, with or without `PREFIX` (``uniform_random``, ``fixed_action_preference``);
        or a function of (game, player from 0, seed) that makes a ``pyspiel.Bot``, such as
        ``pyspiel.make_uniform_random_bot`` or a class of one's own.
    eps : float in [0, .5), probability per move that another action is played
    stand_in : not used: a bot names actions

    Raises
    ------
    MissingExtraError
        OpenSpiel is not installed.
    UnknownNameError
        It has no such bot.
    StrategyError
        eps outside [0, .5).
    """

    def __init__(
        self, bot: str | Callable[[Any, int, int], Any], eps: float = 0.0, stand_in: str | None = None
    ) -> None:
        spiel = _spiel()
        plain = bot.removeprefix(PREFIX) if isinstance(bot, str) else getattr(bot, "__name__", "bot")
        if isinstance(bot, str) and plain not in spiel.registered_bots():
            raise UnknownNameError("bot of OpenSpiel", plain, spiel.registered_bots())
        self._make = _registered(plain) if isinstance(bot, str) else bot
        self.name, self.eps = PREFIX + plain, Noise(eps).own
        self._past: tuple[Sequence[str | None], ...] = ()
        self._bot: Any = None
        self._state: Any = None

    @property
    def columns(self) -> dict[str, object]:
        """The name of the bot, with `PREFIX`."""
        return {"strategy": self.name}

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The bot's move, with probability eps another one.

        Raises
        ------
        GameError
            A game that OpenSpiel cannot be shown (`spiel_game`), or a move of the bot that is none.
        """
        past = view.actions_by_seat
        if view.round == 1 or tuple(p[:-1] for p in past) != self._past or self._bot is None:
            game = spiel_game(view.game, MOST_ROUNDS)
            self._state = game.new_initial_state()
            self._bot = self._make(game, view.seat - 1, int(rng.integers(2**31)))
            fresh = range(view.round - 1)
        else:
            fresh = range(view.round - 2, view.round - 1)
        for number in fresh:
            self._tell(view, number)
        self._past = past
        action = int(self._bot.step(self._state))
        if action not in self._state.legal_actions(view.seat - 1):
            raise GameError(f"{self.name}: action {action}, expected one of {len(view.actions)} actions")
        if self.eps > 0 and rng.random() < self.eps:
            others = [a for a in range(len(view.actions)) if a != action]
            action = others[int(rng.integers(len(others)))]
        return view.actions[action]

    def _tell(self, view: View, number: int) -> None:
        joint = [row[number] for row in view.actions_by_seat]
        if None in joint:
            return
        moves = [view.actions.index(str(action)) for action in joint]
        self._bot.inform_actions(self._state, moves)
        self._state.apply_actions(moves)


MOST_ROUNDS = 100_000
"""Rounds of the repeated game that a bot is shown, which says nothing of when the match ends."""


def spiel_game(game: Game, rounds: int | None = None) -> Any:
    """One of our games as OpenSpiel's: the stage, or its repetition.

    Payoffs are utilities: penalties have a minus.

    Parameters
    ----------
    game : MatrixGame, PublicGoods, or an EnvironmentGame of OpenSpiel
    rounds : int, optional
        Of the repeated game; None is the stage alone.

    Raises
    ------
    MissingExtraError
        OpenSpiel is not installed.
    GameError
        Another game, or one with more than 65,536 joint actions.
    """
    stage = _stage(cast("Hashable", game))
    if rounds is None:
        return stage
    return _spiel().create_repeated_game(stage, {"num_repetitions": rounds})


@cache
def _stage(game: Hashable) -> Any:
    spiel = _spiel()
    if isinstance(game, EnvironmentGame) and game.library == "openspiel":
        return _one_move(game.environment)
    if not isinstance(game, MatrixGame | PublicGoods):
        raise GameError(
            f"{getattr(game, 'name', game)}: OpenSpiel is shown games with a payoff table, expected one"
        )
    n, labels = game.n_players, game.actions
    if 2**n > MOST_JOINT:
        raise GameError(f"{game.name}: {n} players, expected 16 at most in a table of OpenSpiel")
    sign = 1.0 if game.kind == "reward" else -1.0
    paid = [[sign * value for value in game.payoff(joint)] for joint in product(labels, repeat=n)]
    by_seat = np.array(paid).T.reshape(n, *[2] * n)
    if n == 2:
        texts = list(labels), list(labels)
        return spiel.create_matrix_game(
            game.name, game.name, *texts, *(by_seat[seat].tolist() for seat in (0, 1))
        )
    return spiel.create_tensor_game(
        game.name, game.name, [list(labels)] * n, [by_seat[seat].ravel().tolist() for seat in range(n)]
    )


def player_bot(player: Player, game: Game, seat: int, rng: np.random.Generator) -> Any:
    """One of our players as a bot of OpenSpiel, for its repetition of `spiel_game` or any game of the same
    moves.

    Parameters
    ----------
    player : Player
    game : MatrixGame or PublicGoods, what the player is told that it plays
    seat : int, from 1
    rng : numpy Generator, of the player's draws

    Returns
    -------
    pyspiel.Bot

    Raises
    ------
    MissingExtraError
        OpenSpiel is not installed.
    """
    return _bot_class()(player, game, seat, rng)


@cache
def _bot_class() -> type[Any]:
    spiel = _spiel()

    class PlayerBot(spiel.Bot):  # type: ignore[name-defined]
        """A player of ours; it reads the history of the state, so that it needs not be informed of moves."""

        def __init__(self, player: Player, game: Game, seat: int, rng: np.random.Generator) -> None:
            super().__init__()
            self._player, self._game, self._seat, self._rng = player, game, seat, rng
            self.restart()

        def restart(self) -> None:
            """Forget the match."""
            self._referee = Referee(self._game, Horizon(MOST_ROUNDS, known=False))
            self._taken: list[int] = []

        def restart_at(self, state: Any) -> None:
            """Forget the match, and take in that of the state."""
            self.restart()
            self._look_back(state)

        def inform_action(self, state: Any, player_id: int, action: int) -> None:
            """Nothing: the next state tells."""

        def inform_actions(self, state: Any, actions: Sequence[int]) -> None:
            """Nothing: the next state tells."""

        def step(self, state: Any) -> int:
            """The move for the state."""
            self._look_back(state)
            action = self._player.act(self._referee.view(self._seat), self._rng)
            if action is None:
                raise GameError(f"seat {self._seat}: no move, expected one in every round")
            return self._game.actions.index(action)

        def _look_back(self, state: Any) -> None:
            past = [move.action for move in state.full_history() if move.player >= 0]
            n = self._game.n_players
            if past[: len(self._taken)] != self._taken:
                self.restart()
            for at in range(len(self._taken), len(past) - len(past) % n, n):
                for seat, action in enumerate(past[at : at + n], start=1):
                    if not 0 <= action < len(self._game.actions):
                        raise GameError(
                            f"seat {seat}: action {action}, expected 0 to {len(self._game.actions) - 1}"
                        )
                    self._referee.submit(seat, self._game.actions[action])
                self._taken += past[at : at + n]

    return PlayerBot


def _registered(name: str) -> Callable[[Any, int, int], Any]:
    def make(game: Any, player: int, seed: int) -> Any:
        spiel = _spiel()
        if name not in spiel.bots_that_can_play_game(game, player):
            raise UsageError(
                f"{PREFIX}{name} does not play this game, expected uniform_random or another bot"
            )
        return spiel.load_bot(name, game, player, {"seed": seed})

    return make


def _one_move(game: Any) -> Any:
    """The game, once it is sure that it is one simultaneous move.

    Raises
    ------
    UnknownNameError, GameError
    """
    spiel = _spiel()
    if isinstance(game, str):
        plain, parameters = _call(game)
        if plain not in spiel.registered_names():
            raise UnknownNameError("game of OpenSpiel", plain, spiel.registered_names())
        where = f"{PREFIX}{game}"
        if any(isinstance(value, str) for value in parameters.values()):
            raise GameError(f"{where}: a parameter that is a text, expected numbers; possible are {POSSIBLE}")
        try:
            game = spiel.load_game(plain, parameters)
        except (spiel.SpielError, RuntimeError, TypeError) as error:
            raise GameError(
                f"{where}: OpenSpiel does not make it: {one_line(str(error).splitlines()[0])}"
            ) from None
    else:
        where = f"{PREFIX}{game}"
    kind = game.get_type()
    if kind.dynamics != spiel.GameType.Dynamics.SIMULTANEOUS:
        raise GameError(f"{where} is sequential: its players move in turn; possible are {POSSIBLE}")
    if kind.information != spiel.GameType.Information.ONE_SHOT:
        raise GameError(f"{where} takes several moves; possible are {POSSIBLE}")
    if game.num_distinct_actions() ** game.num_players() > MOST_JOINT**2:
        raise GameError(f"{where}: {game.num_distinct_actions()} actions a player, expected fewer")
    return game


def _call(text: str) -> tuple[str, dict[str, int | float | bool | str]]:
    return parameters_of(text, "game of OpenSpiel")


def _has_chance(game: Any) -> bool:
    return bool(game.get_type().chance_mode != _spiel().GameType.ChanceMode.DETERMINISTIC)


def _labels(game: Any, player: int) -> tuple[str, ...]:
    """What OpenSpiel calls the actions; numbered where two have one name."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    texts = [
        shorten(state.action_to_string(player, action)) or str(action)
        for action in state.legal_actions(player)
    ]
    return tuple(texts if len(set(texts)) == len(texts) else [str(at) for at in range(len(texts))])


def _returns(game: Any, moves: Sequence[int]) -> list[float]:
    state = game.new_initial_state()
    state.apply_actions(list(moves))
    return [float(value) for value in state.returns()]


def _spiel() -> Any:
    require("pyspiel")
    import pyspiel

    return pyspiel
