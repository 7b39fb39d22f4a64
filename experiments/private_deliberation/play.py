"""The play of a log by who met whom, and the numbers that the study prints of such play."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from intent.base.experiments import published_values
from intent.base.statistics import NONE
from intent.behaviour.play_table import played
from intent.logs.gamelog import GameLog

if TYPE_CHECKING:
    from intent.behaviour.means import Intervals


__all__ = [
    "AGAINST",
    "BANDS",
    "INFERRED",
    "ITERATIONS",
    "PUBLISHED",
    "TABLE_2",
    "Play",
    "PublishedUtility",
    "in_words",
    "named_groups",
    "over_x",
    "paged",
    "panel_of",
    "read_play",
    "seated",
    "temptation",
    "without_x",
]


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
        """The moves of its subjects, which `intent.behaviour.play_table` tells."""
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
    from intent.base.errors import UsageError
    from intent.behaviour.means import Intervals

    table = seated(log)
    if not len(table):
        raise UsageError("no game of two players in the log, expected games of private and public agents")
    ids = table["game_id"]
    planned = log.games.set_index(log.games["game_id"].astype(str))["rounds_planned"]
    played = table.groupby("game_id", observed=True)["round"].transform("max")
    table = table.assign(
        asked=ids.map(_models(log)).fillna(_NOBODY),
        iterations=ids.map(planned).astype(float).fillna(played).astype(int),
        x=ids.map(temptation(log)).where(over_x(table)),
    )
    of_models = table[table["asked"] != _NOBODY]
    more = ["asked"] if of_models["asked"].nunique() > 1 else []
    more += [name for name in ("iterations", "language") if table[name].nunique(dropna=False) > 1]
    return Play(log, table, ["game", "agents", *more], np.random.default_rng(seed), Intervals(bootstrap))


def _models(log: GameLog) -> pd.Series[str]:
    """By game_id, the names of its language models."""
    seats = log.seats[log.seats["model"].notna()]
    names = seats.groupby(seats["game_id"].astype(str), observed=True)["model"]
    return names.agg(lambda models: " + ".join(sorted(set(map(str, models)))))


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


@dataclass(frozen=True)
class PublishedUtility:
    """Mean ± standard deviation of payoffs over 10 games of 15 iterations.

    Parameters
    ----------
    panel : str
        Figure and panel.
    game : str, as in the catalogue
    agents : str, as in `seated`
    agent : str
    model : str
        Published model.
    mean, sd : float
    note : str
    """

    panel: str
    game: str
    agents: str
    agent: str
    model: str
    mean: float
    sd: float
    note: str = ""


_HT = "head-tail"
_CHICKEN, _BOS = "chicken", "battle-sexes-2-1"

ITERATIONS = 15
"""Of the games that are printed."""

INFERRED = {
    _CHICKEN: "payoffs 7, 6, 2, 0 inferred from the published means and deviations",
    _HT: "payoffs 1 and 0 inferred from the published means; table 1 of the study describes matching pennies",
    _BOS: "payoffs 2, 1 and 0 inferred from the published means and deviations",
}
"""Game -> what the study does not print."""


def _printed() -> list[dict[str, Any]]:
    """What the paper prints, with the conditions of each row as a mapping in ``conditions``."""
    rows = published_values(Path(__file__).parent).to_dict("records")
    return [
        {
            **{str(k): v for k, v in row.items()},
            "conditions": dict(p.split("=", 1) for p in row["row"].split(",")),
        }
        for row in rows
    ]


def _utilities(printed: Sequence[Mapping[str, Any]]) -> tuple[PublishedUtility, ...]:
    return tuple(
        PublishedUtility(
            str(row["table"]).removeprefix("Figure "),
            row["conditions"]["game"],
            row["conditions"]["agents"],
            row["conditions"]["agent"],
            row["conditions"]["model"],
            row["value"],
            row["spread"],
            row["note"],
        )
        for row in printed
        if row["column"] == "utility"
    )


_PRINTED = _printed()

PUBLISHED = _utilities(_PRINTED)
"""References: Poje et al. 2024, Entropy 26:524, figures 7 and 8."""

TABLE_2 = {row["conditions"]["game"]: row["note"] for row in _PRINTED if row["table"] == "Table 2"}
"""Game -> the kind of equilibrium that the study says is played."""


def panel_of(game: str, agents: str, iterations: int = ITERATIONS) -> str:
    """The published panels of such games, such as ``figure 7a, 7b``; empty where there are none."""
    if iterations != ITERATIONS:
        return ""
    panels = dict.fromkeys(row.panel for row in PUBLISHED if (row.game, row.agents) == (game, agents))
    return f"figure {', '.join(panels)}" if panels else ""


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
    from intent.games.game import MatrixGame, stage

    texts = log.games["payoffs"]
    known: dict[str, float] = {}
    for text in texts.dropna().unique():
        made = stage(text)
        if isinstance(made, MatrixGame) and made.is_symmetric:
            known[text] = made.payoffs[1][0][0]
    values = [known.get(text, np.nan) if isinstance(text, str) else np.nan for text in texts]
    return pd.Series(values, index=pd.Index(log.games["game_id"].astype(str)), dtype=float)


def _agents(log: GameLog) -> pd.Series[str]:
    """By game_id and seat."""
    seats = log.seats
    chosen = seats["strategy"].astype(object)
    for name in ("architecture", "model"):
        chosen = chosen.where(chosen.notna(), seats[name].astype(object))
    index = pd.MultiIndex.from_arrays([seats["game_id"].astype(object), seats["seat"].astype(np.intp)])
    return pd.Series(chosen.to_numpy(dtype=object), index=index)
