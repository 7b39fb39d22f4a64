"""Means of metrics by group: over all trajectories, and over those with an occasion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.bootstrap import Interval
from intent.analysis.means import STANDARD, Intervals, mean_interval_of
from intent.analysis.metrics.group_sums import GroupSums, group_sums

__all__ = ["GroupMeans", "Mean", "group_means", "means_of_groups"]

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
    units: NDArray[np.intp] | None = None,
) -> list[GroupMeans]:
    """Means with intervals that resample whole games, or other units.

    A mean at the end of its range is the same in every resample; its interval then reaches as far as the
    exact binomial one with one observation per unit.

    Parameters
    ----------
    table : DataFrame as `schema.METRICS`
    by : columns that make the groups
    names : numeric columns; ``<name>_n`` is the denominator where there is one
    rng : Generator
    intervals : Intervals
    units : (n,) int, what is independent; default: the game

    Raises
    ------
    UnknownNameError, UsageError
        Columns that make no groups (`grouping`).
    """
    return means_of_groups(group_sums(table, by, names, units), names, rng=rng, intervals=intervals)


def means_of_groups(
    sums: GroupSums, names: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> list[GroupMeans]:
    """`group_means` from the totals of groups.

    Parameters
    ----------
    sums : GroupSums
    names : metrics, in the order in which their intervals draw from `rng`
    rng : Generator
    intervals : Intervals
    """
    found = []
    values = sums.grouping().values if sums.groups else ()
    for value, group in zip(values, sums.groups, strict=True):
        means = {}
        for name in names:
            if name not in group.metrics:
                continue
            totals = group.metrics[name]
            bounds = _NO_BOUNDS.get(name, _BOUNDS.get(name, (0.0, 1.0)))
            made = partial(mean_interval_of, rng=rng, intervals=intervals, bounds=bounds)
            every = made(totals.every)
            occasion = every
            if not totals.occasion.n:
                occasion = Interval(np.nan, np.nan, np.nan)
            elif totals.occasion.n < totals.every.n:
                occasion = made(totals.occasion)
            means[name] = Mean(every, totals.occasion.n, occasion, totals.every.n)
        found.append(GroupMeans(value, group.n, group.n_games, means))
    return found
