"""The moves of the games of a log, by round and seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["LoggedMove", "MovesByGame", "Rounds"]

_COLUMNS = ("round", "step", "seat", "action", "value", "payoff", "status")


class LoggedMove(NamedTuple):
    """A move as the log has it: step, action (None: missing), value, payoff (NaN: unknown), status."""

    step: int
    action: str | None
    value: float
    payoff: float
    status: str = "parsed"


Rounds = Mapping[int, Mapping[int, LoggedMove]]
"""Round -> seat -> move."""


class MovesByGame:
    """The moves of a log as plain values, cut by game once: a frame per game takes longer than its score.

    Parameters
    ----------
    log : GameLog
    """

    def __init__(self, log: GameLog) -> None:
        import pandas as pd

        codes = pd.Index(log.games["game_id"]).get_indexer(pd.Index(log.moves["game_id"]))
        order = np.argsort(codes, kind="stable")
        self._starts = np.searchsorted(codes[order], np.arange(len(log.games) + 1))
        self._columns = [log.moves[name].astype(object).to_numpy()[order] for name in _COLUMNS]

    def rounds(self, game: int) -> dict[int, dict[int, LoggedMove]]:
        """Round -> seat -> move, in the order of rounds; a seat that did not move is absent.

        Parameters
        ----------
        game : int
            Its place in the table of games, from 0.
        """
        found: dict[int, dict[int, LoggedMove]] = {}
        here = slice(*self._starts[game : game + 2])
        for number, step, seat, action, value, payoff, status in zip(
            *(column[here] for column in self._columns), strict=True
        ):
            known = action if isinstance(action, str) else None
            move = LoggedMove(int(step), known, _number(value), _number(payoff), str(status))
            found.setdefault(int(number), {})[int(seat)] = move
        return dict(sorted(found.items()))


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return float("nan")
