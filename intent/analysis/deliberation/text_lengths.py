"""How much players write in private and in public."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from intent.analysis.means import STANDARD, Intervals, cell_means
from intent.logs.gamelog import GameLog

__all__ = ["TEXTS", "text_lengths", "thought_lengths"]

TEXTS = {"private_thought": "private", "message": "public"}
"""Column of the moves -> kind of text."""


def thought_lengths(log: GameLog) -> pd.DataFrame:
    """Characters that every player wrote in a game, of each kind of text that the log has.

    Returns
    -------
    DataFrame
        game_id, seat, text (private or public), characters (sum over the game), moves. A player without any
        such text has 0.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, figure 6.
    """
    moves = log.moves
    parts = []
    keys = [moves["game_id"].astype(str).rename("game_id"), moves["seat"].astype(np.intp).rename("seat")]
    for column, text in TEXTS.items():
        if column not in moves.columns:
            continue
        sizes = moves[column].astype(object).map(lambda cell: len(cell) if isinstance(cell, str) else 0)
        sums = sizes.astype(float).groupby(keys).agg(["sum", "count"]).reset_index()
        parts.append(sums.rename(columns={"sum": "characters", "count": "moves"}).assign(text=text))
    columns = ["game_id", "seat", "text", "characters", "moves"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def text_lengths(
    table: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """Mean characters per player and game.

    Parameters
    ----------
    table : DataFrame
        As `thought_lengths`, with the columns `by`.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        `by`, text, then as `cell_means`.
    """
    return cell_means(table, [*by, "text"], "characters", rng=rng, intervals=intervals)
