"""Intervals of the difference of two means, plain and in standard deviations, clustered by game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.analysis.bootstrap import VARIED, Interval, resampled_sums

__all__ = ["mean_differences"]

Floats = NDArray[np.float64]
_WIDTH = 8**0.5
_FLAT = 1e-14
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
    clusters : (n,) int
    samples : int
    level : float in (0, 1)
    rng : Generator

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
    variance = np.where(variance > _FLAT * (q1 + q2) / n, variance, 0.0)
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
