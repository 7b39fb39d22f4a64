"""Cluster bootstrap: intervals of means when rows of one game are no independent observations.

Intervals of shares when rows of one game are no independent observations: Wilson's, clustered.

Exact intervals of shares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics.groups import ClusterSums, two_way_variance

__all__ = [
    "VARIED",
    "Interval",
    "bootstrap_means",
    "clopper_pearson",
    "cluster_bootstrap",
    "cluster_bootstrap_of",
    "cluster_totals",
    "exact_share",
    "n_effective",
    "pooled_freedom",
    "resampled_sums",
    "share_intervals",
    "share_intervals_of",
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
        low, high = _spread(p, _at_least_together(between, within), fewest, level, _t(level, fewest - 1))
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
        low, high = _spread(p, _at_least_together(between, within), n_clusters, level, _t(level, free))
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


def _t(level: float, free: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(free, (1 + level) / 2))


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
