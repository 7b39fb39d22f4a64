"""Whether the strategies that a foreign table names are played, or what its players say.

A table of somebody else's may name strategies of scripted opponents, which are no subjects
(`intent.logs.gamelog.subjects`), or those that people wrote down (Dal Bó & Fréchette 2019; Romero & Rosokha
2018), who are. Where all seats have a strategy, all count, so only a column that is filled in part is looked
at; a seat with a model is the model's. What is named is what players say where

1. players have a strategy in some of their games and none in others, with no model: who is scripted is so
   in all (a table whose players are as few as the seats of a game names seats, and tells nothing), or
2. no seat has a model, whole games are of named strategies, and moves of these are ones that the named
   strategy never makes. In games among scripted players each move is the strategy's.

Else the strategies are played, and those who leave their seats out say so.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from intent.base.errors import IntentError
from intent.base.wording import counted
from intent.logs.gamelog import GameLog, is_scripted
from intent.strategies.catalogue import strategy
from intent.strategies.likelihood import deviations

__all__ = ["STATED", "with_statements"]

STATED = "stated_strategy"
"""The column of what players say that they play."""


def with_statements(log: GameLog, mapping: Mapping[str, str]) -> GameLog:
    """The log, its strategies under `STATED` where they are what players say.

    Parameters
    ----------
    mapping : by which the user names columns; ``strategy`` among them says that strategies are played
    """
    if "strategy" in mapping or "strategy" not in log.seats.columns or STATED in log.seats.columns:
        return log
    focal = log.seats[log.seats["focal"].to_numpy(dtype=bool)]
    named = is_scripted(focal)
    if named.all() or not named.any():
        return log
    reason = _changing(focal, named) or _contradicted(log, focal, named)
    if not reason:
        return log
    note = (
        f"strategies are read as what players say, in column {STATED}: {reason} "
        "(--map strategy=NAME, with the name of the column, reads their seats as played by strategies)"
    )
    notes = [*log.provenance.get("notes", ()), note]
    seats = log.seats.rename(columns={"strategy": STATED})
    provenance = {**log.provenance, "notes": notes}
    return GameLog(log.games, seats, log.moves, log.questions, provenance=provenance, rejects=log.rejects)


def _changing(seats: pd.DataFrame, named: np.ndarray) -> str:
    """What players have a strategy in some games only, empty if none."""
    players = seats["player"].astype(object)
    if players.nunique() <= seats.groupby("game_id", observed=True).size().max():
        return ""
    bare = ~named
    if "model" in seats.columns:
        bare &= seats["model"].isna().to_numpy()
    both = set(players[named].dropna()) & set(players[bare].dropna())
    return f"{counted(len(both), 'player')} with a strategy in some games and none in others" if both else ""


def _contradicted(log: GameLog, seats: pd.DataFrame, named: np.ndarray) -> str:
    """What moves of games among named strategies are not theirs, empty if none or if it cannot be known."""
    if "model" in seats.columns and seats["model"].notna().any():
        return ""
    whole = pd.Series(named).groupby(seats["game_id"].astype(str).to_numpy()).agg(["all", "size"])
    games = whole.index[whole["all"] & (whole["size"] > 1)]
    if not len(games):
        return ""
    play = log.trajectories()
    if play.keys is None or play.implementation_error is not None:
        return ""
    inside = play.keys["game_id"].astype(str).isin(games).to_numpy()
    n_moves, n_games = 0, set[str]()
    for name, rows in play.keys[inside].groupby("strategy", observed=True).indices.items():
        try:
            one = strategy(str(name))
            part = play[np.flatnonzero(inside)[rows]]
            counts = deviations(part.own, part.other, part.evidence, [one], part.decided)[:, 0]
        except IntentError:
            continue
        n_moves += int(counts.sum())
        assert part.keys is not None
        n_games |= set(part.keys["game_id"][counts > 0].astype(str))
    if not n_moves:
        return ""
    moves = counted(n_moves, "move")
    return f"{moves} that the named strategy never makes, in {counted(len(n_games), 'game')}"
