"""Cluster bootstrap: intervals of means when rows of one game are no independent observations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interval", "bootstrap_means", "cluster_bootstrap", "n_effective", "share_intervals"]

_CHUNK = 1 << 22
"""Bootstrap weights held at a time; bounds memory at 32 MiB."""

_BLOCK = 1 << 16
"""Drawn clusters held at a time; they stay in the processor's cache."""

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
    mean* = sum_c w_c s_c / sum_c w_c m_c. Clusters with the same sum and size are exchangeable, so where
    many are alike the counts are drawn over the distinct ones, from the multinomial that their numbers
    give: the same distribution at a fraction of the cost. Where most differ, clusters are drawn one by one.

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
    totals = _cluster_totals(values, clusters)
    distinct, numbers = np.unique(totals, axis=0, return_counts=True)
    n_clusters = len(totals)
    means = np.empty((samples, values.shape[1]))
    alike = n_clusters >= _DRAWS_PER_COUNT * len(distinct)
    step = max(1, _CHUNK // len(distinct) if alike else _BLOCK // n_clusters)
    kind = np.repeat(np.arange(len(distinct)), numbers)
    for start in range(0, samples, step):
        size = min(step, samples - start)
        if alike:
            counts = rng.multinomial(n_clusters, numbers / n_clusters, size=size)
        else:
            drawn = kind[rng.integers(n_clusters, size=(size, n_clusters))]
            drawn += len(distinct) * np.arange(size)[:, None]
            counts = np.bincount(drawn.ravel(), minlength=size * len(distinct)).reshape(size, -1)
        sums = counts.astype(float) @ distinct
        means[start : start + size] = sums[:, 1:] / sums[:, :1]
    return means


def cluster_bootstrap(
    values: NDArray[np.float64],
    clusters: NDArray[np.intp],
    *,
    samples: int,
    level: float,
    rng: np.random.Generator,
) -> list[Interval]:
    """Percentile intervals of the means of the columns of `values`.

    One cluster says nothing of its spread: its intervals are NaN.

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
    """
    estimates = values.mean(axis=0)
    if len(np.unique(clusters)) == 1:
        return [Interval(float(e), np.nan, np.nan) for e in estimates]
    tail = (1 - level) / 2
    drawn = bootstrap_means(values, clusters, samples, rng)
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    low, high = np.minimum(low, estimates), np.maximum(high, estimates)
    return [Interval(float(e), float(a), float(b)) for e, a, b in zip(estimates, low, high, strict=True)]


def share_intervals(
    weights: NDArray[np.float64],
    clusters: NDArray[np.intp],
    *,
    samples: int,
    level: float,
    rng: np.random.Generator,
) -> list[Interval]:
    """As `cluster_bootstrap` for shares, with sound ends where resampling cannot vary.

    A share of exactly 0 or 1 is the same in every resample, which is no certainty: there the end is that
    of the exact binomial interval with one observation per cluster, ((1 - level) / 2)^(1/C) away from
    the other side. One cluster that is split between outcomes says nothing: [0, 1].

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26:404.
    """
    n_clusters = len(np.unique(clusters))
    reach = 1 - ((1 - level) / 2) ** (1 / n_clusters)
    found = []
    for interval in cluster_bootstrap(weights, clusters, samples=samples, level=level, rng=rng):
        p = interval.estimate
        if p < 1e-12:
            found.append(Interval(0.0, 0.0, reach))
        elif p > 1 - 1e-12:
            found.append(Interval(1.0, 1 - reach, 1.0))
        elif n_clusters == 1:
            found.append(Interval(p, 0.0, 1.0))
        else:
            found.append(interval)
    return found


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
    totals = _cluster_totals(values, clusters)
    centred = totals[:, 1:] - totals[:, :1] * values.mean(axis=0)
    variance = float((centred**2).sum()) / n**2
    spread = float(((values - values.mean(axis=0)) ** 2).mean(axis=0).sum())
    scale = max(float(np.abs(values).max(initial=0.0)), 1e-300) ** 2
    if spread <= 1e-20 * scale or len(totals) == 1:
        return float(len(totals))
    return float(n) if variance * n <= spread else spread / variance


def _cluster_totals(values: NDArray[np.float64], clusters: NDArray[np.intp]) -> NDArray[np.float64]:
    """(C, 1 + k): size of each cluster, then the sums of its values."""
    codes = np.unique(clusters, return_inverse=True)[1]
    columns = [np.bincount(codes), *(np.bincount(codes, weights=column) for column in values.T)]
    return np.stack(columns, axis=1).astype(float)
