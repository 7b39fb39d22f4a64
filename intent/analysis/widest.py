"""The two groups of a comparison that are furthest apart, and how far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.analysis.comparison import Comparison
from intent.analysis.effects import Effect, mean_effects, share_effects
from intent.analysis.shares import ABSTENTIONS

__all__ = ["difference_within", "widest_difference", "widest_pair"]


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
    names, level = comparison.outcomes, comparison.level
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
