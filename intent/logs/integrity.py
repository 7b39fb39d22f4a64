"""What must hold between the tables of a game log."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.errors import DataError

__all__ = ["check_moves", "check_seats"]

Codes = NDArray[np.intp]


def check_seats(seats: pd.DataFrame, game: Codes) -> None:
    """Every seat belongs to a game, is numbered from 1, and is listed once.

    Parameters
    ----------
    seats : DataFrame as `schema.SEATS`
    game : (n_seats,) row in games, -1 where there is none

    Raises
    ------
    DataError
        One of these does not hold.
    """
    _belongs(seats, game, "seats")
    number = seats["seat"].to_numpy(dtype=np.intp)
    if (number < 1).any():
        raise DataError(f"table seats: seat {number[number < 1][0]}, expected numbers from 1")
    at = _repeated([game, number])
    if at is not None:
        raise DataError(f"table seats lists seat {number[at]} of game {seats['game_id'].iloc[at]!r} twice")


def check_moves(moves: pd.DataFrame, game: Codes, seats: pd.DataFrame, seat_game: Codes) -> None:
    """Every move belongs to a listed seat, in a round and step from 1, and is recorded once.

    Parameters
    ----------
    moves : DataFrame as `schema.MOVES`
    game : (n_moves,) row in games, -1 where there is none
    seats : DataFrame as `schema.SEATS`
    seat_game : (n_seats,) row in games

    Raises
    ------
    DataError
        One of these does not hold.
    """
    _belongs(moves, game, "moves")
    if not len(moves):
        return
    numbers = {name: moves[name].to_numpy(dtype=np.intp) for name in ("round", "step", "seat")}
    for name, values in numbers.items():
        if values.min() < 1:
            raise DataError(f"table moves: {name} {values.min()}, expected numbers from 1")
    listed = seats["seat"].to_numpy(dtype=np.intp)
    width = int(max(listed.max(initial=0), numbers["seat"].max())) + 1
    known = np.unique(seat_game * width + listed)
    place = np.searchsorted(known, game * width + numbers["seat"])
    stray = np.flatnonzero(known[np.minimum(place, len(known) - 1)] != game * width + numbers["seat"])
    if len(stray) or not len(known):
        at = int(stray[0]) if len(stray) else 0
        raise DataError(
            f"table moves: seat {numbers['seat'][at]} of game {moves['game_id'].iloc[at]!r} "
            "is not listed in table seats"
        )
    repeated = _repeated([game, numbers["round"], numbers["step"], numbers["seat"]])
    if repeated is not None:
        raise DataError(
            f"table moves has two moves of seat {numbers['seat'][repeated]} in round "
            f"{numbers['round'][repeated]} of game {moves['game_id'].iloc[repeated]!r}"
        )


def _belongs(table: pd.DataFrame, game: Codes, name: str) -> None:
    if (game < 0).any():
        stray = table["game_id"].iloc[int(np.flatnonzero(game < 0)[0])]
        raise DataError(f"table {name} refers to game_id {stray!r}, which table games does not have")


def _repeated(columns: list[Codes]) -> int | None:
    """Row of a combination that occurred before, None where all differ."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for values in columns:
        key = key * (int(values.max(initial=0)) + 1) + values
    if (np.diff(key) > 0).all():
        return None
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(np.diff(key[order]) == 0)
    return int(order[same[0] + 1]) if len(same) else None
