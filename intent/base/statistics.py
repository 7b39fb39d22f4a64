"""Statistics that know no game: groups of rows, errors and intervals where rows of one cluster hang together.

Groups, their covariance when rows of one cluster are no independent observations, and the cluster
bootstrap.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UnknownNameError, UsageError

__all__ = [
    "BOOTSTRAP",
    "MAX_GROUPS",
    "NONE",
    "PERCENTILES",
    "VARIED",
    "WILSON",
    "ClusterSums",
    "Grouping",
    "Interval",
    "bootstrap_means",
    "clopper_pearson",
    "cluster_bootstrap",
    "cluster_bootstrap_of",
    "cluster_codes",
    "cluster_covariance",
    "cluster_totals",
    "cluster_totals_of",
    "distinct_rows",
    "exact_share",
    "group_influence",
    "group_name",
    "grouping",
    "interval_words",
    "n_effective",
    "pooled_freedom",
    "resampled_sums",
    "sandwich",
    "score_ends",
    "share_intervals",
    "share_intervals_of",
    "stream_of_test",
    "student",
    "two_way_variance",
]

_CHUNK = 1 << 22
"""Bootstrap weights held at a time; bounds memory at 32 MiB."""

_BLOCK = 1 << 16
"""Drawn clusters held at a time; they stay in the processor's cache."""

VARIED = 1e-6
"""A standard error below this part of the data's own is that of a resample in which nothing varies: it is
the root of a difference of sums, which is no closer to zero than rounding lets it be."""

_DRAWS_PER_COUNT = 8
"""A multinomial count costs as much as the drawing of so many clusters, or more."""


WILSON = "Wilson's for the effective number"
BOOTSTRAP = "bootstrap-t"
PERCENTILES = "percentiles of the bootstrap"
"""What captions call `share_intervals`, `cluster_bootstrap` and quantiles of resamples."""


def interval_words(level: float, method: str, unit: str = "") -> str:
    """What the intervals of a figure are, for its caption: level, method, what is independent.

    Examples
    --------
    >>> interval_words(0.95, BOOTSTRAP, "games")
    '95 % intervals (bootstrap-t, whole games taken as independent)'
    """
    independent = f", whole {unit} taken as independent" if unit else ""
    return f"{level * 100:g} % intervals ({method}{independent})"


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its interval (NaN where the data give none)."""

    estimate: float
    low: float
    high: float


def bootstrap_means(
    values: NDArray[np.float64], clusters: NDArray[np.intp], samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Means of resampled clusters.

    With the C clusters' sums s_c and sizes m_c, and counts w of C draws with replacement,
    mean* = sum_c w_c s_c / sum_c w_c m_c.

    Parameters
    ----------
    values : (n, k) float
    clusters : (n,) int
    samples : int
    rng : Generator

    Returns
    -------
    (samples, k) float

    References
    ----------
    Davison & Hinkley (1997), Bootstrap Methods and their Application, §3.8; Cameron, Gelbach & Miller
    (2008), Review of Economics and Statistics 90:414 (pairs cluster bootstrap).
    """
    sums = resampled_sums(cluster_totals(values, clusters), samples, rng)
    return np.asarray(sums[:, 1:] / sums[:, :1])


def resampled_sums(
    totals: NDArray[np.float64], samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """(samples, k) sums over C clusters drawn with replacement, of their (C, k) totals.

    Clusters with the same totals are exchangeable, so where many are alike the counts are drawn over the
    distinct ones, from the multinomial that their numbers give: the same distribution at a fraction of the
    cost. Where most differ, clusters are drawn one by one.
    """
    return _drawn_sums(*np.unique(totals, axis=0, return_counts=True), samples, rng)


def _drawn_sums(
    distinct: NDArray[np.float64], numbers: NDArray[np.int64], samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """(samples, k) sums over clusters drawn with replacement, of (d, k) distinct totals and their numbers."""
    n_clusters = int(numbers.sum())
    sums = np.empty((samples, distinct.shape[1]))
    alike = n_clusters >= _DRAWS_PER_COUNT * len(distinct)
    step = max(1, _CHUNK // len(distinct) if alike else _BLOCK // n_clusters)
    kind = np.arange(0) if alike else np.repeat(np.arange(len(distinct)), numbers)
    for start in range(0, samples, step):
        size = min(step, samples - start)
        if alike:
            counts = rng.multinomial(n_clusters, numbers / n_clusters, size=size)
        else:
            drawn = kind[rng.integers(n_clusters, size=(size, n_clusters))]
            drawn += len(distinct) * np.arange(size)[:, None]
            counts = np.bincount(drawn.ravel(), minlength=size * len(distinct)).reshape(size, -1)
        sums[start : start + size] = counts.astype(float) @ distinct
    return sums


def cluster_bootstrap(
    values: NDArray[np.float64],
    clusters: NDArray[np.intp],
    *,
    samples: int,
    level: float,
    rng: np.random.Generator,
) -> list[Interval]:
    """Studentised bootstrap intervals (bootstrap-t) of the means of the columns of `values`.

    1. se^2 = sum_c (s_c - m_c mean)^2 / n^2, of the data and of every resample.
    2. t* = (mean* - mean) / se*; resamples in which nothing varies have none and are left out.
    3. The interval is mean - se t*(upper quantile) to mean - se t*(lower quantile).

    Percentiles of mean* itself are too short where clusters are few or means skewed. One cluster says nothing
    of its spread: its intervals are NaN.

    Parameters
    ----------
    values : (n, k) float
    clusters : (n,) int
    samples : int
    level : float in (0, 1)
    rng : Generator

    Returns
    -------
    list of k Interval

    References
    ----------
    Davison & Hinkley (1997), §5.2; Cameron, Gelbach & Miller (2008), §III (bootstrap-t with clusters).
    """
    return cluster_bootstrap_of(ClusterSums.of(values, clusters), samples=samples, level=level, rng=rng)


def cluster_bootstrap_of(
    totals: ClusterSums, *, samples: int, level: float, rng: np.random.Generator
) -> list[Interval]:
    """`cluster_bootstrap` from the totals of clusters.

    Parameters
    ----------
    totals : ClusterSums of k values
    samples : int
    level : float in (0, 1)
    rng : Generator
    """
    estimates, k = totals.means, totals.sums.shape[1]
    if totals.n_clusters == 1:
        return [Interval(float(e), np.nan, np.nan) for e in estimates]
    size = totals.sizes[:, None]
    centred = totals.sums - size * estimates
    kinds, where = np.unique(
        np.concatenate([size, centred, centred**2, centred * size, size**2], axis=1),
        axis=0,
        return_inverse=True,
    )
    numbers = np.bincount(where.ravel(), weights=totals.numbers).astype(np.int64)
    drawn = _drawn_sums(kinds, numbers, samples, rng)
    n, sums, squares, crossed, sizes = np.split(drawn, [1, 1 + k, 1 + 2 * k, 1 + 3 * k], axis=1)
    shift = sums / n
    se = np.sqrt(np.maximum(squares - 2 * shift * crossed + shift**2 * sizes, 0.0)) / n
    own = np.sqrt(totals.total(centred**2)) / totals.n
    return [
        _studentised(float(e), float(own[j]), shift[:, j], se[:, j], (1 - level) / 2)
        for j, e in enumerate(estimates)
    ]


def _studentised(
    estimate: float, own: float, shift: NDArray[np.float64], se: NDArray[np.float64], tail: float
) -> Interval:
    varied = se > VARIED * own
    if not own > 0 or not varied.any():
        return Interval(estimate, estimate, estimate)
    low, high = np.quantile(shift[varied] / se[varied], [tail, 1 - tail])
    return Interval(
        estimate, min(estimate - own * float(high), estimate), max(estimate - own * float(low), estimate)
    )


def n_effective(values: NDArray[np.float64], clusters: NDArray[np.intp]) -> float:
    """Number of independent rows that would tell the means as well as these clustered ones.

    n_eff = sum_k s_k^2 / sum_k V_k, at most n, with s_k^2 the variance of column k over rows (p (1 - p)
    for outcomes counted whole) and V_k = sum_c (s_ck - m_c mean_k)^2 / n^2 the variance of its mean
    under the cluster bootstrap (first order, hence free of Monte-Carlo noise). n / n_eff is Kish's
    design effect. Where rows differ but clusters do not (each game has one cooperator and one defector),
    n_eff = n: rows of a cluster balance each other. Where nothing varies at all, or there is one cluster,
    V tells nothing, and each cluster counts as one observation.

    Parameters
    ----------
    values : (n, k) float
    clusters : (n,) int

    References
    ----------
    Kish (1965), Survey Sampling, §8.2.
    """
    n = len(values)
    totals = cluster_totals(values, clusters)
    centred = totals[:, 1:] - totals[:, :1] * values.mean(axis=0)
    variance = float((centred**2).sum()) / n**2
    spread = float(((values - values.mean(axis=0)) ** 2).mean(axis=0).sum())
    scale = max(float(np.abs(values).max(initial=0.0)), 1e-300) ** 2
    if spread <= 1e-20 * scale or len(totals) == 1:
        return float(len(totals))
    return float(n) if variance * n <= spread else spread / variance


def cluster_totals(values: NDArray[np.float64], clusters: NDArray[np.intp]) -> NDArray[np.float64]:
    """(C, 1 + k): size of each cluster, then the sums of its values."""
    codes = np.unique(clusters, return_inverse=True)[1]
    columns = [np.bincount(codes), *(np.bincount(codes, weights=column) for column in values.T)]
    return np.stack(columns, axis=1).astype(float)


_ZERO = 1e-12


def share_intervals(
    weights: NDArray[np.float64],
    clusters: NDArray[np.intp],
    *,
    level: float,
    free: int | None = None,
    also: NDArray[np.intp] | None = None,
) -> list[Interval]:
    """Score intervals of the shares of outcomes, for clustered rows.

    1. V_k = C / (C - 1) sum_c (s_ck - m_c p_k)^2 / n^2, the variance of share k over C clusters. Its design
       effect, V_k over the variance that n independent rows would have, is taken to be at least that of all
       outcomes together, and at least 1: the few clusters that hold a rare outcome cannot tell their own.
    2. With n_k = p_k (1 - p_k) / V_k and t the quantile of (C - 1) (K - 1) degrees of freedom, K the outcomes
       that occur (each tells of the design effect; at least C - 1), the ends are Wilson's
       (p + t^2 / 2n -+ t [p (1 - p) / n + t^2 / 4n^2]^1/2) / (1 + t^2 / n).
    3. Rows that are all equal, 0 and 1 among them, have no variance, which is no certainty: C clusters
       without another value leave it a probability of at most q = 1 - ((1 - level) / 2)^(1/C); the ends are
       p - q p and p + q (1 - p); at 0 and 1 that is the exact binomial interval with one observation per
       cluster. One cluster that is split between outcomes says nothing: [0, 1].

    The percentile bootstrap, which they replace, is too short for shares near 0 or 1 and for few clusters
    (`benchmarks/comparison.py` shows both).

    Parameters
    ----------
    weights : (n, k) float in [0, 1]
    clusters : (n,) int
    level : float in (0, 1)
    free : int, optional
        Degrees of freedom, in place of those above.
    also : (n,) int, optional
        Second way of clusters: V_k is then that of `two_way_variance`, with one degree less than the fewer
        clusters.

    Returns
    -------
    list of k Interval

    References
    ----------
    Wilson (1927), JASA 22:209; Franco et al. (2019), Journal of Survey Statistics and Methodology 7:334
    (intervals of shares in clustered samples); Clopper & Pearson (1934), Biometrika 26:404.
    """
    if also is None:
        return share_intervals_of(ClusterSums.of(weights, clusters), level=level, free=free)
    n, p = len(weights), np.clip(weights.mean(axis=0), 0.0, 1.0)
    fewest = min(len(np.unique(clusters)), len(np.unique(also)))
    low, high = np.zeros_like(p), np.ones_like(p)
    if fewest > 1:
        between = fewest / (fewest - 1) * two_way_variance((weights - p) / n, clusters, also)
        within = ((weights - p) ** 2).sum(axis=0) / n**2
        low, high = _spread(p, _at_least_together(between, within), fewest, level, student(level, fewest - 1))
    return _with_ends(p, low, high, fewest, level)


def share_intervals_of(shares: ClusterSums, *, level: float, free: int | None = None) -> list[Interval]:
    """`share_intervals` from the totals of clusters.

    Parameters
    ----------
    shares : ClusterSums of k outcomes
    level : float in (0, 1)
    free : int, optional
        Degrees of freedom, in place of those of `share_intervals`.
    """
    n, n_clusters = shares.n, shares.n_clusters
    p = np.clip(shares.means, 0.0, 1.0)
    low, high = np.zeros_like(p), np.ones_like(p)
    if n_clusters > 1:
        centred = shares.sums - shares.sizes[:, None] * p
        between = n_clusters / (n_clusters - 1) * shares.total(centred**2) / n**2
        within = shares.squares(p) / n**2
        free = (n_clusters - 1) * pooled_freedom(shares.sums) if free is None else free
        low, high = _spread(p, _at_least_together(between, within), n_clusters, level, student(level, free))
    return _with_ends(p, low, high, n_clusters, level)


def _with_ends(
    p: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], n_clusters: int, level: float
) -> list[Interval]:
    """Intervals, those of shares of 0 and 1 by the exact binomial."""
    reach = _unseen(n_clusters, level)
    low, high = np.where(p < _ZERO, 0.0, low), np.where(p < _ZERO, reach, high)
    low, high = np.where(p > 1 - _ZERO, 1 - reach, low), np.where(p > 1 - _ZERO, 1.0, high)
    p = np.where(p < _ZERO, 0.0, np.where(p > 1 - _ZERO, 1.0, p))
    return [Interval(float(e), float(a), float(b)) for e, a, b in zip(p, low, high, strict=True)]


def _unseen(n_clusters: int, level: float) -> float:
    """The largest probability, at the level on one side, of a value that no cluster had."""
    return float(1 - ((1 - level) / 2) ** (1 / n_clusters))


def _spread(
    p: NDArray[np.float64], variance: NDArray[np.float64], n_clusters: int, level: float, t: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wilson's ends, and those of values that are all equal, as far as rounding lets them be."""
    low, high = _wilson(p, variance, t)
    equal, reach = variance < _ZERO**2, _unseen(n_clusters, level)
    return np.where(equal, p - reach * p, low), np.where(equal, p + reach * (1 - p), high)


def pooled_freedom(weights: NDArray[np.float64]) -> int:
    """Number of outcomes that occur, less one; at least 1.

    Parameters
    ----------
    weights : (n, k) float, of rows or of clusters
    """
    return max(1, int(weights.any(axis=0).sum()) - 1)


def _at_least_together(between: NDArray[np.float64], within: NDArray[np.float64]) -> NDArray[np.float64]:
    """Variances whose design effect is at least that of all outcomes together."""
    total = float(within.sum())
    together = max(1.0, float(between.sum()) / total) if total > 0 else 1.0
    return np.maximum(between, within * together)


def _wilson(
    p: NDArray[np.float64], variance: NDArray[np.float64], t: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    with np.errstate(divide="ignore", invalid="ignore"):
        n = np.where(variance > 0, p * (1 - p) / variance, np.inf)
        middle = (p + t**2 / (2 * n)) / (1 + t**2 / n)
        half = t / (1 + t**2 / n) * np.sqrt(p * (1 - p) / n + t**2 / (4 * n**2))
    return np.minimum(np.maximum(middle - half, 0.0), p), np.maximum(np.minimum(middle + half, 1.0), p)


def student(level: float, free: int) -> float:
    """The quantile of Student's t, of one degree of freedom or more, with (1 - level) / 2 beyond it."""
    from scipy.special import stdtrit

    return float(stdtrit(max(free, 1), (1 + level) / 2))


def score_ends(p: float, variance: float, t: float) -> tuple[float, float]:
    """Ends of the score interval of an estimated share whose variance is known apart from it.

    Wilson's ends (p + t^2 / 2n -+ t [p (1 - p) / n + t^2 / 4n^2]^1/2) / (1 + t^2 / n) for as many
    observations as the variance is worth, n = q (1 - q) / variance. q is the share, or where it lies within t
    standard errors of 0 or 1 the point at that distance: nearer to the edge n would fall to 0, and the
    interval hold everything.

    Parameters
    ----------
    p : float in (0, 1)
    variance : float > 0
    t : float

    References
    ----------
    Wilson (1927), JASA 22:209; Franco et al. (2019), Journal of Survey Statistics and Methodology 7:334.

    Examples
    --------
    >>> [round(end, 3) for end in score_ends(0.25, 0.25 * 0.75 / 40, 1.96)]
    [0.142, 0.402]
    >>> [round(end, 4) for end in score_ends(0.001, 0.006**2, 1.96)]
    [0.0001, 0.0137]
    """
    reach = min(t * math.sqrt(variance), 0.5)
    q = min(max(p, reach), 1 - reach)
    n = q * (1 - q) / variance
    middle, half = p + t**2 / (2 * n), t * math.sqrt(p * (1 - p) / n + t**2 / (4 * n**2))
    return max((middle - half) / (1 + t**2 / n), 0.0), min((middle + half) / (1 + t**2 / n), 1.0)


def exact_share(hits: int, n: int, *, level: float = 0.95) -> Interval:
    """The share of `hits` among `n` with its exact binomial interval; NaN where n is 0."""
    low, high = clopper_pearson(np.array([hits]), np.array([n]), level=level)
    return Interval(hits / n if n else float("nan"), float(low[0]), float(high[0]))


def clopper_pearson(
    hits: NDArray[np.int64], n: NDArray[np.int64], *, level: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exact binomial intervals, each computed once for all equal counts; NaN where n is 0.

    With k hits of n and alpha = 1 - level, low is the alpha/2 quantile of Beta(k, n - k + 1), 0 at k = 0;
    high is the 1 - alpha/2 quantile of Beta(k + 1, n - k), 1 at k = n.

    Parameters
    ----------
    hits, n : (m,) int64
    level : float in (0, 1)

    References
    ----------
    Clopper & Pearson 1934, Biometrika 26:404.
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    base = int(n.max(initial=0)) + 1
    codes, places = np.unique(n * base + hits, return_inverse=True)
    m, k = (part.astype(float) for part in divmod(codes, base))
    none = np.full(len(k), np.nan)
    low, high = none.copy(), none.copy()
    inner = (k > 0) & (m > 0)
    low[(k == 0) & (m > 0)] = 0.0
    low[inner] = betaincinv(k[inner], m[inner] - k[inner] + 1, tail)
    inner = (k < m) & (m > 0)
    high[(k == m) & (m > 0)] = 1.0
    high[inner] = betaincinv(k[inner] + 1, m[inner] - k[inner], 1 - tail)
    return low[places], high[places]


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
