"""Strategies of the Axelrod library as players (extra ``axelrod``; importing that library takes seconds)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from intent.errors import GameError, MissingExtraError, UnknownNameError
from intent.play.players import action_labels
from intent.play.view import View
from intent.strategies.noise import Noise

__all__ = ["PREFIX", "LibraryPlayer"]

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
    name : str
        Name of the class, with or without `PREFIX`, such as ``Adaptive``.
    eps : float in [0, .5), probability per move that the intended move is flipped
    stand_in : str, optional
        The action that counts as C for seats whose cooperative action the payoffs leave open.

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
        self._told: tuple[Sequence[str | None], ...] = ()

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
        follows = view.round > 1 and tuple(p[:-1] for p in past) == self._told
        if not follows:
            self._player, self._rival = self._make(), self._library.MockPlayer()
            self._player.set_seed(int(rng.integers(2**31)))
            for number in range(view.round - 1):
                self._player.strategy(self._rival)
                self._tell(view, number, cooperate)
        else:
            self._tell(view, view.round - 2, cooperate)
        self._told = past
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

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import axelrod
    except ImportError:
        raise MissingExtraError("the Axelrod library", "axelrod") from None
    return axelrod
