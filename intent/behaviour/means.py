"""Means of a number over the cells of a design, with intervals clustered by game.

Means of metrics by group: over all trajectories, and over those with an occasion.

Totals of metrics by group, which add up over the pieces of a table to those of the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from intent.base.statistics import (
    NONE,
    ClusterSums,
    Grouping,
    Interval,
    cluster_bootstrap_of,
    cluster_codes,
    grouping,
    share_intervals,
    share_intervals_of,
    two_way_variance,
)
from intent.estimate.design_units import design_units

__all__ = [
    "STANDARD",
    "GroupMeans",
    "GroupSums",
    "Intervals",
    "Mean",
    "MetricSums",
    "SumsOfGroup",
    "added_sums",
    "cell_means",
    "group_means",
    "group_sums",
    "mean_interval",
    "means_of",
    "means_of_groups",
]


@dataclass(frozen=True)
class Intervals:
    """How intervals are made.

    Parameters
    ----------
    samples : int
        Of the cluster bootstrap, for means without bounds.
    level : float in (0, 1)
    """

    samples: int = 2000
    level: float = 0.95


STANDARD = Intervals()
"""2,000 samples, 95 %."""


def cell_means(
    table: pd.DataFrame,
    by: Sequence[str],
    value: str,
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
    bounds: tuple[float, float] | None = None,
    cluster: str | None = None,
) -> pd.DataFrame:
    """Mean of `value` in every cell that has rows, ordered by `by`.

    Parameters
    ----------
    table : DataFrame
        Columns of `by`, `value` (NaN: left out), and game_id or `cluster`.
    by : sequence of str
        A null makes a cell of its own.
    bounds : (low, high), optional
        The least and the largest possible value: intervals are then those of shares (`share_intervals`),
        which stay within them, and reach beyond a mean of exactly one of them.
    cluster : str, optional
        Rows with the same value here are no independent observations; default as `design_units`: subjects
        (sessions, two ways) where players return, else games.

    Returns
    -------
    DataFrame
        `by`, then n (rows), n_games (games, or values of `cluster`), estimate, low, high; low and high are
        NaN where all rows come from one cluster.
    """
    known = table[table[value].notna()]
    if cluster is None:
        unit = design_units(known, conditions=False).unit
        codes, also = unit.codes, unit.also
    else:
        codes, also = pd.factorize(known[cluster])[0], None
    games = pd.factorize(known["game_id" if cluster is None else cluster])[0]
    values = known[value].to_numpy(dtype=float)
    rows = []
    for cell, places in _cells(known, by):
        mean = mean_interval(
            values[places],
            codes[places],
            rng=rng,
            intervals=intervals,
            bounds=bounds,
            also=None if also is None else also[places],
        )
        n_clusters = len(np.unique(games[places]))
        rows.append((*cell, len(places), n_clusters, mean.estimate, mean.low, mean.high))
    return pd.DataFrame(rows, columns=[*by, "n", "n_games", "estimate", "low", "high"])


def means_of(
    table: pd.DataFrame,
    by: Sequence[str],
    values: Mapping[str, ArrayLike],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
    bounds: tuple[float, float] | None = (0.0, 1.0),
    column: str = "measure",
) -> pd.DataFrame:
    """Means of several numbers of the same rows, one below the other.

    Parameters
    ----------
    table : DataFrame
        Columns of `by` and game_id.
    values : mapping of name -> (n,) numbers of the rows; NaN: left out
    bounds : (low, high), optional
    column : str
        Holds the names.

    Returns
    -------
    DataFrame
        `by`, `column`, then as `cell_means`, in the order of `values`; those without any number are left out.
    """
    parts = []
    for name, numbers in values.items():
        rows = table.assign(_value=np.asarray(numbers, dtype=float))
        means = cell_means(rows, by, "_value", rng=rng, intervals=intervals, bounds=bounds)
        means.insert(len(by), column, name)
        parts.append(means)
    parts = [part for part in parts if len(part)] or parts[:1]
    if parts:
        return pd.concat(parts, ignore_index=True)
    return pd.DataFrame(columns=[*by, column, "n", "n_games", "estimate", "low", "high"])


def mean_interval(
    values: NDArray[np.float64],
    clusters: NDArray[np.intp],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
    bounds: tuple[float, float] | None = None,
    also: NDArray[np.intp] | None = None,
) -> Interval:
    """Mean of numbers, with the interval that `cell_means` gives a cell.

    Parameters
    ----------
    values, clusters : (n,), rows of the same cluster are no independent observations
    bounds : (low, high), optional
        The least and the largest possible value.
    also : (n,) int, optional
        Second way of clusters: the interval is then that of `share_intervals` (with bounds), or Student's
        with the error of both ways and one degree of freedom less than the fewer clusters.
    """
    if also is not None:
        return _two_way(values, clusters, also, intervals.level, bounds)
    sums = ClusterSums.of(values[:, None], clusters)
    return mean_interval_of(sums, rng=rng, intervals=intervals, bounds=bounds)


def _two_way(
    values: NDArray[np.float64],
    clusters: NDArray[np.intp],
    also: NDArray[np.intp],
    level: float,
    bounds: tuple[float, float] | None,
) -> Interval:
    from scipy.special import stdtrit

    if bounds is not None:
        low, span = bounds[0], bounds[1] - bounds[0]
        (one,) = share_intervals((values[:, None] - low) / span, clusters, level=level, also=also)
        return Interval(*(low + span * x for x in (one.estimate, one.low, one.high)))
    mean = float(values.mean())
    fewest = min(len(np.unique(clusters)), len(np.unique(also)))
    if fewest < 2:
        return Interval(mean, float("nan"), float("nan"))
    variance = two_way_variance((values - mean)[:, None] / len(values), clusters, also)[0]
    reach = float(stdtrit(fewest - 1, (1 + level) / 2) * (fewest / (fewest - 1) * variance) ** 0.5)
    return Interval(mean, mean - reach, mean + reach)


def mean_interval_of(
    sums: ClusterSums,
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
    bounds: tuple[float, float] | None = None,
) -> Interval:
    """`mean_interval` from the totals of clusters.

    Parameters
    ----------
    sums : ClusterSums of one value
    bounds : (low, high), optional
        The least and the largest possible value.
    """
    if bounds is None or sums.n_clusters == 1:
        return cluster_bootstrap_of(sums, samples=intervals.samples, level=intervals.level, rng=rng)[0]
    low, high = bounds
    span = high - low
    scaled = share_intervals_of(sums.scaled(low, span), level=intervals.level)[0]
    return Interval(*(low + span * x for x in (scaled.estimate, scaled.low, scaled.high)))


def _cells(table: pd.DataFrame, by: Sequence[str]) -> list[tuple[tuple[Any, ...], NDArray[np.intp]]]:
    """Values and rows of every cell, in order."""
    if not by or table.empty:
        return [((), np.arange(len(table)))] if len(table) and not by else []
    keys = {name: _sortable(table[name]) for name in by}
    groups = pd.DataFrame(keys).groupby(list(by), sort=True, observed=True).indices
    return [
        (cell if isinstance(cell, tuple) else (cell,), np.asarray(places, dtype=np.intp))
        for cell, places in groups.items()
    ]


def _sortable(column: pd.Series[Any]) -> pd.Series[Any]:
    """The column with nulls as `NONE`, and as text where its values are of several types."""
    plain = column.astype(object)
    if plain.isna().any():
        plain = plain.where(plain.notna(), NONE)
    numbers = plain.map(lambda cell: isinstance(cell, int | float | np.number) and not isinstance(cell, bool))
    return plain if numbers.all() else plain.astype(str)


@dataclass(frozen=True, eq=False)
class MetricSums:
    """Totals of a metric in a group.

    Parameters
    ----------
    every : ClusterSums, over trajectories that have a value
    occasion : ClusterSums, over those of them with an occasion; the same object where those are all
    """

    every: ClusterSums
    occasion: ClusterSums


@dataclass(frozen=True, eq=False)
class SumsOfGroup:
    """Totals of one group.

    Parameters
    ----------
    n, n_games : trajectories, and games they come from
    metrics : metric -> MetricSums, of those with a value in the group
    """

    n: int
    n_games: int
    metrics: dict[str, MetricSums]


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Totals of all groups.

    Parameters
    ----------
    cells : DataFrame of the columns that make the groups, a row for each
    groups : tuple of SumsOfGroup, in the same order
    """

    cells: pd.DataFrame
    groups: tuple[SumsOfGroup, ...]

    def grouping(self) -> Grouping:
        """The groups, in the order of `groups`."""
        return grouping(self.cells, [str(name) for name in self.cells.columns])


def group_sums(
    table: pd.DataFrame,
    by: Sequence[str],
    names: Sequence[str],
    units: NDArray[np.intp] | None = None,
) -> GroupSums:
    """Totals of the games of a table, or of other units, by group.

    Parameters
    ----------
    table : DataFrame as `codebook.METRICS`, all rows of each of its games
    by : columns that make the groups
    names : numeric columns; ``<name>_n`` is the denominator where there is one
    units : (n,) int, what is independent; default: the game. Parts with other units do not add up.

    Raises
    ------
    UnknownNameError, UsageError
        Columns that make no groups (`grouping`).
    """
    groups = grouping(table, by)
    games = cluster_codes(table, ["game_id"])
    places = [np.flatnonzero(groups.codes == code) for code in range(len(groups))] if len(table) else []
    first = np.array([rows[0] for rows in places], dtype=np.intp)
    cells = _plain(table[list(by)].iloc[first].reset_index(drop=True))
    there = [len(np.unique(games[rows])) for rows in places]
    clusters = games if units is None else units
    own = [np.unique(clusters[rows], return_inverse=True)[1].reshape(-1) for rows in places]
    by_place: list[dict[str, MetricSums]] = [{} for _ in places]
    for name in names:
        value = table[name].to_numpy(dtype=float, na_value=np.nan)
        occasions = table[f"{name}_n"].to_numpy() > 0 if f"{name}_n" in table else None
        for rows, codes, metrics in zip(places, own, by_place, strict=True):
            with_one = None if occasions is None else occasions[rows]
            sums = _metric_sums(value[rows], with_one, codes)
            if sums is not None:
                metrics[name] = sums
    return GroupSums(
        cells,
        tuple(
            SumsOfGroup(len(rows), n_games, metrics)
            for rows, n_games, metrics in zip(places, there, by_place, strict=True)
        ),
    )


def added_sums(parts: Iterable[GroupSums]) -> GroupSums:
    """Totals of the groups of all parts, which have no game in common, in the order of `grouping`.

    Raises
    ------
    UsageError
        More values than make groups.
    """
    several = [part for part in parts if part.groups]
    if not several:
        return GroupSums(pd.DataFrame(), ())
    cells = pd.concat([part.cells for part in several], ignore_index=True)
    rows = [group for part in several for group in part.groups]
    groups = grouping(cells.reindex(range(len(rows))), list(cells.columns))
    places = [np.flatnonzero(groups.codes == code) for code in range(len(groups))]
    return GroupSums(
        cells.iloc[[some[0] for some in places]].reset_index(drop=True),
        tuple(_group([rows[i] for i in some]) for some in places),
    )


def _metric_sums(
    value: NDArray[np.float64], with_occasion: NDArray[np.bool_] | None, games: NDArray[np.intp]
) -> MetricSums | None:
    known = ~np.isnan(value)
    if not known.any():
        return None
    every = ClusterSums.of(value[known, None], games[known]).merged()
    if with_occasion is None or with_occasion[known].all():
        return MetricSums(every, every)
    some = known & with_occasion
    return MetricSums(every, ClusterSums.of(value[some, None], games[some]).merged())


def _group(parts: Sequence[SumsOfGroup]) -> SumsOfGroup:
    """The sum of a group's parts."""
    if len(parts) == 1:
        return parts[0]
    names = dict.fromkeys(name for part in parts for name in part.metrics)
    return SumsOfGroup(
        sum(part.n for part in parts),
        sum(part.n_games for part in parts),
        {name: _metric([p.metrics[name] for p in parts if name in p.metrics]) for name in names},
    )


def _metric(parts: Sequence[MetricSums]) -> MetricSums:
    every = ClusterSums.joined(part.every for part in parts)
    if all(part.occasion is part.every for part in parts):
        return MetricSums(every, every)
    return MetricSums(every, ClusterSums.joined(part.occasion for part in parts))


def _plain(cells: pd.DataFrame) -> pd.DataFrame:
    """Columns that can be put below those of another part: unordered categories by their values."""
    kinds: dict[str, Any] = {
        str(name): column.cat.categories.dtype
        for name, column in cells.items()
        if isinstance(column.dtype, pd.CategoricalDtype) and not column.cat.ordered
    }
    return cells.astype(kinds)


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
    table : DataFrame as `codebook.METRICS`
    by : columns that make the groups
    names : numeric columns; ``<name>_n`` is the denominator where there is one
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
    names : metrics, in the order in which their intervals draw from `rng`
    """
    groups = []
    values = sums.grouping().values if sums.groups else ()
    for value, group in zip(values, sums.groups, strict=True):
        means = {}
        for name in names:
            if name not in group.metrics:
                continue
            totals = group.metrics[name]
            bounds = _NO_BOUNDS.get(name, _BOUNDS.get(name, (0.0, 1.0)))
            interval = partial(mean_interval_of, rng=rng, intervals=intervals, bounds=bounds)
            every = interval(totals.every)
            occasion = every
            if not totals.occasion.n:
                occasion = Interval(np.nan, np.nan, np.nan)
            elif totals.occasion.n < totals.every.n:
                occasion = interval(totals.occasion)
            means[name] = Mean(every, totals.occasion.n, occasion, totals.every.n)
        groups.append(GroupMeans(value, group.n, group.n_games, means))
    return groups
