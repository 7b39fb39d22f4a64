"""Memory-one vectors: how often a player cooperates after each joint outcome, with exact intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.analysis.binomial import clopper_pearson

__all__ = ["OUTCOMES", "Conditional", "memory_one"]

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
