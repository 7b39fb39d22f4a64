"""The four indices of a log by model and game, for a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.behaviour_indices import Index
    from intent.analysis.compare import Settings
    from intent.logs.gamelog import GameLog

__all__ = ["indices_of"]


def indices_of(
    log: GameLog, rows: pd.DataFrame, factors: Sequence[str], settings: Settings, seed: int
) -> tuple[list[Index], list[str]]:
    """Internal variability, cross-language inconsistency, volatility over rounds, sensitivity to payoff.

    Parameters
    ----------
    log : GameLog
    rows : DataFrame
        What is compared: only games of it count.
    factors : columns that make the groups; one, whose values are compared
    settings : Settings
    seed : int

    Raises
    ------
    UsageError
        No factor or several.
    """
    import numpy as np

    from intent.analysis.behaviour_cells import outcome_of
    from intent.analysis.behaviour_indices import behaviour_indices
    from intent.analysis.behaviour_radar import AXES
    from intent.analysis.played import played
    from intent.analysis.stakes import stakes_column

    if len(factors) != 1:
        raise UsageError("--indices are of one column, expected one --by COLUMN, such as --by model")
    if "game_id" not in rows.columns:
        raise UsageError("--indices are of games, but rows are players: labels of games have them")
    factor = factors[0]
    table = played(log)
    if factor not in table.columns:
        raise UsageError(f"--indices by {factor}: the log has no such column")
    table = table[table["game_id"].astype(str).isin(set(rows["game_id"].map(str)))]
    found, missing = [], []
    rng = np.random.default_rng(seed)
    for game in sorted(map(str, table["game"].unique())):
        part = table[(table["game"] == game).to_numpy()].reset_index(drop=True)
        part = part.assign(game_id=part["game_id"].cat.remove_unused_categories())
        column = stakes_column(part, None)
        own = behaviour_indices(
            part,
            game=game,
            model=factor,
            stakes=None if column == factor else column,
            outcome=outcome_of(part),
            bootstrap=settings.bootstrap,
            level=settings.level,
            rng=rng,
        )
        found += own
        lacking = [name for name in AXES if name not in {index.index for index in own}]
        missing += [f"indices of {game}: no cell gives {', '.join(lacking)}"] if lacking else []
    return found, missing
