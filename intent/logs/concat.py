"""Several game logs as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from intent.errors import DataError
from intent.logs.gamelog import GameLog

__all__ = ["concat_logs"]


def concat_logs(logs: Sequence[GameLog], *, provenance: Mapping[str, Any] | None = None) -> GameLog:
    """One log of all games in order.

    Raises
    ------
    DataError
        No log, or a game_id that two of them use.
    """
    if not logs:
        raise DataError("no game logs to put together")
    if len(logs) == 1:
        only = logs[0]
        return GameLog(
            only.games,
            only.seats,
            only.moves,
            only.questions,
            provenance=only.provenance if provenance is None else provenance,
            rejects=only.rejects,
        )
    games = pd.concat([log.games for log in logs], ignore_index=True)
    seats = pd.concat([log.seats for log in logs], ignore_index=True)
    parts = []
    for log in logs:
        moves = log.moves
        parts.append(moves.assign(game_id=moves["game_id"].cat.set_categories(pd.Index(games["game_id"]))))
    for column in ("action", "status"):
        levels = list(dict.fromkeys(level for part in parts for level in part[column].cat.categories))
        parts = [part.assign(**{column: part[column].cat.set_categories(levels)}) for part in parts]
    questions = [log.questions for log in logs if log.questions is not None]
    return GameLog(
        games,
        seats,
        pd.concat(parts, ignore_index=True),
        pd.concat(questions, ignore_index=True) if questions else None,
        provenance=provenance,
        rejects=pd.concat([log.rejects for log in logs], ignore_index=True),
    )
