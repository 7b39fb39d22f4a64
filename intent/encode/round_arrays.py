"""The events of a game as arrays of rounds by seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.errors import LimitError, shorten
from intent.files.bounds import bounds
from intent.logs.gamelog import GameLog

__all__ = ["RoundArrays", "round_arrays"]


@dataclass(frozen=True, eq=False)
class RoundArrays:
    """One game; row r - 1 is round r, column s - 1 is seat s.

    A log holds moves as events with round, step and seat, so that games in which some move, or one after
    another, fit it. Here every event stands at its place; who had no part in a round has step 0 in it.

    Attributes
    ----------
    step : (T, N) int, 1 = first of the round, 0 = the seat did not move
    action : (T, N) object, as the log has it; None where there is none
    value, payoff : (T, N) float, NaN where there is none
    """

    step: NDArray[np.intp]
    action: NDArray[np.object_]
    value: NDArray[np.float64]
    payoff: NDArray[np.float64]

    @property
    def moved(self) -> NDArray[np.bool_]:
        """(T, N) whether the seat was to move; its move may be missing."""
        found: NDArray[np.bool_] = self.step > 0
        return found


def round_arrays(log: GameLog) -> dict[str, RoundArrays]:
    """Every game of a log by its id.

    Parameters
    ----------
    log : GameLog
        Where a seat moves in several steps of a round, the first one counts.

    Raises
    ------
    LimitError
        Rounds times seats of a game go beyond the bound that protects memory.

    Examples
    --------
    >>> import numpy as np
    >>> from intent.agents.players import parse_player
    >>> from intent.agents.table import scripted_table_player
    >>> from intent.games.gamma import gamma_game
    >>> from intent.play.drive import play
    >>> from intent.play.horizon import Horizon
    >>> from intent.play.record import to_log
    >>> game = gamma_game("pirate", n_players=4)
    >>> seats = [scripted_table_player(parse_player("scripted/equilibrium"), game, s + 1) for s in range(4)]
    >>> (found,) = round_arrays(to_log([play(game, seats, Horizon(3), np.random.default_rng(0))])).values()
    >>> found.step.tolist(), found.action.tolist()
    ([[1, 2, 2, 2]], [['99,0,1,0', 'reject', 'accept', 'reject']])
    """
    moves = log.moves.sort_values("step", ascending=False, kind="stable")
    by_game = dict(iter(moves.groupby("game_id", sort=False, observed=True)))
    ids, seats = log.games["game_id"], log.games["n_players"]
    return {
        str(name): _arrays(str(name), by_game.get(name, moves.iloc[:0]), int(n))
        for name, n in zip(ids, seats, strict=True)
    }


def _arrays(name: str, moves: pd.DataFrame, n_players: int) -> RoundArrays:
    """The moves of one game, later steps first."""
    row, column = (moves[key].to_numpy(dtype=np.intp) - 1 for key in ("round", "seat"))
    shape = (int(row.max(initial=-1)) + 1, max(n_players, int(column.max(initial=-1)) + 1))
    if shape[0] * shape[1] > bounds().moves:
        raise LimitError(
            f"game {shorten(name)!r}: {shape[0]:,} rounds of {shape[1]:,} seats are more than "
            f"{bounds().moves:,} cells"
        )

    def laid(values: Any, empty: NDArray[Any]) -> NDArray[Any]:
        empty[row, column] = values
        return empty

    actions = np.array([x if isinstance(x, str) else None for x in moves["action"]], dtype=object)
    numbers = [moves[key].to_numpy(dtype=float, na_value=np.nan) for key in ("value", "payoff")]
    value, payoff = (laid(each, np.full(shape, np.nan)) for each in numbers)
    step = laid(moves["step"].to_numpy(dtype=np.intp), np.zeros(shape, dtype=np.intp))
    return RoundArrays(step, laid(actions, np.full(shape, None, dtype=object)), value, payoff)
