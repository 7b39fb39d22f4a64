"""Where the games of a library come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from intent.errors import IntentError
from intent.logs.gamelog import GameLog

__all__ = ["DAMAGE", "Source"]

DAMAGE = (IntentError, ArithmeticError, LookupError, OSError, TypeError, ValueError, pa.ArrowException)
"""What reading tables raises that nobody vouches for."""


class Source(Protocol):
    """Games and seats as tables in memory, and whole games on demand.

    Attributes
    ----------
    chunk : int
        How many games at a time are best gone through.
    games, seats : Table with game_id
    seat_game : (n_seats,) row of the game of each seat
    notes : list of str
        What was found on the way.
    """

    chunk: int
    games: pa.Table
    seats: pa.Table
    seat_game: NDArray[np.intp]
    notes: list[str]

    @property
    def provenance(self) -> dict[str, Any]:
        """Facts on where the games come from."""

    @property
    def ready(self) -> bool:
        """Whether any game can be had at once."""

    def prepare(self) -> None:
        """Do what makes it ready; may take seconds."""

    def refresh(self, most: int = ...) -> set[str] | None:
        """Read what has changed; the names of changed games, None where nothing has."""

    def log(self, games: Sequence[int] | NDArray[np.intp]) -> GameLog:
        """Some games, by their rows in `games`, in that order, as a log of their own."""

    def close(self) -> None:
        """Give up what is held."""
