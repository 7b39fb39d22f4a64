"""The play of a log as FAIRGAME's cells hold it: actions, scores and messages of a seat, round by round."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.errors import OutputError, shorten
from intent.logs.gamelog import GameLog

__all__ = ["Seat", "game_play", "score_cells"]


@dataclass(frozen=True)
class Seat:
    """One seat's play of a game, by round.

    Parameters
    ----------
    actions : tuple of str or None
    payoffs : tuple of float or None
    messages : tuple of str or None
    statuses : tuple of str
    """

    actions: tuple[str | None, ...]
    payoffs: tuple[float | None, ...]
    messages: tuple[str | None, ...]
    statuses: tuple[str, ...]


def game_play(log: GameLog) -> Iterator[list[Seat]]:
    """The seats of every game, in the order of the games.

    Raises
    ------
    OutputError
        Moves are made in several steps or are numbers, or a round of a seat is not there.
    """
    moves, games = log.moves, log.games
    row = games["game_id"].to_numpy()
    code = moves["game_id"].cat.codes.to_numpy(dtype=np.intp)
    number = moves["round"].to_numpy(dtype=np.intp)
    seat = moves["seat"].to_numpy(dtype=np.intp)
    _check_steps(log)
    _check_labels(log)
    order = np.lexsort((number, seat, code))
    empty = np.full(len(moves), None, dtype=object)
    cells = [_objects(moves[name]) for name in ("action", "payoff")]
    cells += [_objects(moves["message"]) if "message" in moves else empty, _objects(moves["status"])]
    ends = np.cumsum(np.bincount(code, minlength=len(games)))
    seats, rounds = games["n_players"].to_numpy(dtype=np.intp), games["rounds_played"].to_numpy(dtype=np.intp)
    for i, end in enumerate(ends):
        n, length = seats[i], rounds[i]
        at = order[(ends[i - 1] if i else 0) : end]
        if len(at) != n * length or not (
            np.array_equal(number[at], np.tile(np.arange(1, length + 1), n))
            and np.array_equal(seat[at], np.repeat(np.arange(1, n + 1), length))
        ):
            raise OutputError(
                f"game {shorten(row[i])} has {len(at)} moves, "
                f"expected one of {n} seats in each of {length} rounds"
            )
        yield [Seat(*(tuple(column[part].tolist()) for column in cells)) for part in at.reshape(n, length)]


def _objects(column: pd.Series[Any]) -> NDArray[np.object_]:
    """The values, None for null."""
    values = column.to_numpy(dtype=object, copy=True)
    values[column.isna().to_numpy()] = None
    return values


def score_cells(payoffs: Sequence[float | None], game: Any) -> str:
    """The list of scores, in whole numbers where those of the game are.

    Parameters
    ----------
    payoffs : sequence of float or None, by round
    game : str or null
        Payoffs of the game as `Game.to_json` writes them. FAIRGAME computes those of public goods games, by
        division, so that they are floats even where they are whole; where the game is unknown, the
        scores themselves decide.
    """
    whole = all(value is None or value.is_integer() for value in payoffs)
    if whole and isinstance(game, str):
        whole = _whole_table(game)
    return str([int(value) if whole and value is not None else value for value in payoffs])


def _whole_table(text: str) -> bool:
    try:
        table = json.loads(text)
        return all(isinstance(value, int) for pair in table.values() for value in pair)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return False


def _check_steps(log: GameLog) -> None:
    later = np.flatnonzero((log.moves["step"] != 1).to_numpy(dtype=bool))
    if len(later):
        move = log.moves.iloc[later[0]]
        raise OutputError(
            f"FAIRGAME's CSV has no steps within a round: game {shorten(move['game_id'])}, "
            f"round {move['round']}, seat {move['seat']}; choose another format"
        )


def _check_labels(log: GameLog) -> None:
    """Refuse moves that are numbers: who reads the file expects labels of the game."""
    if "value" not in log.moves:
        return
    numbers = np.flatnonzero(log.moves["value"].notna().to_numpy(dtype=bool))
    if len(numbers):
        move = log.moves.iloc[int(numbers[0])]
        raise OutputError(
            f"FAIRGAME's CSV has no moves that are numbers: game {shorten(move['game_id'])}, "
            f"round {move['round']}, seat {move['seat']}; choose another format"
        )
