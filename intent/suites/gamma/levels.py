"""Level-k in the guessing game: how many steps ahead a guess thinks (Nagel 1995).

Level 0 guesses without strategy, around a reference: the middle of the range in the first round, the last
round's mean later on. Level k gives the best reply to level k - 1, leaving out its own weight in the mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import GameError

__all__ = ["HUMAN_MEANS", "HUMAN_STEPS", "depths", "equilibrium_point", "level_points", "nearest_levels"]

HUMAN_MEANS: Mapping[str, tuple[float, str]] = MappingProxyType(
    {
        "1/2": (27.05, "Nagel 1995"),
        "2/3": (36.73, "Nagel 1995"),
        "4/3": (60.12, "Nagel 1995"),
    }
)
"""Ratio -> mean guess of people in the first round, on 0 to 100, and where it is from (as Huang et al. 2024,
arXiv:2403.11807, section 4.3 report it; Rubinstein 2007 has 36.2 of 2,423 people for 2/3)."""

HUMAN_STEPS = 1.5
"""Mean steps of thinking that fit people in many games (Camerer, Ho & Chong 2004, abstract)."""


def level_points(
    references: ArrayLike, ratio: float, low: float, high: float, levels: int = 4
) -> NDArray[np.float64]:
    """What each level guesses: x_0 = reference, x_k = ratio x_(k-1), kept within the range.

    Parameters
    ----------
    references : (n,) float
    ratio : float, at least 0
    low, high : float, ends of the range
    levels : int
        The highest level.

    Returns
    -------
    (n, levels + 1) float

    Raises
    ------
    GameError
        A ratio below 0, an empty range, or no level above 0.

    Examples
    --------
    >>> level_points([50], 2 / 3, 0, 100, 2).round(1).tolist()
    [[50.0, 33.3, 22.2]]

    References
    ----------
    Nagel (1995), American Economic Review 85:1313.
    """
    if not (np.isfinite(ratio) and ratio >= 0 and low < high and levels >= 1):
        raise GameError(
            f"ratio {ratio}, range {low} to {high}, {levels} levels, expected a ratio of at least 0, a range "
            "and levels above 0"
        )
    points = [np.clip(np.asarray(references, dtype=float), low, high)]
    for _ in range(levels):
        points.append(np.clip(ratio * points[-1], low, high))
    return np.stack(points, axis=-1)


def equilibrium_point(ratio: float, low: float, high: float) -> float:
    """Where best replies end: the low end for ratios below 1, the high end above; NaN for 1, where any is.

    With a range that does not hold 0, the ends are those that the rules allow.
    """
    if ratio == 1:
        return float("nan")
    return float(np.clip(0.0, low, high)) if ratio < 1 else float(high if high > 0 else low)


def nearest_levels(guesses: ArrayLike, points: NDArray[np.float64]) -> NDArray[np.intp]:
    """The level whose guess is nearest to what was guessed; the lower one of two.

    Parameters
    ----------
    guesses : (n,) float
    points : (n, levels + 1) float, as `level_points`
    """
    return np.asarray(
        np.abs(points - np.asarray(guesses, dtype=float)[:, None]).argmin(axis=1), dtype=np.intp
    )


def depths(guesses: ArrayLike, references: ArrayLike, ratio: float) -> NDArray[np.float64]:
    """Steps as a real number: the k with guess = reference ratio^k.

    Infinite for a guess of 0; NaN where the reference is not above 0, or the ratio is 0 or 1.

    Parameters
    ----------
    guesses, references : (n,) float
    ratio : float

    References
    ----------
    Nagel (1995), section III.
    """
    x, start = np.broadcast_arrays(np.asarray(guesses, dtype=float), np.asarray(references, dtype=float))
    found = np.full(x.shape, np.nan)
    if ratio <= 0 or ratio == 1:
        return found
    known = (start > 0) & (x >= 0)
    with np.errstate(divide="ignore"):
        found[known] = np.log(x[known] / start[known]) / np.log(ratio)
    return found
