"""Intervals of differences between two shares, put together from the interval of each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from intent.analysis.bootstrap import cluster_totals
from intent.analysis.score_interval import pooled_freedom, share_intervals

__all__ = ["mover", "two_shares"]

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
    clusters : (n,) int
    level : float in (0, 1)

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
        found = share_intervals(weights[rows], codes[rows], level=level, free=free)
        p = np.array([one.estimate for one in found])
        ends.append((p, np.array([one.low for one in found]), np.array([one.high for one in found])))
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
