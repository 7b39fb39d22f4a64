"""Means of metrics by group: over all trajectories, and over those with an occasion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from intent.analysis.bootstrap import Interval
from intent.analysis.groups import cluster_codes, grouping
from intent.analysis.means import STANDARD, Intervals, mean_interval

__all__ = ["GroupMeans", "Mean", "group_means"]

_NO_BOUNDS = {"mean_payoff": None}
_BOUNDS = {"end_effect": (-1.0, 1.0)}


@dataclass(frozen=True)
class Mean:
    """Mean of a metric over the trajectories of a group.

    Parameters
    ----------
    all : Interval, over trajectories that have a value, 0 where there was no occasion
    n : int, trajectories with an occasion
    occasion : Interval, over these
    valued : int, trajectories that have a value
    """

    all: Interval
    n: int
    occasion: Interval
    valued: int


@dataclass(frozen=True)
class GroupMeans:
    """One group.

    Parameters
    ----------
    values : value of each column that makes the groups
    n, n_games : trajectories, and games they come from
    means : mapping of metric -> Mean, of those with a value in the group
    """

    values: tuple[Any, ...]
    n: int
    n_games: int
    means: dict[str, Mean]


def group_means(
    table: pd.DataFrame,
    by: Sequence[str],
    names: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> list[GroupMeans]:
    """Means with intervals that resample whole games.

    A mean at the end of its range is the same in every resample; its interval then reaches as far as the
    exact binomial one with one observation per game.

    Parameters
    ----------
    table : DataFrame as `schema.METRICS`
    by : columns that make the groups
    names : numeric columns; ``<name>_n`` is the denominator where there is one
    rng : Generator
    intervals : Intervals

    Raises
    ------
    UnknownNameError, UsageError
        Columns that make no groups (`grouping`).
    """
    groups = grouping(table, by)
    games = cluster_codes(table, ["game_id"])
    if not len(table):
        return []
    found = []
    for code, values in enumerate(groups.values):
        rows = np.flatnonzero(groups.codes == code)
        means = {}
        for name in names:
            value = table[name].to_numpy(dtype=float, na_value=np.nan)[rows]
            known = ~np.isnan(value)
            if not known.any():
                continue
            some = known & (table[f"{name}_n"].to_numpy()[rows] > 0) if f"{name}_n" in table else known
            bounds = _NO_BOUNDS.get(name, _BOUNDS.get(name, (0.0, 1.0)))
            made = partial(mean_interval, rng=rng, intervals=intervals, bounds=bounds)
            every = made(value[known], games[rows][known])
            occasion = every
            if not some.any():
                occasion = Interval(np.nan, np.nan, np.nan)
            elif some.sum() < known.sum():
                occasion = made(value[some], games[rows][some])
            means[name] = Mean(every, int(some.sum()), occasion, int(known.sum()))
        found.append(GroupMeans(values, len(rows), len(np.unique(games[rows])), means))
    return found
