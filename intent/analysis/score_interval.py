"""Intervals of shares when rows of one game are no independent observations: Wilson's, clustered."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.analysis.bootstrap import Interval
from intent.analysis.cluster_covariance import two_way_variance
from intent.analysis.cluster_sums import ClusterSums

__all__ = ["pooled_freedom", "share_intervals", "share_intervals_of"]

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
    3. A share of exactly 0 or 1 has no variance, which is no certainty: there the end is that of the exact
       binomial interval with one observation per cluster, ((1 - level) / 2)^(1/C) away from the other side.
       One cluster that is split between outcomes says nothing: [0, 1].

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
        low, high = _wilson(p, _at_least_together(between, within), _t(level, fewest - 1))
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
        low, high = _wilson(p, _at_least_together(between, within), _t(level, free))
    return _with_ends(p, low, high, n_clusters, level)


def _with_ends(
    p: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], n_clusters: int, level: float
) -> list[Interval]:
    """Intervals, those of shares of 0 and 1 by the exact binomial."""
    reach = 1 - ((1 - level) / 2) ** (1 / n_clusters)
    low, high = np.where(p < _ZERO, 0.0, low), np.where(p < _ZERO, reach, high)
    low, high = np.where(p > 1 - _ZERO, 1 - reach, low), np.where(p > 1 - _ZERO, 1.0, high)
    p = np.where(p < _ZERO, 0.0, np.where(p > 1 - _ZERO, 1.0, p))
    return [Interval(float(e), float(a), float(b)) for e, a, b in zip(p, low, high, strict=True)]


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
