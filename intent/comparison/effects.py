"""Sizes of differences between two groups of rows, with intervals clustered by game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics import (
    VARIED,
    Interval,
    cluster_totals,
    group_influence,
    pooled_freedom,
    resampled_sums,
    share_intervals,
)
from intent.comparison.findings import simultaneous_widest
from intent.comparison.groups import ABSTENTIONS, Comparison

__all__ = [
    "Effect",
    "cohens_h",
    "difference_within",
    "hedges_correction",
    "mean_effects",
    "share_effects",
    "widest_difference",
    "widest_pair",
]


_WIDTH = 8**0.5
_MEAN_DIFFERENCES_FLAT = 1e-14
"""Values within groups whose squares are less than this part of all are equal, but for rounding."""


def mean_differences(
    values: Floats,
    first: NDArray[np.bool_],
    clusters: NDArray[np.intp],
    *,
    samples: int,
    level: float,
    rng: np.random.Generator,
) -> tuple[Interval, Interval]:
    """Bootstrap-t intervals of D = mean_1 - mean_2, and of D / s with s^2 = SS / n.

    1. SS is the sum of squares within both groups over all n rows. Both are functions f of the clusters'
       totals t_c = (rows, sum, sum of squares) of each group, so that se^2 = sum_c (f' t_c)^2, f' the
       gradient at their sum (Taylor linearisation): the scale of D / s is as uncertain as it is.
    2. Clusters are drawn with replacement; those that hold rows of one group only stay as many in each group,
       so that no resample lacks a group. Each gives t* = (f* - f) / se*.
    3. The interval is f - se t*(upper quantile) to f - se t*(lower quantile). That of D / s is made of
       h = asinh(D / (s 8^1/2)), whose error hardly depends on it, and taken back.

    Parameters
    ----------
    values : (n,) float
    first : (n,) bool
        Rows of the first group; the others make the second.

    Returns
    -------
    (difference, standardised difference); ends are NaN where a group has one cluster

    References
    ----------
    Davison & Hinkley (1997), Bootstrap Methods and their Application, §5.2 and §3.8; Hedges & Olkin (1985),
    Statistical Methods for Meta-Analysis, §5.D (the transformation); Kelley (2005), Educational and
    Psychological Measurement 65:51 (bootstrap intervals of standardised differences).
    """
    cluster = np.unique(clusters, return_inverse=True)[1]
    centred = values - values.mean()
    totals = np.stack(
        [
            np.bincount(cluster, weights=np.where(group, power, 0.0))
            for group in (first, ~first)
            for power in (np.ones_like(centred), centred, centred**2)
        ],
        axis=1,
    )
    crossed = np.einsum("ci,cj->cij", totals, totals).reshape(len(totals), -1)
    every = np.concatenate([totals, crossed], axis=1)
    estimates, errors = _differences(every.sum(axis=0)[None])
    kind = (totals[:, 0] > 0) + 2 * (totals[:, 3] > 0)
    parts = [every[kind == one] for one in np.unique(kind)]
    if any(len(part) == 1 for part in parts):
        plain, scaled = (Interval(float(e), float("nan"), float("nan")) for e in estimates[0, :2])
        return plain, scaled
    drawn = np.asarray(sum(resampled_sums(part, samples, rng) for part in parts))
    resampled, own = _differences(drawn)
    plain, steady = (
        _studentised(float(estimates[0, j]), float(errors[0, j]), resampled[:, j], own[:, j], level)
        for j in (0, 2)
    )
    with np.errstate(over="ignore"):
        low, high = _WIDTH * np.sinh(steady.low), _WIDTH * np.sinh(steady.high)
    return plain, Interval(float(estimates[0, 1]), float(low), float(high))


def _studentised(estimate: float, error: float, resampled: Floats, own: Floats, level: float) -> Interval:
    varied = np.isfinite(resampled) & (own > VARIED * error)
    if not error > 0 or not varied.any():
        return Interval(estimate, estimate, estimate)
    tail = (1 - level) / 2
    low, high = np.quantile((resampled[varied] - estimate) / own[varied], [tail, 1 - tail])
    return Interval(estimate, estimate - error * float(high), estimate - error * float(low))


def _differences(sums: Floats) -> tuple[Floats, Floats]:
    """(b, 3) differences, plain, standardised, and these transformed, and their standard errors.

    Parameters
    ----------
    sums : (b, 6 + 36) float
        Sums of totals (rows, sum, sum of squares of the first group, then of the second) and of their
        products.
    """
    n1, s1, q1, n2, s2, q2 = sums[:, :6].T
    products = sums[:, 6:].reshape(-1, 6, 6)
    n, m1, m2, none = n1 + n2, s1 / n1, s2 / n2, np.zeros(len(sums))
    plain = m1 - m2
    variance = (q1 - s1 * m1 + q2 - s2 * m2) / n
    variance = np.where(variance > _MEAN_DIFFERENCES_FLAT * (q1 + q2) / n, variance, 0.0)
    of_plain = np.stack([-m1 / n1, 1 / n1, none, m2 / n2, -1 / n2, none], axis=1)
    of_variance = [m1**2 - variance, -2 * m1, none + 1, m2**2 - variance, -2 * m2, none + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = plain / np.sqrt(variance)
        steep = scaled / (2 * n * variance)
        of_scaled = of_plain / np.sqrt(variance)[:, None] - steep[:, None] * np.stack(of_variance, axis=1)
        errors = [
            np.sqrt(np.maximum(np.einsum("bi,bij,bj->b", slope, products, slope), 0.0))
            for slope in (of_plain, of_scaled)
        ]
    errors.append(errors[1] / np.sqrt(_WIDTH**2 + scaled**2))
    return np.stack([plain, scaled, np.arcsinh(scaled / _WIDTH)], axis=1), np.stack(errors, axis=1)


Floats = NDArray[np.float64]
Ends = tuple[Floats, Floats, Floats]


def two_shares(
    weights: Floats, first: NDArray[np.bool_], clusters: NDArray[np.intp], *, level: float
) -> tuple[Ends, Ends, Floats] | None:
    """Shares of two groups of rows with their score intervals, and how the two are correlated.

    The intervals are `share_intervals`, but for the degrees of freedom, which are those of both groups. With
    u_gc = (s_gck - m_gc p_gk) / n_g what cluster c adds to the error of group g,
    r_k = sum_c u_1c u_2c / (sum_c u_1c^2 sum_c u_2c^2)^1/2: 0 where no cluster has rows in both.

    Parameters
    ----------
    weights : (n, k) float in [0, 1]
    first : (n,) bool
        Rows of the first group; the others make the second.

    Returns
    -------
    ((estimates, low, high) of the first group, of the second, r), each (k,); None where a group lies in
    one cluster
    """
    codes = np.unique(clusters, return_inverse=True)[1]
    sides = [np.flatnonzero(first), np.flatnonzero(~first)]
    held = [np.unique(codes[rows]) for rows in sides]
    if min(map(len, held)) < 2:
        return None
    free = (len(held[0]) + len(held[1]) - 2) * pooled_freedom(weights)
    ends, errors = [], []
    for rows, own in zip(sides, held, strict=True):
        intervals = share_intervals(weights[rows], codes[rows], level=level, free=free)
        p = np.array([one.estimate for one in intervals])
        ends.append((p, np.array([one.low for one in intervals]), np.array([one.high for one in intervals])))
        totals = cluster_totals(weights[rows], codes[rows])
        error = np.zeros((int(codes.max()) + 1, weights.shape[1]))
        error[own] = (totals[:, 1:] - totals[:, :1] * p) / len(rows)
        errors.append(error)
    size = np.sqrt((errors[0] ** 2).sum(axis=0) * (errors[1] ** 2).sum(axis=0))
    together = (errors[0] * errors[1]).sum(axis=0)
    r = np.where(size > 0, together / np.where(size > 0, size, 1.0), 0.0)
    return ends[0], ends[1], r


def mover(
    first: Ends, second: Ends, r: Floats, transform: Callable[[Floats], Floats]
) -> tuple[Floats, Floats]:
    """Ends of g(p_1) - g(p_2), g a rising function, by the method of variance estimates recovery.

    With l and u the ends of each, a = g(p_1) - g(l_1) and b = g(u_2) - g(p_2), the lower end is
    g(p_1) - g(p_2) - (a^2 + b^2 - 2 r a b)^1/2; the upper one alike from the other ends. Infinite where a or
    b is.

    Parameters
    ----------
    first, second : (estimates, low, high), each (k,)
    r : (k,) float, correlation of the two estimates
    transform : g

    References
    ----------
    Newcombe (1998), Statistics in Medicine 17:873 and 17:2635; Zou & Donner (2008), Statistics in
    Medicine 27:1693.
    """
    (p, p_low, p_high), (q, q_low, q_high) = (tuple(transform(x) for x in side) for side in (first, second))
    low = p - q - _joined(p - p_low, q_high - q, r)
    high = p - q + _joined(p_high - p, q - q_low, r)
    return low, high


def _joined(a: Floats, b: Floats, r: Floats) -> Floats:
    a, b = np.maximum(a, 0.0), np.maximum(b, 0.0)
    endless = np.isinf(a) | np.isinf(b)
    a, b = np.where(endless, 0.0, a), np.where(endless, 0.0, b)
    return np.where(endless, np.inf, np.sqrt(np.maximum(a**2 + b**2 - 2 * r * a * b, 0.0)))


@dataclass(frozen=True)
class Effect:
    """One size of one difference between two groups, first less second.

    Parameters
    ----------
    measure : str
        difference, cohens_h, odds_ratio, hedges_g.
    estimate, low, high : float
        Ends of `mover` (0 or infinite for odds of an outcome that may never occur), or of a bootstrap-t for
        means; NaN where the data give none.
    """

    measure: str
    outcome: str
    estimate: float
    low: float
    high: float


def cohens_h(first: float, second: float) -> float:
    """2 arcsin p^1/2 - 2 arcsin q^1/2; .2 is small, .5 medium, .8 large.

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, §6.2.
    """
    return float(2 * np.arcsin(np.sqrt(first)) - 2 * np.arcsin(np.sqrt(second)))


def hedges_correction(free: float) -> float:
    """J = 1 - 3 / (4 df - 1), which takes the bias from Cohen's d.

    References
    ----------
    Hedges (1981), Journal of Educational Statistics 6:107.
    """
    return 1 - 3 / (4 * free - 1)


def share_effects(
    weights: Floats,
    first: NDArray[np.bool_],
    clusters: NDArray[np.intp],
    names: tuple[str, ...],
    *,
    level: float = 0.95,
) -> list[Effect]:
    """Difference of shares, Cohen's h and odds ratio of every outcome, between two groups of rows.

    Intervals are put together from the score intervals of both shares (`mover`), which stay true where few
    clusters hold an outcome; a game with a seat in each group counts as the pair that it is. Odds are
    estimated with half a row added to every count, so that shares of 0 have some (Haldane 1956; Anscombe
    1956).

    Parameters
    ----------
    weights : (n, k) float
        Of all outcomes: each tells of the design effect.
    first : (n,) bool
        Rows of the first group; the others make the second.
    clusters : (n,) int
    names : tuple of k str
    level : float in (0, 1)
    """
    both = two_shares(weights, first, clusters, level=level)
    n, m = int(first.sum()), int((~first).sum())
    p, q = weights[first].mean(axis=0), weights[~first].mean(axis=0)
    nothing = np.full(len(names), np.nan)
    ends = dict.fromkeys(("difference", "cohens_h", "odds_ratio"), (nothing, nothing))
    odds = _log_odds((p * n + 0.5) / (n + 1)) - _log_odds((q * m + 0.5) / (m + 1))
    if both is not None:
        a, b, r = both
        ends["difference"] = mover(a, b, r, lambda x: x)
        ends["cohens_h"] = mover(a, b, r, lambda x: 2 * np.arcsin(np.sqrt(x)))
        a = ((p * n + 0.5) / (n + 1), *a[1:])
        b = ((q * m + 0.5) / (m + 1), *b[1:])
        low, high = mover(a, b, r, _log_odds)
        ends["odds_ratio"] = np.exp(low), np.exp(high)
    estimates = {
        "difference": p - q,
        "cohens_h": 2 * np.arcsin(np.sqrt(np.clip(p, 0, 1))) - 2 * np.arcsin(np.sqrt(np.clip(q, 0, 1))),
        "odds_ratio": np.exp(odds),
    }
    return [
        Effect(measure, name, float(estimates[measure][k]), float(low[k]), float(high[k]))
        for k, name in enumerate(names)
        for measure, (low, high) in ends.items()
    ]


def mean_effects(
    values: Floats,
    first: NDArray[np.bool_],
    clusters: NDArray[np.intp],
    name: str,
    *,
    samples: int = 2000,
    level: float = 0.95,
    rng: np.random.Generator,
) -> list[Effect]:
    """Difference of means and Hedges' g between two groups of rows; parameters as `share_effects`.

    g = J (mean_1 - mean_2) / s, s^2 the pooled variance over rows; both intervals are of `mean_differences`.
    """
    plain, scaled = mean_differences(values, first, clusters, samples=samples, level=level, rng=rng)
    n, free = len(values), len(values) - 2
    scale = hedges_correction(free) * (free / n) ** 0.5 if free > 0 else float("nan")
    if not np.isfinite(scaled.estimate):
        scale = float("nan")
    return [
        Effect("difference", name, plain.estimate, plain.low, plain.high),
        Effect("hedges_g", name, scaled.estimate * scale, scaled.low * scale, scaled.high * scale),
    ]


def _log_odds(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p) - np.log1p(-p))


Codes = NDArray[np.intp]


def widest_pair(comparison: Comparison) -> tuple[int, int, int] | None:
    """Outcome and groups, as places: which strategy's share (or mean) differs most, lowest, highest group.

    None where no strategy differs.
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
    values : (n, k) float
        Weights of outcomes, or the one number.
    codes : (n,) int
        Group of each row, in the order of the comparison's groups.
    clusters : (n,) int
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
        effects = share_effects(values[rows], first, own, names, level=level)
        return next(e for e in effects if e.outcome == names[k] and e.measure == "difference")
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
