"""Play in arrays, as readers of one-game-per-row formats have it, and the way to the table of moves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.logs.tables import TEXT

__all__ = ["Play", "moves_table"]


@dataclass(frozen=True, eq=False)
class Play:
    """The rounds of n games with N seats each, one game after the other.

    Parameters
    ----------
    lengths : (n,) int, rounds of each game
    actions : (m, N) int, codes into `labels`; m rounds in all
    scores : (m, N) float, NaN where unknown
    labels : tuple of str
    """

    lengths: NDArray[np.int64]
    actions: NDArray[np.int32]
    scores: NDArray[np.float64]
    labels: tuple[str, ...]

    @property
    def n_games(self) -> int:
        """Number of games."""
        return len(self.lengths)

    @property
    def n_seats(self) -> int:
        """Number of seats of each game."""
        return int(self.actions.shape[1])

    @cached_property
    def game(self) -> NDArray[np.intp]:
        """(m,), the game of each round."""
        return np.repeat(np.arange(self.n_games), self.lengths)

    @cached_property
    def round(self) -> NDArray[np.int64]:
        """(m,), number of each round within its game, from 1."""
        starts = np.cumsum(self.lengths) - self.lengths
        return np.arange(len(self.actions)) - np.repeat(starts, self.lengths) + 1

    def games(self, rows: NDArray[np.intp]) -> Play:
        """Some of the games, in the order given."""
        lengths = self.lengths[rows]
        starts = (np.cumsum(self.lengths) - self.lengths)[rows]
        shift = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
        at = shift + np.arange(len(shift))
        return Play(lengths, self.actions[at], self.scores[at], self.labels)


def moves_table(play: Play, game_ids: pd.Index, cooperative: NDArray[np.int32]) -> pd.DataFrame:
    """One row per game, round and seat, as `schema.MOVES`.

    Parameters
    ----------
    play : Play
    game_ids : Index of n identifiers
    cooperative : (n, N) int, code of the action that is cooperation for each seat; -1 where undecidable
    """
    seats = play.n_seats
    moves = len(play.actions) * seats
    target = cooperative[play.game]
    undecided = (target < 0) | (play.actions < 0)
    codes = np.repeat(play.game, seats)
    number = np.tile(np.arange(1, seats + 1), len(play.actions))
    status = np.where(play.actions.ravel() < 0, np.int8(1), np.int8(0))
    return pd.DataFrame(
        {
            "game_id": pd.Categorical.from_codes(codes, categories=game_ids, validate=False),
            "round": _whole(np.repeat(play.round, seats)),
            "step": _whole(np.ones(moves, dtype=np.int64)),
            "seat": _whole(number),
            "action": pd.Categorical.from_codes(
                play.actions.ravel(), categories=pd.Index(play.labels, dtype=TEXT), validate=False
            ),
            "value": np.full(moves, np.nan),
            "cooperated": pd.arrays.BooleanArray((play.actions == target).ravel(), undecided.ravel()),
            "payoff": play.scores.ravel(),
            "status": pd.Categorical.from_codes(
                status, categories=pd.Index(["parsed", "missing"], dtype=TEXT), validate=False
            ),
        },
        copy=False,
    )


def _whole(values: NDArray[np.int64]) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(values.astype(np.int64, copy=False), np.zeros(len(values), dtype=bool))
