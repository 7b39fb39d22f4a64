"""The play that the results of private deliberation are made of, in the groups that they are made for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.analysis.means import Intervals
    from intent.logs.gamelog import GameLog

__all__ = ["BANDS", "Play", "in_words", "named_groups", "over_x", "paged", "read_play", "without_x"]

BANDS = "Bands and lines: 95 % intervals that take whole games as independent."

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
        return self.table[~over_x(self.table)]

    @property
    def over_x(self) -> pd.DataFrame:
        """The play of the x-parameterised game."""
        return self.table[over_x(self.table)]

    @property
    def models(self) -> pd.DataFrame:
        """The moves of its subjects, which `intent.analysis.subjects` tells."""
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
        x=ids.map(temptation(log)).where(over_x(table)),
    )
    asked = table[table["asked"] != _NOBODY]
    more = ["asked"] if asked["asked"].nunique() > 1 else []
    more += [name for name in ("iterations", "language") if table[name].nunique(dropna=False) > 1]
    return Play(log, table, ["game", "agents", *more], np.random.default_rng(seed), Intervals(bootstrap))


def _models(log: GameLog) -> pd.Series[str]:
    """By game_id, the names of its language models."""
    seats = log.seats[log.seats["model"].notna()]
    names = seats.groupby(seats["game_id"].astype(str))["model"]
    return names.agg(lambda found: " + ".join(sorted(set(map(str, found)))))


def over_x(table: pd.DataFrame) -> pd.Series[bool]:
    """Rows of the x-parameterised game."""
    return table["game"].str.startswith(_X_GAME)


def without_x(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the other games, where there are some: what a figure by game has room for."""
    fixed = table[~over_x(table)]
    return fixed if len(fixed) else table


def paged(items: Sequence[Any], size: int) -> Iterator[tuple[str, Sequence[Any]]]:
    """Parts of at most `size` items, for figures that people can read, each with the end of its name."""
    for start in range(0, len(items), size):
        yield "" if len(items) <= size else f"-{start // size + 1}", items[start : start + size]


def in_words(name: str, value: object) -> str:
    """A value of a column of `Play.by`, understood without the column's name."""
    return f"{value} iterations" if name == "iterations" else str(value)


def named_groups(table: pd.DataFrame, by: list[str]) -> pd.Series[str]:
    """Values of several columns in one text; after the first, only those that tell rows apart."""
    text = table[by[0]].astype(str)
    for name in by[1:]:
        if table[name].nunique(dropna=False) > 1:
            text = text + ", " + table[name].map(lambda value, name=name: in_words(name, value))
    return text
