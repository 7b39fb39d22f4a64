"""Columns of the moves as arrays of seats by rounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.errors import LimitError
from intent.files.bounds import bounds
from intent.logs.gamelog import GameLog

__all__ = ["SeatRounds"]


@dataclass(frozen=True, eq=False)
class SeatRounds:
    """Where each move of a log stands in arrays of n seats by T rounds.

    Attributes
    ----------
    log : GameLog
    game : (n,) index of each seat's game
    row : (M,) seat of each move
    at : (M,) round of each move, from 0
    horizon : int, T
    """

    log: GameLog
    game: NDArray[np.intp]
    row: NDArray[np.intp]
    at: NDArray[np.intp]
    horizon: int

    @classmethod
    def of(cls, log: GameLog) -> SeatRounds:
        """Of a log.

        Raises
        ------
        LimitError
            Seats times rounds go beyond the bound that protects memory.
        """
        ids = pd.Index(log.games["game_id"].astype(str))
        game = np.asarray(ids.get_indexer(pd.Index(log.seats["game_id"].astype(str))), dtype=np.intp)
        of_move = np.asarray(ids.get_indexer(pd.Index(log.moves["game_id"].astype(str))), dtype=np.intp)
        seat, mover = (table["seat"].to_numpy(dtype=np.intp) for table in (log.seats, log.moves))
        width = int(max(seat.max(initial=0), mover.max(initial=0))) + 1
        row = pd.Index(game * width + seat).get_indexer(pd.Index(of_move * width + mover))
        at = log.moves["round"].to_numpy(dtype=np.intp) - 1
        horizon = int(at.max(initial=-1)) + 1
        if len(seat) * horizon > bounds().moves:
            raise LimitError(
                f"{len(seat):,} seats of up to {horizon:,} rounds are more than {bounds().moves:,} cells; "
                "one very long game makes all rows long: take it apart (--where)"
            )
        return cls(log, game, np.asarray(row, dtype=np.intp), at, horizon)

    def grid(self, column: str) -> NDArray[np.float64]:
        """(n, T) a column of numbers or truth values, NaN where unknown; the first step with one counts."""
        values = self.log.moves[column].to_numpy(dtype=float, na_value=np.nan)
        known = np.flatnonzero(~np.isnan(values))
        steps = self.log.moves["step"].to_numpy(dtype=np.intp)[known]
        last_first = known[np.argsort(-steps, kind="stable")]
        out = np.full((len(self.game), self.horizon), np.nan)
        out[self.row[last_first], self.at[last_first]] = values[last_first]
        return out

    def any_by_game(self, cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(games,) whether any cell of (n, T) of the game's seats is true."""
        hits = np.bincount(self.game[cells.any(axis=1)], minlength=len(self.log))
        found: NDArray[np.bool_] = hits > 0
        return found

    def told(self, cells: NDArray[np.int8]) -> NDArray[np.int8]:
        """(M,) the cell of each move."""
        found: NDArray[np.int8] = cells[self.row, self.at]
        return found

    def rows(self, keys: pd.DataFrame) -> NDArray[np.intp]:
        """Seats that a table names by game_id and seat."""
        seats, wanted = (
            pd.MultiIndex.from_arrays([table["game_id"].astype(str), table["seat"].astype(int)])
            for table in (self.log.seats, keys)
        )
        return np.asarray(seats.get_indexer(wanted), dtype=np.intp)
