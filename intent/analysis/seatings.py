"""The play of a log by kind of agent: who a seat is, and whom it meets."""

from __future__ import annotations

import numpy as np
import pandas as pd

from intent.analysis.groups import NONE
from intent.analysis.played import played
from intent.logs.gamelog import GameLog

__all__ = ["AGAINST", "seated", "temptation"]

AGAINST = " v "
"""Joins the two agents of a pairing, in the order of their names."""


def seated(log: GameLog, *, keep_defaulted: bool = False) -> pd.DataFrame:
    """Every move of the games of two players, with the agents that met.

    Parameters
    ----------
    log : GameLog
    keep_defaulted : bool, as for `played`

    Returns
    -------
    DataFrame
        As `played`, with game_id as text, and: agent (the strategy where the seat is scripted, else its
        architecture, else its model), other (that of the other seat), agents (both, joined by `AGAINST`).
    """
    table = played(log, keep_defaulted=keep_defaulted)
    table = table[(table["n_players"] == 2).to_numpy()].reset_index(drop=True)
    who = _agents(log)
    keys = pd.MultiIndex.from_arrays([table["game_id"].astype(object), table["seat"]])
    mirror = pd.MultiIndex.from_arrays([table["game_id"].astype(object), 3 - table["seat"]])
    agent = who.reindex(keys).fillna(NONE).to_numpy(dtype=object)
    other = who.reindex(mirror).fillna(NONE).to_numpy(dtype=object)
    both = [AGAINST.join(sorted((str(a), str(b)))) for a, b in zip(agent, other, strict=True)]
    return table.assign(game_id=table["game_id"].astype(str), agent=agent, other=other, agents=both)


def temptation(log: GameLog) -> pd.Series[float]:
    """By game_id: what the second action pays against the first, x of the parameterised game.

    NaN where the payoffs are not those of a symmetric game of two players.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, Table 3.
    """
    from intent.analysis.stakes import stage
    from intent.games.matrix import MatrixGame

    texts = log.games["payoffs"]
    found: dict[str, float] = {}
    for text in texts.dropna().unique():
        made = stage(text)
        if isinstance(made, MatrixGame) and made.is_symmetric:
            found[text] = made.payoffs[1][0][0]
    values = [found.get(text, np.nan) if isinstance(text, str) else np.nan for text in texts]
    return pd.Series(values, index=pd.Index(log.games["game_id"].astype(str)), dtype=float)


def _agents(log: GameLog) -> pd.Series[str]:
    """By game_id and seat."""
    seats = log.seats
    chosen = seats["strategy"].astype(object)
    for name in ("architecture", "model"):
        chosen = chosen.where(chosen.notna(), seats[name].astype(object))
    index = pd.MultiIndex.from_arrays([seats["game_id"].astype(object), seats["seat"].astype(np.intp)])
    return pd.Series(chosen.to_numpy(dtype=object), index=index)
