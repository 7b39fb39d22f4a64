"""Labels and sums of the seats of a log, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent import schema
from intent.logs.gamelog import GameLog
from intent.logs.trajectories import Trajectories
from intent.recognise.base import Recogniser
from intent.recognise.labels import label_table
from intent.recognise.verdict import LabelSettings

__all__ = ["SUMS", "WHY", "Judge", "focal_trajectories", "label_columns", "seat_sums"]

WHY = (
    "no cooperative action",
    "no readable move",
    "more than two players: --others any, majority or all says how to read the others",
)
"""Why a game has no labels."""

SUMS = ("moves_played", "total_payoff", "mean_payoff", "cooperation_rate", "defaulted", "missing")
"""Columns that are counted of the play of a seat."""


@dataclass(frozen=True, eq=False)
class Judge:
    """How a library labels play.

    Parameters
    ----------
    name : str
        Of the recogniser.
    recogniser : fitted Recogniser whose classes are catalogue strategies
    settings : LabelSettings
    others : {"any", "majority", "all"} or None
        With more than two players, when the others count as having cooperated; None leaves such games
        without labels.
    keep_defaulted : bool
    seed : int
        Of the test of fit of stochastic strategies: labels are those of ``intent label --seed``.
    """

    name: str
    recogniser: Recogniser
    settings: LabelSettings = field(default_factory=LabelSettings)
    others: str | None = None
    keep_defaulted: bool = False
    seed: int = 0

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the strategies."""
        return tuple(str(c) for c in self.recogniser.classes_)

    def labels(self, log: GameLog) -> pd.DataFrame:
        """Labels of a log: game_id, seat, and the computed columns of `schema.LABELS`."""
        return self.labels_of(self.play(log))

    def play(self, log: GameLog) -> Trajectories:
        """The play that is labelled."""
        return focal_trajectories(log, self.others, keep_defaulted=self.keep_defaulted)

    def labels_of(self, X: Trajectories) -> pd.DataFrame:
        """Labels of such play."""
        return label_table(X, self.recogniser, self.settings, np.random.default_rng(self.seed))

    def why_not(self, log: GameLog, seat: int) -> str | None:
        """Why a seat of a log of one game has no label; None where it has one."""
        row = log.seats[log.seats["seat"] == seat]
        if not len(row) or not bool(row["focal"].iloc[0]):
            return "known only as the opponent of another seat"
        if not log.has_cooperation().any():
            return WHY[0] if log.games["cooperative_action"].isna().iloc[0] else WHY[1]
        if self.others is None and int(log.games["n_players"].iloc[0]) > 2:
            return WHY[2]
        return None


def focal_trajectories(log: GameLog, others: str | None, *, keep_defaulted: bool = False) -> Trajectories:
    """The play of the focal seats, with game_id and seat alone as keys.

    Games of more than two players are left out unless `others` says how to read them.
    """
    X = log.trajectories(keep_defaulted=keep_defaulted)
    assert X.keys is not None
    if X.other_share is not None:
        if others is None:
            two = log.games.loc[log.games["n_players"] == 2, "game_id"]
            X = X[X.keys["game_id"].isin(two).to_numpy()]
        X = X.read_others(others or "any")
    assert X.keys is not None
    X.keys = X.keys[["game_id", "seat"]]
    return X


def label_columns(classes: tuple[str, ...]) -> dict[str, str]:
    """Name -> kind of the columns that a library takes from labels."""
    kinds = {"strings": "list", "string": "text", "int": "whole", "float": "number", "bool": "bool"}
    columns = {
        c.name: kinds[c.kind] for c in schema.LABELS if c.name not in ("game_id", "seat") and not c.optional
    }
    return {**columns, **{schema.PROBABILITY_PREFIX + name: "number" for name in classes}}


def seat_sums(log: GameLog) -> pd.DataFrame:
    """Payoffs, cooperation and unread moves of every seat: game_id, seat and `SUMS`."""
    moves, seats = log.moves, log.seats
    places = pd.Index(log.games["game_id"])
    width = int(seats["seat"].max()) + 1 if len(seats) else 1
    game = np.asarray(moves["game_id"].cat.codes, dtype=np.intp)
    key = game * width + moves["seat"].to_numpy(dtype=np.intp)
    row = places.get_indexer(pd.Index(seats["game_id"])) * width + seats["seat"].to_numpy(dtype=np.intp)

    def total(weights: NDArray[Any]) -> NDArray[np.float64]:
        counted: NDArray[np.float64] = np.bincount(key, weights, minlength=len(places) * width)[row]
        return counted

    payoff = moves["payoff"].to_numpy(dtype=float, na_value=np.nan)
    cooperated = moves["cooperated"].to_numpy(dtype=float, na_value=np.nan)
    paid, known = total(~np.isnan(payoff)), total(~np.isnan(cooperated))
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = np.where(paid > 0, total(np.nan_to_num(payoff)), np.nan)
        return pd.DataFrame(
            {
                "game_id": seats["game_id"],
                "seat": seats["seat"],
                "moves_played": total(np.ones(len(moves))),
                "total_payoff": sums,
                "mean_payoff": sums / paid,
                "cooperation_rate": np.where(known > 0, total(np.nan_to_num(cooperated)) / known, np.nan),
                "defaulted": total((moves["status"] == "defaulted").to_numpy(dtype=float)),
                "missing": total((moves["status"] == "missing").to_numpy(dtype=float)),
            }
        )
