"""Quality of the moves behind a result: how many were defaulted, missing, or refused at first."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["Quality", "move_quality", "quality_of"]

_LISTS = ("unread", "refused")
"""Keys of details that list the replies to a move that could not be read; the second in logs of tables of
models before the first was written for every architecture."""

_COUNTS = ["n_moves", "defaulted", "missing", "refused"]


@dataclass(frozen=True)
class Quality:
    """Shares of moves.

    Parameters
    ----------
    defaulted : float
        A default replaced a reply that could not be read.
    missing : float
        No move is known.
    refused : float or None
        Moves of which a reply was refused before one was taken; None where the log does not keep that.
    n_moves : int
        What they are shares of.
    """

    defaulted: float
    missing: float
    refused: float | None
    n_moves: int = 0

    def __str__(self) -> str:
        parts = [f"{self.defaulted:.2%} defaulted", f"{self.missing:.2%} missing"]
        return ", ".join([*parts, *([] if self.refused is None else [f"{self.refused:.2%} refused"])])


def move_quality(log: GameLog) -> pd.DataFrame:
    """Moves of every seat, and how many of them are not as the player gave them at once.

    Parameters
    ----------
    log : GameLog

    Returns
    -------
    DataFrame
        One row per game_id and seat: n_moves, defaulted, missing, refused (float, NaN where no move of the
        seat's record tells; a move counts once, however many replies were refused).
    """
    moves = log.moves
    status = moves["status"].astype(object)
    table = pd.DataFrame(
        {
            "game_id": moves["game_id"].astype(object).map(str),
            "seat": moves["seat"].to_numpy(dtype=np.int64),
            "n_moves": 1,
            "defaulted": (status == "defaulted").to_numpy(dtype=np.int64),
            "missing": (status == "missing").to_numpy(dtype=np.int64),
            "refused": _refused(moves),
        }
    )
    grouped = table.groupby(["game_id", "seat"], sort=False)
    counts = grouped[_COUNTS[:3]].sum()
    counts["refused"] = grouped["refused"].sum(min_count=1).astype(float)
    return counts.reset_index()


def quality_of(quality: pd.DataFrame) -> Quality | None:
    """Shares over some rows of `move_quality`; None without moves.

    A share of refused moves is over the seats whose record tells.
    """
    n = int(quality["n_moves"].sum())
    if not n:
        return None
    told = quality["refused"].notna()
    of_told = int(quality.loc[told, "n_moves"].sum())
    return Quality(
        float(quality["defaulted"].sum()) / n,
        float(quality["missing"].sum()) / n,
        float(quality.loc[told, "refused"].sum()) / of_told if of_told else None,
        n,
    )


def _refused(moves: pd.DataFrame) -> Any:
    """(n,) float: 1 where details list unread replies, 0 where they list none, NaN where they do not say.

    A log that lists refusals and never an empty list writes down those that were: there a move with a reply
    that lists none had none.
    """
    if "details" not in moves.columns:
        return np.full(len(moves), np.nan)
    codes, texts = pd.factorize(moves["details"].astype(object))
    told = np.array([*(_refusals(text) for text in texts), np.nan])
    found = told[codes]
    if "reply" in moves.columns and (told == 1).any() and not (told == 0).any():
        found[np.isnan(found) & moves["reply"].notna().to_numpy()] = 0.0
    return found


def _refusals(text: object) -> float:
    try:
        found = json.loads(str(text))
    except (ValueError, RecursionError):
        return float("nan")
    if not isinstance(found, dict):
        return float("nan")
    listed = [value for value in map(found.get, _LISTS) if isinstance(value, list)]
    return float(any(listed)) if listed else float("nan")
