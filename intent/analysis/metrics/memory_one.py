"""Memory-one vectors: how often a player cooperates after each joint outcome, with exact intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["OUTCOMES", "Conditional", "clopper_pearson", "memory_one"]

OUTCOMES = {"cc": (1, 1), "cd": (1, 0), "dc": (0, 1), "dd": (0, 0)}
"""Joint outcome of the last round, own move first."""


@dataclass(frozen=True, eq=False)
class Conditional:
    """Cooperation after one outcome, per trajectory.

    Parameters
    ----------
    value, low, high : (n,) float, share of cooperation and the ends of its interval; NaN without moves
    hits, n : (n,) int64, moves after the outcome that cooperate, and all
    """

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    hits: NDArray[np.int64]
    n: NDArray[np.int64]


def memory_one(
    own: NDArray[np.int8], other: NDArray[np.int8], *, level: float = 0.95
) -> dict[str, Conditional]:
    """Share of cooperation after CC, CD, DC and DD, in that order, of each trajectory.

    A move counts where it and both moves of the round before are known. The interval is that of a
    binomial, moves taken as independent given the outcome before.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    level : float in (0, 1)

    References
    ----------
    Nowak & Sigmund 1993, Nature 364:56.
    """
    found = {}
    m, o = np.ascontiguousarray(own.T), np.ascontiguousarray(other.T)
    for name, (mine, theirs) in OUTCOMES.items():
        after = (m[:-1] == mine) & (o[:-1] == theirs)
        hits = (after & (m[1:] == 1)).sum(axis=0, dtype=np.int64)
        n = (after & (m[1:] >= 0)).sum(axis=0, dtype=np.int64)
        low, high = clopper_pearson(hits, n, level=level)
        value = np.where(n > 0, hits / np.maximum(n, 1), np.nan)
        found[name] = Conditional(value, low, high, hits, n)
    return found


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
