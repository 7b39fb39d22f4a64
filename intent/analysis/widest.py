"""The two groups of a comparison that are furthest apart, and how far."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from intent.analysis.cluster_covariance import cluster_covariance, group_influence, two_way_variance
from intent.analysis.comparison import Comparison
from intent.analysis.effects import Effect, mean_effects, share_effects
from intent.analysis.shares import ABSTENTIONS

__all__ = ["Widest", "difference_within", "simultaneous_widest", "widest_difference", "widest_pair"]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

_DRAWS = 9999
"""Of the largest studentised deviation."""

_MOST_CELLS = 1000
"""Groups x outcomes beyond which the bound of Šidák takes the place of draws."""

_CHUNK = 1 << 21
"""Draws of ranges held at a time."""

_DRAWN = 4.0
"""Observations at the mean of all groups that steady the variance of a share."""

_FLAT = 1e-12


@dataclass(frozen=True)
class Widest:
    """The largest of all differences between groups, with an interval that allows for the choice.

    Parameters
    ----------
    outcome, lowest, highest : int
        Places of the outcome and of the two groups.
    estimate, se : float
        Highest less lowest group, and its cluster-robust standard error.
    low, high : float
        estimate -+ t se, t of `pointwise` and `free` degrees of freedom; NaN where a group lies in one
        cluster.
    pointwise : float
        Level that the interval of a single range must have for all together to have theirs: what any other
        interval of the same range takes to be simultaneous.
    free : float
        Degrees of freedom of the standard error.
    n_ranges : int
        Differences that it is the largest of.
    """

    outcome: int
    lowest: int
    highest: int
    estimate: float
    se: float
    low: float
    high: float
    pointwise: float
    free: float
    n_ranges: int


def simultaneous_widest(
    estimates: Floats,
    influence: Floats,
    clusters: Codes,
    *,
    level: float,
    rng: np.random.Generator,
    also: Codes | None = None,
    ranked: NDArray[np.bool_] | None = None,
    shares: bool = True,
) -> Widest | None:
    """The widest range over groups of any outcome, with an interval by the maximum of all ranges.

    1. All differences d_ghk of two groups have standard errors se_ghk by the cluster-robust covariance of the
       estimates. A share in few clusters hardly knows its own variance (one of 0 has none): its variance is
       at least that of a share drawn to the mean of all groups by four observations, p* (1 - p*) / n with
       p* = (n p + 4 mean) / (n + 4) and n = sum_k p_k (1 - p_k) / V_k, the group's effective number.
    2. Deviations of all estimates are drawn from the normal distribution of that covariance; q is the `level`
       quantile of their largest |d*_ghk| / se_ghk, so that all intervals d -+ q se together hold with
       probability `level`, that of the widest among them, whichever it is.
    3. 2 Phi(q) - 1 is the level that each interval has alone; of few clusters it takes the t quantile of that
       level, of Welch's degrees of freedom over the clusters of the two groups (at most one less than both
       have together; two ways: one less than the fewer of both).

    Parameters
    ----------
    estimates : (G, K) float
        Shares or means of G groups and K outcomes.
    influence : (n, G, K) float
        What each row (a subject, or a whole cluster) adds to the error of each estimate, such that the errors
        have covariance sum_c u_c u_c', u_c its sum over cluster c: of a mean (value - mean) / n_g in the rows
        of the group, else 0 (`group_influence`, with the correction for few clusters); of an estimate by
        maximum likelihood the inverse information times the row's score.
    clusters : (n,) int
    level : float in (0, 1)
    rng : Generator
    also : (n,) int, optional
        Second way of clusters.
    ranked : (K,) bool, optional
        Outcomes whose ranges are compared; default all.
    shares : bool
        Whether estimates are shares, the K of a group summing to one (or to less); else plain numbers.

    Returns
    -------
    Widest or None
        None where no range is larger than zero.

    References
    ----------
    Hothorn, Bretz & Westfall (2008), Biometrical Journal 50:346 (max-t of general parameters); Romano & Wolf
    (2005), Econometrica 73:1237; Šidák (1967), JASA 62:626 (bound).
    """
    from scipy.special import ndtr, ndtri, stdtrit

    estimates, influence = np.asarray(estimates, dtype=float), np.asarray(influence, dtype=float)
    lacking = np.zeros_like(estimates)
    if shares:
        lacking = _lacking(estimates, two_way_variance(influence, clusters, also))
    if ranked is not None:
        own = np.flatnonzero(ranked)
        estimates, influence, lacking = estimates[:, own], influence[:, :, own], lacking[:, own]
    else:
        own = np.arange(estimates.shape[1])
    n_groups, n_outcomes = estimates.shape
    spans = np.ptp(estimates, axis=0) if n_groups and n_outcomes else np.zeros(0)
    if not spans.size or not spans.max() > 0:
        return None
    k = int(spans.argmax())
    low, high = int(estimates[:, k].argmin()), int(estimates[:, k].argmax())
    pairs = np.array(list(combinations(range(n_groups), 2)))
    ranges = influence[:, pairs[:, 0]] - influence[:, pairs[:, 1]]
    errors = np.sqrt(two_way_variance(ranges, clusters, also) + lacking[pairs].sum(axis=1))
    known = errors > _FLAT * max(float(errors.max()), 1e-300)
    n_ranges = int(known.sum())
    if influence[0].size > _MOST_CELLS:
        q = float(ndtri((1 + level ** (1 / max(n_ranges, 1))) / 2))
    else:
        covariance = cluster_covariance(influence.reshape(len(influence), -1), clusters, also)
        covariance += np.diag(lacking.ravel())
        q = _largest_deviation(covariance, pairs, np.where(known, errors, np.inf), level, rng)
    pointwise = float(2 * ndtr(q) - 1)
    place = int(np.flatnonzero((pairs == sorted((low, high))).all(axis=1))[0])
    se, estimate = float(errors[place, k]), float(spans[k])
    free = _freedom(influence[:, [low, high]], k, clusters, also)
    reach = float(stdtrit(free, (1 + pointwise) / 2)) * se if free > 0 else float("nan")
    most = 1.0 if shares else np.inf
    ends = (max(estimate - reach, -most), min(estimate + reach, most)) if reach == reach else (reach, reach)
    return Widest(int(own[k]), low, high, estimate, se, *ends, pointwise, free, n_ranges)


def _lacking(shares: Floats, variances: Floats) -> Floats:
    """What the (G, K) variances of shares lack of those of shares drawn to the mean of all groups."""
    total = variances.sum(axis=1, keepdims=True)
    spread = (shares * (1 - shares)).clip(0).sum(axis=1, keepdims=True)
    known = (total > 0) & (spread > 0)
    n = np.where(known, spread / np.where(known, total, 1.0), np.inf)
    weights = np.where(known, n, 0.0)
    middle = (weights * shares).sum(axis=0) / max(float(weights.sum()), 1e-300)
    with np.errstate(invalid="ignore"):
        drawn = np.where(known, (n * shares + _DRAWN * middle) / (n + _DRAWN), shares)
    return np.asarray(np.maximum(drawn * (1 - drawn) / n - variances, 0.0))


def _largest_deviation(
    covariance: Floats, pairs: Codes, errors: Floats, level: float, rng: np.random.Generator
) -> float:
    """Quantile of the largest of all studentised differences; `errors` is (pairs, outcomes)."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > _FLAT * max(float(values.max(initial=0.0)), 1e-300)
    root = vectors[:, kept] * np.sqrt(values[kept])
    n_outcomes = errors.shape[1]
    largest = np.empty(_DRAWS)
    step = max(1, _CHUNK // errors.size)
    for start in range(0, _DRAWS, step):
        size = min(step, _DRAWS - start)
        drawn = (rng.standard_normal((size, root.shape[1])) @ root.T).reshape(size, -1, n_outcomes)
        apart = np.abs(drawn[:, pairs[:, 0]] - drawn[:, pairs[:, 1]]) / errors
        largest[start : start + size] = apart.max(axis=(1, 2))
    return float(np.quantile(largest, level))


def _freedom(influence: Floats, outcome: int, clusters: Codes, also: Codes | None) -> float:
    """Degrees of freedom of the difference of two groups, from (n, 2, K) influences; 0 of a single cluster.

    A cluster is of a group where it adds to any of its estimates.
    """
    ways = [clusters] if also is None else [clusters, also]
    least = np.inf
    for way in ways:
        held = [np.unique(way[part.any(axis=1)]) for part in (influence[:, 0], influence[:, 1])]
        counts = [len(one) for one in held]
        if min(counts) == 0:
            counts = [max(counts)] * 2
        if min(counts) < 2:
            return 0.0
        variance = two_way_variance(influence[:, :, outcome], way)
        parts = float((variance**2 / (np.array(counts) - 1)).sum())
        welch = float(variance.sum()) ** 2 / parts if parts > 0 else float(min(counts) - 1)
        every = len(np.unique(np.concatenate(held)))
        least = min(least, welch, every - 1, *([min(counts) - 1] if also is not None else []))
    return float(least)


def widest_pair(comparison: Comparison) -> tuple[int, int, int] | None:
    """Outcome and groups, as places: which strategy's share (or mean) differs most, lowest, highest group.

    None where no strategy differs.

    Parameters
    ----------
    comparison : Comparison
    """
    estimates = np.array([[i.estimate for i in group.intervals] for group in comparison.groups])
    spans = np.ptp(estimates, axis=0)
    if comparison.metric is None:
        spans[[k for k, name in enumerate(comparison.outcomes) if name in ABSTENTIONS]] = -1
    k = int(spans.argmax())
    if not spans[k] > 0:
        return None
    return k, int(estimates[:, k].argmin()), int(estimates[:, k].argmax())


def widest_difference(
    comparison: Comparison,
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    *,
    samples: int,
    rng: np.random.Generator,
    also: Codes | None = None,
) -> Effect | None:
    """Highest less lowest group of the outcome that differs most; the interval allows for the choice.

    It is that of the difference of two shares or means, at the level that `simultaneous_widest` says each
    range must have; with clusters in two ways that of `simultaneous_widest` itself.

    Parameters
    ----------
    comparison : Comparison
    values : (n, k) float
        Weights of outcomes, or the one number.
    codes : (n,) int
        Group of each row, in the order of the comparison's groups.
    clusters : (n,) int
    samples : int
    rng : Generator
    also : (n,) int, optional
        Second way of clusters.
    """
    pair = widest_pair(comparison)
    if pair is None:
        return None
    k, low, high = pair
    rows = (codes == low) | (codes == high)
    first, own = codes[rows] == high, clusters[rows]
    names = comparison.outcomes
    ranked = np.array([comparison.metric is not None or name not in ABSTENTIONS for name in names])
    estimates = np.array([[i.estimate for i in group.intervals] for group in comparison.groups])
    of_clusters = group_influence(values, codes, clusters, len(estimates))
    every = np.arange(len(of_clusters))
    if also is not None:
        counts = np.bincount(codes, minlength=len(estimates))
        of_clusters = np.zeros((len(values), *estimates.shape))
        of_clusters[np.arange(len(values)), codes] = (values - estimates[codes]) / counts[codes][:, None]
        every = clusters
    widest = simultaneous_widest(
        estimates,
        of_clusters,
        every,
        level=comparison.level,
        rng=rng,
        also=also,
        ranked=ranked,
        shares=comparison.metric is None,
    )
    assert widest is not None
    if also is not None:
        return Effect("difference", names[k], widest.estimate, widest.low, widest.high)
    level = widest.pointwise
    if comparison.metric is None or comparison.bounded:
        found = share_effects(values[rows], first, own, names, level=level)
        return next(e for e in found if e.outcome == names[k] and e.measure == "difference")
    number = values[rows][:, 0]
    return mean_effects(number, first, own, names[0], samples=samples, level=level, rng=rng)[0]


def difference_within(
    comparison: Comparison,
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    blocks: NDArray[np.intp],
) -> float | None:
    """The difference of `widest_difference` where all else is equal: the mean of those of the blocks.

    sum_b w_b (mean of the highest group in b - mean of the lowest) / sum_b w_b, with
    w_b = n_b1 n_b2 / (n_b1 + n_b2). It may be smaller than the difference of all rows, or the other way
    round: then what differs between blocks made that one. None where no block holds both groups.

    Parameters
    ----------
    comparison, values, codes : as `widest_difference`
    blocks : (n,) int
        Rows that are alike in all else.

    References
    ----------
    Greenland & Robins (1985), Biometrics 41:55 (Mantel-Haenszel risk difference).
    """
    pair = widest_pair(comparison)
    if pair is None:
        return None
    k, low, high = pair
    block = np.unique(blocks, return_inverse=True)[1]
    count = int(block.max()) + 1
    n, total = np.zeros((2, count)), np.zeros((2, count))
    for side, group in enumerate((high, low)):
        rows = codes == group
        n[side] = np.bincount(block[rows], minlength=count)
        total[side] = np.bincount(block[rows], weights=values[rows, k], minlength=count)
    both = (n > 0).all(axis=0)
    if not both.any():
        return None
    weights = (n[0] * n[1] / n.sum(axis=0).clip(1))[both]
    means = total[:, both] / n[:, both]
    return float(weights @ (means[0] - means[1]) / weights.sum())
