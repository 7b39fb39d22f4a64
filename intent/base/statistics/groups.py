"""Groups of rows, and covariance of estimates when rows of one cluster are no independent observations.

A group is the distinct values of one or several columns, in an order that stays the same. Totals of clusters
are all that means and intervals need to know, and they add up over the pieces of a log.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UnknownNameError, UsageError

__all__ = [
    "MAX_GROUPS",
    "NONE",
    "ClusterSums",
    "Grouping",
    "cluster_codes",
    "cluster_covariance",
    "cluster_totals_of",
    "distinct_rows",
    "group_influence",
    "group_name",
    "grouping",
    "sandwich",
    "stream_of_test",
    "two_way_variance",
]


NONE = "(none)"
"""The group of rows that have no value."""

MAX_GROUPS = 50
_MAX_FRACTIONS = 20


@dataclass(frozen=True, eq=False)
class Grouping:
    """A partition of rows.

    Parameters
    ----------
    columns : tuple of str
        The factors; none makes one group of all rows.
    values : tuple of tuples
        The value of every factor, one tuple per group, sorted.
    codes : (n,) intp
        Group of each row.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    codes: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.values)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(groups, k) sums of (n, k) values."""
        columns = [np.bincount(self.codes, weights=column, minlength=len(self)) for column in values.T]
        return np.stack(columns, axis=1).astype(float)


def grouping(table: pd.DataFrame, columns: Sequence[str]) -> Grouping:
    """Rows grouped by the joint values of columns; only combinations that occur make a group.

    Raises
    ------
    UnknownNameError
        A column that the table does not have; the nearest names are suggested.
    UsageError
        A column is named twice, has more than 50 distinct values, or is a continuous number.
    """
    codes = np.zeros(len(table), dtype=np.intp)
    levels: list[tuple[Any, ...]] = []
    for i, column in enumerate(columns):
        if column not in table.columns:
            raise UnknownNameError("column", column, map(str, table.columns))
        if column in columns[:i]:
            raise UsageError(f"column {column!r} is named twice, expected different columns to group by")
        own, own_levels = _levels(table[column], column)
        codes = codes * len(own_levels) + own
        levels.append(own_levels)
    present, codes = np.unique(codes, return_inverse=True)
    shape = tuple(len(own_levels) for own_levels in levels)
    places = np.unravel_index(present, shape) if shape else ()
    values = tuple(tuple(levels[i][p] for i, p in enumerate(place)) for place in zip(*places, strict=True))
    return Grouping(tuple(columns), values or ((),), codes)


def cluster_codes(table: pd.DataFrame, columns: Sequence[str]) -> NDArray[np.intp]:
    """(n,), number of the cluster of each row; a row with a null is a cluster of its own.

    No columns: every row is a cluster.

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    """
    codes = np.zeros(len(table), dtype=np.intp) if columns else np.arange(len(table))
    alone = np.zeros(len(table), dtype=bool)
    for column in columns:
        if column not in table.columns:
            raise UnknownNameError("column", column, map(str, table.columns))
        own, values = pd.factorize(_hashable(table[column]))
        alone |= own < 0
        codes = np.unique(codes * (len(values) + 1) + own, return_inverse=True)[1]
    codes[alone] = len(table) + np.arange(alone.sum())
    return np.unique(codes, return_inverse=True)[1]


def distinct_rows(table: pd.DataFrame) -> tuple[NDArray[np.intp], list[tuple[Any, ...]]]:
    """Code of each row, and the distinct rows in the order in which they first occur, nulls as None.

    Parameters
    ----------
    table : DataFrame, of any number of rows, none included, and at least one column
    """
    if not len(table):  # of no rows pandas 2 makes no MultiIndex
        return np.zeros(0, dtype=np.intp), []
    codes, rows = pd.factorize(pd.MultiIndex.from_frame(table.astype(object)))
    return codes, [tuple(None if pd.isna(cell) else cell for cell in row) for row in rows]


def _levels(column: pd.Series[Any], name: str) -> tuple[NDArray[np.intp], tuple[Any, ...]]:
    """Code of each row and the sorted distinct values, nulls last as `NONE`."""
    column = _hashable(column)
    if isinstance(column.dtype, pd.CategoricalDtype) and not column.cat.ordered:
        column = column.astype(column.cat.categories.dtype)
    raw, uniques = pd.factorize(column, sort=not isinstance(column.dtype, pd.CategoricalDtype))
    if isinstance(column.dtype, pd.CategoricalDtype):
        present = np.flatnonzero(
            np.bincount(column.cat.codes[raw >= 0], minlength=len(column.cat.categories))
        )
        rank = np.searchsorted(present, column.cat.codes)
        raw = np.where(raw >= 0, rank, -1)
        uniques = column.cat.categories[present]
    levels = [value.item() if isinstance(value, np.generic) else value for value in uniques]
    if isinstance(column.dtype, np.dtype) and column.dtype.kind == "f":
        whole = all(float(value).is_integer() for value in levels)
        if not whole and len(levels) > _MAX_FRACTIONS:
            raise UsageError(
                f"column {name!r} is a continuous number ({len(levels)} values), expected a column of "
                f"categories to group by; --metric {name} compares its mean"
            )
        levels = [int(value) for value in levels] if whole else levels
    if len(levels) > MAX_GROUPS:
        raise UsageError(
            f"column {name!r} has {len(levels)} distinct values, expected at most {MAX_GROUPS} to group by"
        )
    codes = np.where(raw < 0, len(levels), raw).astype(np.intp)
    return codes, tuple(levels) + ((NONE,) if (raw < 0).any() else ())


def _hashable(column: pd.Series[Any]) -> pd.Series[Any]:
    """The column, lists in it turned into text."""
    if column.dtype != object:
        return column
    cells = [" + ".join(map(str, c)) if isinstance(c, list | tuple | np.ndarray) else c for c in column]
    kinds = {type(c) for c in cells if not pd.isna(c)}
    if len(kinds) > 1:
        cells = [c if pd.isna(c) else str(c) for c in cells]
    return pd.Series(cells, index=column.index, dtype=object)


def group_name(values: Sequence[Any]) -> str:
    """A group in words: its values joined by a middle dot."""
    return " · ".join(map(str, values)) if values else "all"


def stream_of_test(seed: int, *names: str) -> np.random.Generator:
    """Random numbers of one test, named by factor and kind of unit: wherever it is shown, it has one p."""
    return np.random.default_rng([seed, *(crc32(name.encode()) for name in names)])


Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def sandwich(
    bread: Floats, scores: Floats, clusters: NDArray[np.intp], penalty: Floats | None = None
) -> Floats:
    """B (c sum_c u_c u_c' + diag(penalty)) B, u_c the summed scores of cluster c.

    c = C / (C - 1) x (n - 1) / (n - p), the usual correction for few clusters.

    Parameters
    ----------
    bread : (p, p) float
        Inverse of the negative Hessian.
    scores : (n, p) float
        Gradient of each row's log-likelihood.
    clusters : (n,) int
    penalty : (p,) float, optional
        Precisions of a normal prior that went into the estimates; what it leaves open stays open.

    References
    ----------
    Liang & Zeger (1986), Biometrika 73:13; Cameron & Miller (2015), Journal of Human Resources 50:317, §II.
    """
    codes = np.unique(clusters, return_inverse=True)[1]
    (n, p), n_clusters = scores.shape, int(codes.max()) + 1
    sums = np.zeros((n_clusters, p))
    np.add.at(sums, codes, scores)
    correction = n_clusters / max(n_clusters - 1, 1) * (n - 1) / max(n - p, 1)
    meat = correction * (sums.T @ sums) + (0.0 if penalty is None else np.diag(penalty))
    return np.asarray(bread @ meat @ bread)


def group_influence(values: Floats, codes: Codes, clusters: Codes, n_groups: int | None = None) -> Floats:
    """What each cluster adds to the errors of the means of each group.

    u_cgk = (s_cgk - m_cg mean_gk) / n_g, with m_cg rows and sum s_cgk of cluster c in group g, times
    (C_g / (C_g - 1))^1/2 over the C_g clusters that the group has, the usual correction for few of them (1 of
    a single one). The errors of the means have covariance sum_c u_c u_c'.

    Parameters
    ----------
    values : (n, k) float
        Weights of outcomes, or numbers.
    codes : (n,) int
        Group of each row.
    clusters : (n,) int
    n_groups : int, optional
        Default: as many as occur.

    Returns
    -------
    (C, groups, k) float; clusters in the order of their numbers

    References
    ----------
    Kish & Frankel (1974), Journal of the Royal Statistical Society B 36:1 (linearised variance of a ratio).
    """
    cluster = np.unique(clusters, return_inverse=True)[1]
    groups = int(codes.max()) + 1 if n_groups is None else n_groups
    place, shape = cluster * groups + codes, (int(cluster.max()) + 1, groups)
    n = np.maximum(np.bincount(codes, minlength=groups), 1).astype(float)
    sizes = np.bincount(place, minlength=shape[0] * groups).reshape(shape).astype(float)
    number = (sizes > 0).sum(axis=0)
    scale = np.sqrt(number / np.maximum(number - 1, 1)) / n
    influence = np.empty((*shape, values.shape[1]))
    for k, column in enumerate(values.T):
        sums = np.bincount(place, weights=column, minlength=sizes.size).reshape(shape)
        influence[:, :, k] = (sums - sizes * (sums.sum(axis=0) / n)) * scale
    return influence


def cluster_totals_of(influence: Floats, clusters: Codes) -> Floats:
    """(C, ...) sums of (n, ...) influences over the rows of each cluster."""
    codes = np.unique(clusters, return_inverse=True)[1]
    flat = influence.reshape(len(influence), -1)
    count = int(codes.max()) + 1
    if count == len(flat):
        sums = np.empty_like(flat)
        sums[codes] = flat
    else:
        sums = np.stack([np.bincount(codes, weights=column, minlength=count) for column in flat.T], axis=1)
    return np.asarray(sums.reshape(count, *influence.shape[1:]))


def cluster_covariance(influence: Floats, clusters: Codes, also: Codes | None = None) -> Floats:
    """Covariance of estimates from what each row adds to their errors, clustered in one way or in two.

    V = sum_c u_c u_c', u_c the summed influence of cluster c; two ways: V_1 + V_2 - V_12, V_12 clustered by
    what is equal in both, with negative eigenvalues set to zero, and no variance below the larger of the two
    one-way ones.

    Parameters
    ----------
    influence : (n, p) float
        With whatever correction for few clusters the estimates want.
    clusters : (n,) int
    also : (n,) int, optional
        The second way.

    References
    ----------
    Cameron, Gelbach & Miller (2011), Journal of Business & Economic Statistics 29:238, §2.3 (eigenvalues);
    MacKinnon, Nielsen & Webb (2021), in Handbook of Research Methods and Applications in Empirical
    Microeconomics, ch. 8 (the largest of the variances).
    """
    first = cluster_totals_of(influence, clusters)
    one = np.asarray(first.T @ first)
    if also is None:
        return one
    second = cluster_totals_of(influence, also)
    both = cluster_totals_of(influence, _crossed(clusters, also))
    two = second.T @ second
    values, vectors = np.linalg.eigh(one + two - both.T @ both)
    joined = (vectors * np.maximum(values, 0.0)) @ vectors.T
    least = np.maximum(np.diag(one), np.diag(two))
    lacking = np.maximum(least - np.diag(joined), 0.0)
    return np.asarray(joined + np.diag(lacking))


def two_way_variance(influence: Floats, clusters: Codes, also: Codes | None = None) -> Floats:
    """(...) variances of estimates from (n, ...) influences: the diagonal of `cluster_covariance`.

    The largest of the two one-way variances and of V_1 + V_2 - V_12.
    """
    one = (cluster_totals_of(influence, clusters) ** 2).sum(axis=0)
    if also is None:
        return np.asarray(one)
    two = (cluster_totals_of(influence, also) ** 2).sum(axis=0)
    both = (cluster_totals_of(influence, _crossed(clusters, also)) ** 2).sum(axis=0)
    return np.asarray(np.maximum(one + two - both, np.maximum(one, two)))


def _crossed(first: Codes, second: Codes) -> Codes:
    """(n,) clusters of what is equal in both ways."""
    one, two = (np.unique(codes, return_inverse=True)[1] for codes in (first, second))
    return np.asarray(one * (int(two.max()) + 1) + two, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """What clusters of rows hold, and how many clusters hold the same.

    With values w_i of the m_c rows of cluster c, s_c = sum w_i and r_c = sum (w_i - s_c / m_c)^2. The
    sum of squares about any centre p is then sum_c r_c + m_c (s_c / m_c - p)^2, without cancellation.

    Parameters
    ----------
    sizes : (d,) float, rows m_c
    sums, spreads : (d, k) float, s_c and r_c of k values of each row
    numbers : (d,) int64, clusters that are so
    """

    sizes: NDArray[np.float64]
    sums: NDArray[np.float64]
    spreads: NDArray[np.float64]
    numbers: NDArray[np.int64]

    @classmethod
    def of(cls, values: NDArray[np.float64], clusters: NDArray[np.intp]) -> ClusterSums:
        """Of rows, one entry per cluster in the order of their numbers.

        Parameters
        ----------
        values : (n, k) float
        clusters : (n,) int
        """
        codes = clusters
        if len(codes) and not 0 <= codes.min() <= codes.max() < 4 * len(codes):
            codes = np.unique(clusters, return_inverse=True)[1]
        counts = np.bincount(codes)
        there = counts > 0
        sizes = np.maximum(counts, 1).astype(float)
        sums, spreads = [], []
        for column in values.T:
            total = np.bincount(codes, weights=column)
            apart = column - (total / sizes)[codes]
            sums.append(total[there] + 0.0)
            spreads.append(np.bincount(codes, weights=apart * apart)[there])
        shape = (int(there.sum()), values.shape[1])
        return cls(
            sizes[there],
            np.array(sums).reshape(shape[::-1]).T,
            np.array(spreads).reshape(shape[::-1]).T,
            np.ones(shape[0], dtype=np.int64),
        )

    @classmethod
    def joined(cls, parts: Iterable[ClusterSums]) -> ClusterSums:
        """Of all clusters of the parts, as `merged`: the same whatever the parts are."""
        every = list(parts)
        whole = cls(
            *(
                np.concatenate([getattr(part, name) for part in every])
                for name in ("sizes", "sums", "spreads", "numbers")
            )
        )
        return whole.merged()

    def merged(self) -> ClusterSums:
        """Each distinct entry once, sorted by size, sums and spreads."""
        columns = [self.sizes, *self.sums.T, *self.spreads.T]
        codes = np.zeros(len(self.sizes), dtype=np.intp)
        for column in columns:
            if (column == column[:1]).all():
                continue
            own, levels = pd.factorize(column)
            codes = pd.factorize(codes * len(levels) + own)[0] if codes.any() else own
        first = np.flatnonzero(~pd.Series(codes).duplicated().to_numpy())
        order = np.lexsort([column[first] for column in reversed(columns)])
        numbers = np.bincount(codes, weights=self.numbers, minlength=len(first)).astype(np.int64)
        rows = first[order]
        return ClusterSums(self.sizes[rows], self.sums[rows], self.spreads[rows], numbers[order])

    def scaled(self, low: float, span: float) -> ClusterSums:
        """Of the values less `low`, over `span`."""
        if (low, span) == (0.0, 1.0):
            return self
        sums = (self.sums - self.sizes[:, None] * low) / span
        return ClusterSums(self.sizes, sums, self.spreads / span**2, self.numbers)

    @property
    def n(self) -> int:
        """Rows."""
        return int((self.sizes * self.numbers).sum())

    @property
    def n_clusters(self) -> int:
        """Clusters."""
        return int(self.numbers.sum())

    @property
    def means(self) -> NDArray[np.float64]:
        """(k,) means over rows."""
        return self.total(self.sums) / self.n

    def total(self, entries: NDArray[np.float64]) -> NDArray[np.float64]:
        """(k,) sums over all clusters of (d, k) entries."""
        sums: NDArray[np.float64] = np.ascontiguousarray((entries * self.numbers[:, None]).T).sum(axis=1)
        return sums

    def squares(self, centres: NDArray[np.float64]) -> NDArray[np.float64]:
        """(k,) sums over rows of the squared distances of the values from (k,) centres."""
        size = self.sizes[:, None]
        return self.total(self.spreads + size * (self.sums / size - centres) ** 2)
