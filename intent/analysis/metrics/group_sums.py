"""Totals of metrics by group, which add up over the pieces of a table to those of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.cluster_sums import ClusterSums
from intent.analysis.groups import Grouping, cluster_codes, grouping

__all__ = ["GroupSums", "MetricSums", "SumsOfGroup", "added_sums", "group_sums"]


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
    table : DataFrame as `schema.METRICS`, all rows of each of its games
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
    found: list[dict[str, MetricSums]] = [{} for _ in places]
    for name in names:
        value = table[name].to_numpy(dtype=float, na_value=np.nan)
        occasions = table[f"{name}_n"].to_numpy() > 0 if f"{name}_n" in table else None
        for rows, codes, metrics in zip(places, own, found, strict=True):
            with_one = None if occasions is None else occasions[rows]
            sums = _metric_sums(value[rows], with_one, codes)
            if sums is not None:
                metrics[name] = sums
    return GroupSums(
        cells,
        tuple(
            SumsOfGroup(len(rows), n_games, metrics)
            for rows, n_games, metrics in zip(places, there, found, strict=True)
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
