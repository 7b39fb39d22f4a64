"""Means of a number over the cells of a design, with intervals clustered by game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from intent.analysis.bootstrap import Interval, cluster_bootstrap_of
from intent.analysis.cluster_covariance import two_way_variance
from intent.analysis.cluster_sums import ClusterSums
from intent.analysis.groups import NONE
from intent.analysis.score_interval import share_intervals, share_intervals_of
from intent.analysis.unit import design_units

__all__ = ["STANDARD", "Intervals", "cell_means", "mean_interval", "mean_interval_of", "means_of"]


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
    value : str
    rng : Generator
    intervals : Intervals
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
        found = mean_interval(
            values[places],
            codes[places],
            rng=rng,
            intervals=intervals,
            bounds=bounds,
            also=None if also is None else also[places],
        )
        n_clusters = len(np.unique(games[places]))
        rows.append((*cell, len(places), n_clusters, found.estimate, found.low, found.high))
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
    by : sequence of str
    values : mapping of name -> (n,) numbers of the rows; NaN: left out
    rng : Generator
    intervals : Intervals
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
        found = cell_means(rows, by, "_value", rng=rng, intervals=intervals, bounds=bounds)
        found.insert(len(by), column, name)
        parts.append(found)
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
    rng : Generator
    intervals : Intervals
    bounds : (low, high), optional
        The least and the largest possible value.
    also : (n,) int, optional
        Second way of clusters: the interval is then that of `share_intervals` (with bounds), or Student's
        with the error of both ways and one degree of freedom less than the fewer clusters.
    """
    if also is not None:
        return _two_way(values, clusters, also, intervals.level, bounds)
    found = ClusterSums.of(values[:, None], clusters)
    return mean_interval_of(found, rng=rng, intervals=intervals, bounds=bounds)


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
    found: ClusterSums,
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
    bounds: tuple[float, float] | None = None,
) -> Interval:
    """`mean_interval` from the totals of clusters.

    Parameters
    ----------
    found : ClusterSums of one value
    rng : Generator
    intervals : Intervals
    bounds : (low, high), optional
        The least and the largest possible value.
    """
    if bounds is None or found.n_clusters == 1:
        return cluster_bootstrap_of(found, samples=intervals.samples, level=intervals.level, rng=rng)[0]
    low, high = bounds
    span = high - low
    made = share_intervals_of(found.scaled(low, span), level=intervals.level)[0]
    return Interval(*(low + span * x for x in (made.estimate, made.low, made.high)))


def _cells(table: pd.DataFrame, by: Sequence[str]) -> list[tuple[tuple[Any, ...], NDArray[np.intp]]]:
    """Values and rows of every cell, in order."""
    if not by or table.empty:
        return [((), np.arange(len(table)))] if len(table) and not by else []
    keys = {name: _sortable(table[name]) for name in by}
    groups = pd.DataFrame(keys).groupby(list(by), sort=True).indices
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
