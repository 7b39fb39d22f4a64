"""The two groups of a comparison that are furthest apart, and how far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.analysis.comparison import Comparison
from intent.analysis.effects import Effect, mean_effects, share_effects
from intent.analysis.shares import ABSTENTIONS

__all__ = ["widest_difference", "widest_pair"]


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
) -> Effect | None:
    """Highest less lowest group of the outcome that differs most; the interval ignores that it was chosen.

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
    """
    pair = widest_pair(comparison)
    if pair is None:
        return None
    k, low, high = pair
    rows = (codes == low) | (codes == high)
    first, own = codes[rows] == high, clusters[rows]
    names, level = (comparison.outcomes[k],), comparison.level
    if comparison.metric is None:
        weights = values[rows][:, [k]]
        return share_effects(weights, first, own, names, samples=samples, level=level, rng=rng)[0]
    number = values[rows][:, 0]
    return mean_effects(number, first, own, names[0], samples=samples, level=level, rng=rng)[0]
