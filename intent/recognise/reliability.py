"""Are probabilities what they say? Accuracy beside confidence, in bins of equal mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ReliabilityBin", "calibration_error", "reliability_bins"]

_DIGITS = 12
"""Probabilities that agree to so many decimals are equal: the rest is rounding."""


@dataclass(frozen=True)
class ReliabilityBin:
    """Trajectories of nearly equal confidence.

    Attributes
    ----------
    low, high : float, least and greatest confidence
    n : int
    confidence : float, mean
    accuracy : float, share of hits
    """

    low: float
    high: float
    n: int
    confidence: float
    accuracy: float


def reliability_bins(
    confidence: NDArray[np.float64], hit: NDArray[np.bool_], bins: int
) -> tuple[ReliabilityBin, ...]:
    """Bins of equal mass, in order of confidence.

    Short play has few distinct posteriors, so that a bin may end among trajectories of equal confidence.
    These share their hits evenly: the bins do not depend on the order of the rows.

    Parameters
    ----------
    confidence : (n,), probability of a class
    hit : (n,), whether that class is the true one
    bins : int, at most so many

    References
    ----------
    Equal mass: Nguyen & O'Connor 2015, EMNLP, section 3.
    """
    if not len(confidence):
        return ()
    _, codes = np.unique(confidence.round(_DIGITS), return_inverse=True)
    codes = codes.reshape(-1)
    shared = np.bincount(codes, weights=hit) / np.bincount(codes)
    order = np.argsort(confidence, kind="stable")
    found = []
    for part in np.array_split(order, min(bins, len(order))):
        inside = confidence[part]
        found.append(
            ReliabilityBin(
                float(inside[0]),
                float(inside[-1]),
                len(part),
                float(inside.mean()),
                float(shared[codes[part]].mean()),
            )
        )
    return tuple(found)


def calibration_error(bins: tuple[ReliabilityBin, ...]) -> float:
    """ECE = sum_b (n_b / n) |accuracy_b - confidence_b| (Guo et al. 2017, ICML, eq. 3)."""
    n = sum(b.n for b in bins)
    return sum(b.n * abs(b.accuracy - b.confidence) for b in bins) / n if n else float("nan")
