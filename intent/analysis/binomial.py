"""Exact intervals of shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.analysis.bootstrap import Interval

__all__ = ["clopper_pearson", "exact_share"]


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
