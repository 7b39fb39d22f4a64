"""The play that the results of private deliberation are made of, in the groups that they are made for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.analysis.means import Intervals
    from intent.logs.gamelog import GameLog

__all__ = ["BANDS", "Play", "named_groups", "read_play"]

BANDS = "Bands and lines: 95 % bootstrap intervals that resample whole games."

_X_GAME = "x-parameterised"
_NOBODY = "none"
"""Model of a game between strategies."""


@dataclass(frozen=True, eq=False)
class Play:
    """A log of games between agents.

    Parameters
    ----------
    log : GameLog
    table : DataFrame
        As `seated`, with asked (the language models of the game), iterations (rounds planned), and x.
    by : list of str
        What tells groups apart: game and agents, then models, iterations, language where they vary.
    rng : Generator
    intervals : Intervals
    """

    log: GameLog
    table: pd.DataFrame
    by: list[str]
    rng: np.random.Generator
    intervals: Intervals

    @property
    def how(self) -> dict[str, Any]:
        """Keywords of everything that has intervals."""
        return {"rng": self.rng, "intervals": self.intervals}

    @property
    def fixed(self) -> pd.DataFrame:
        """The play of games without the parameter x."""
        return self.table[~self.table["game"].str.startswith(_X_GAME)]

    @property
    def over_x(self) -> pd.DataFrame:
        """The play of the x-parameterised game."""
        return self.table[self.table["game"].str.startswith(_X_GAME)]

    @property
    def models(self) -> pd.DataFrame:
        """The moves of language models."""
        return self.table[self.table["focal"]]

    def groups(self, table: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
        """Values of `by` and the rows that have them."""
        for cell, part in table.groupby(self.by, observed=True, sort=True):
            yield dict(zip(self.by, cell, strict=True)), part

    def keyed(self, facts: pd.DataFrame) -> pd.DataFrame:
        """A table with game_id and seat, with `by` and agent added; rows of no known seat are dropped."""
        names = ["game_id", "seat", "agent", "other", *self.by]
        seats = self.table[names].drop_duplicates(["game_id", "seat"])
        return facts.merge(seats, on=["game_id", "seat"], how="inner")


def read_play(log: GameLog, *, seed: int, bootstrap: int) -> Play:
    """The play of a log.

    Raises
    ------
    UsageError
        No game of two players.
    """
    import numpy as np

    from intent.analysis.means import Intervals
    from intent.analysis.seatings import seated, temptation
    from intent.errors import UsageError

    table = seated(log)
    if not len(table):
        raise UsageError("no game of two players in the log, expected games of private and public agents")
    ids = table["game_id"]
    planned = log.games.set_index(log.games["game_id"].astype(str))["rounds_planned"]
    played = table.groupby("game_id")["round"].transform("max")
    table = table.assign(
        asked=ids.map(_models(log)).fillna(_NOBODY),
        iterations=ids.map(planned).astype(float).fillna(played).astype(int),
        x=ids.map(temptation(log)).where(table["game"].str.startswith(_X_GAME)),
    )
    asked = table[table["asked"] != _NOBODY]
    more = ["asked"] if asked["asked"].nunique() > 1 else []
    more += [name for name in ("iterations", "language") if table[name].nunique(dropna=False) > 1]
    return Play(log, table, ["game", "agents", *more], np.random.default_rng(seed), Intervals(bootstrap))


def _models(log: GameLog) -> pd.Series[str]:
    """By game_id, the names of its language models."""
    seats = log.seats[log.seats["model"].notna() & log.seats["strategy"].isna()]
    names = seats.groupby(seats["game_id"].astype(str))["model"]
    return names.agg(lambda found: " + ".join(sorted(set(map(str, found)))))


def named_groups(table: pd.DataFrame, by: list[str]) -> pd.Series[str]:
    """Values of several columns in one text."""
    text = table[by[0]].astype(str)
    for name in by[1:]:
        text = text + ", " + table[name].astype(str)
    return text
