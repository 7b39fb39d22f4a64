"""The Axelrod library's strategies as our players, and our players, fitted models among them, as its own.

Both ways C is the cooperative action of the seat's game. Ours draw from a numpy generator of the seed that
the library hands to each of its players, so that the moves are those of our referee with such streams.

References
----------
Knight et al. 2016, Journal of Open Research Software 4:e35.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.base.errors import GameError, UnknownNameError, shorten
from intent.base.registry import require
from intent.games.game import Game, MatrixGame
from intent.play.match import Past, View
from intent.play.players import AutomatonPlayer, Player, action_labels, named_player
from intent.strategies.catalogue import Noise, Strategy

if TYPE_CHECKING:
    OurPlayer: type[Any]

__all__ = ["PREFIX", "LibraryPlayer", "axelrod_game", "axelrod_library", "axelrod_player"]

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
    """

    def __init__(self, name: str, eps: float = 0.0, stand_in: str | None = None) -> None:
        self._library = axelrod_library()
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


def axelrod_player(
    player: Player | Strategy | str | Path, game: MatrixGame | None = None, eps: float = 0.0
) -> Any:
    """One of our players as a player of the Axelrod library, for its matches, tournaments and Moran
    processes.

    It can be cloned, reset and pickled as the library does. Where the player is not sure to move alike each
    time it counts as stochastic, and draws from ``numpy.random.default_rng(seed)`` of the seed that the
    library gives it.

    Parameters
    ----------
    player : Player, Strategy, name of a strategy, or folder of a fitted model
        As `intent.play.players.named_player` reads it: ``"GTFT(0.1)"``, ``"fitted:FOLDER"``, a path.
    game : MatrixGame, optional
        What it is told that it plays; by default ``prisoner-dilemma-trps``, which is the library's default.
        The library may score by other payoffs: `axelrod_game`.
    eps : float in [0, .5), probability per move that the intended move of a named player is flipped

    Returns
    -------
    axelrod.Player

    Raises
    ------
    MissingExtraError
        The library is not installed.
    UnknownNameError, RecogniserError
        No such strategy or folder.
    GameError
        A game without a cooperative action for each seat.

    Examples
    --------
    >>> import axelrod  # doctest: +SKIP
    >>> axelrod.Match([axelrod_player("TFT"), axelrod.Defector()], turns=3).play()  # doctest: +SKIP
    [(C, D), (D, D), (D, D)]
    """
    from intent.games.catalogue import game as named_game

    stage = named_game("prisoner-dilemma-trps") if game is None else game
    for seat in (1, 2):
        action_labels(stage, seat)
    named = isinstance(player, Strategy | str | Path)
    ours = named_player(player, eps) if isinstance(player, Strategy | str | Path) else player
    return our_player()(ours, stage, _name(player, ours) if named else None)


def axelrod_game(game: MatrixGame) -> Any:
    """The payoffs as the library scores matches: penalties with a minus, so that more is better.

    Returns
    -------
    axelrod.Game, or axelrod.AsymmetricGame where the seats differ

    Raises
    ------
    MissingExtraError
        The library is not installed.
    GameError
        A game without a cooperative action for each seat.
    """
    library = axelrod_library()
    (c1, d1), (c2, d2) = (action_labels(game, seat) for seat in (1, 2))
    at = game.actions.index
    first, second = (
        [[game.utilities[at(own)][at(other)][seat] for other in (c2, d2)] for own in (c1, d1)]
        for seat in (0, 1)
    )
    if [list(column) for column in zip(*second, strict=True)] == first:
        (r, s), (t, p) = first
        return library.Game(r=r, s=s, t=t, p=p)
    return library.AsymmetricGame(np.array(first), np.array(second))


@cache
def our_player() -> type[Any]:
    """The class that `axelrod_player` makes, which derives from the library's."""
    library = axelrod_library()

    class OurPlayer(library.Player):  # type: ignore[name-defined]
        """One of our players (`intent.play.bridges.axelrod.axelrod_player`)."""

        name = "intent"
        classifier = {  # noqa: RUF012 - the library's form
            "memory_depth": float("inf"),
            "stochastic": True,
            "long_run_time": False,
            "inspects_source": False,
            "manipulates_source": False,
            "manipulates_state": False,
        }

        def __init__(self, player: Player, game: Game, called: str | None = None) -> None:
            super().__init__()
            self._ours = deepcopy(player)  # a clone that plays beside it has a memory of its own
            self._game = game
            self.name = called or _name(player, player)
            self.classifier["stochastic"] = not _is_sure(self._ours)
            self._stream = np.random.default_rng(0)
            self._cooperate = tuple(action_labels(game, seat) for seat in (1, 2))
            self._moves: tuple[list[str | None], list[str | None]] = ([], [])
            self._paid: tuple[list[float | None], list[float | None]] = ([], [])

        def __repr__(self) -> str:
            return str(self.name)

        def set_seed(self, seed: int | None) -> None:
            """Draw from a generator of this seed."""
            super().set_seed(seed)
            self._stream = np.random.default_rng(self._seed)

        def strategy(self, opponent: Any) -> Any:
            """The move for the coming round."""
            self._look_back()
            action = self._ours.act(self._view(), self._stream)
            if action is None:
                raise GameError(f"{self.name}: no move, expected one in every round")
            return library.Action.C if action == self._cooperate[0][0] else library.Action.D

        def _look_back(self) -> None:
            """Take in the rounds since the last move; a history that was shortened is read anew."""
            mine, theirs = self.history, self.history.coplays
            if len(mine) < len(self._moves[0]):
                self._moves, self._paid = ([], []), ([], [])
            for at in range(len(self._moves[0]), len(mine)):
                joint = [
                    self._cooperate[seat][0 if move == library.Action.C else 1]
                    for seat, move in enumerate((mine[at], theirs[at]))
                ]
                for seat, payoff in enumerate(self._game.payoff(joint)):
                    self._moves[seat].append(joint[seat])
                    self._paid[seat].append(payoff)

        def _view(self) -> View:
            played, length = len(self._moves[0]), self.match_attributes["length"]
            known = isinstance(length, int | float) and 0 < length < float("inf")
            return View(
                game=self._game,
                seat=1,
                round=played + 1,
                horizon=int(length) if known else None,
                continuation=None,
                actions_by_seat=tuple(Past(row, played) for row in self._moves),
                payoffs_by_seat=tuple(Past(row, played) for row in self._paid),
                messages_by_seat=tuple(Past([None] * played, played) for _ in range(2)),
            )

    OurPlayer.__qualname__ = "OurPlayer"
    return OurPlayer


def __getattr__(name: str) -> Any:
    """The class of `our_player` by its name, as pickle looks for it."""
    if name == "OurPlayer":
        return our_player()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _name(source: object, player: Player) -> str:
    """What tournaments list the player as; the library keeps sure play by this name."""
    if isinstance(source, str | Path):
        text = Path(source).name if isinstance(source, Path) or Path(source).is_dir() else source
    else:
        columns = getattr(player, "columns", {})
        text = str(columns.get("strategy", type(player).__name__))
    noise = getattr(player, "eps", 0.0)
    return f"intent {shorten(text)}" + (f"@{noise:g}" if noise else "")


def _is_sure(player: Player) -> bool:
    """Whether the player moves alike in any two matches with the same past."""
    if not isinstance(player, AutomatonPlayer):
        return False
    return player.eps == 0 and set(player.strategy.p_cooperate) <= {0.0, 1.0}


def axelrod_library() -> Any:
    """The Axelrod library, imported in silence and in less than half the time."""
    require("axelrod")
    if "axelrod" in sys.modules:
        return sys.modules["axelrod"]
    with warnings.catch_warnings(), _sources_read_once():
        warnings.simplefilter("ignore")
        import axelrod
    return axelrod


@contextmanager
def _sources_read_once() -> Iterator[None]:
    """Remember what `inspect.getsource` answers while the block lasts.

    The library makes each of its players when it is imported, and reads the same 38 methods from its files
    15,000 times to see which of them ask for the length of the match.
    """
    read = inspect.getsource
    answers: dict[Any, str | Exception] = {}

    def remembered(what: Any) -> str:
        key = getattr(what, "__func__", what)
        if key not in answers:
            try:
                answers[key] = read(what)
            except (OSError, TypeError) as error:
                answers[key] = error
        answer = answers[key]
        if isinstance(answer, str):
            return answer
        raise answer.with_traceback(None)

    inspect.getsource = remembered  # type: ignore[assignment]
    try:
        yield
    finally:
        inspect.getsource = read
