"""Mean steps of thinking in the guessing game, by the Poisson cognitive hierarchy (Camerer, Ho & Chong 2004).

A share f(k) = e^-tau tau^k / k! of players thinks k steps. Step 0 guesses anywhere alike; step k gives the
best reply to the mixture of all lower steps, in their true proportions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import DataError
from intent.suites.gamma.level_mixture import guess_probabilities

__all__ = ["Hierarchy", "fit_hierarchy", "hierarchy_mean", "hierarchy_points"]

_STEPS = 40
"""Steps that are counted; with a mean of 10 all others have a share below 1e-12."""

_MOST = 10.0
"""The largest tau that is looked for."""


@dataclass(frozen=True)
class Hierarchy:
    """Fitted mean steps.

    Attributes
    ----------
    tau : float
        By maximum likelihood.
    se : float
        From the observed information; NaN at the end of the search (0 or 10) or where it tells nothing.
    sd : float
        Of guesses around the point of their step.
    tau_of_mean : float
        The tau whose mean guess is nearest to the observed one: how Camerer et al. fit this game.
    log_likelihood : float
    n : int
    """

    tau: float
    se: float
    sd: float
    tau_of_mean: float
    log_likelihood: float
    n: int


def hierarchy_points(tau: float, ratio: float, low: float, high: float) -> NDArray[np.float64]:
    """(41,) mean guess of steps 0 to 40: the middle, then ratio times the mean of all lower steps.

    Examples
    --------
    >>> hierarchy_points(1.5, 2 / 3, 0, 100)[:3].round(2).tolist()
    [50.0, 33.33, 26.67]
    """
    shares = _poisson(tau)
    points = np.empty(_STEPS + 1)
    points[0] = (low + high) / 2
    for k in range(1, _STEPS + 1):
        below = shares[:k]
        mean = points[0] if below.sum() <= 0 else float(below @ points[:k] / below.sum())
        points[k] = min(max(ratio * mean, low), high)
    return points


def hierarchy_mean(tau: float, ratio: float, low: float = 0, high: float = 100) -> float:
    """The mean guess of a population with tau steps of thinking."""
    return float(_poisson(tau) @ hierarchy_points(tau, ratio, low, high))


def fit_hierarchy(guesses: ArrayLike, *, ratio: float, low: float = 0, high: float = 100) -> Hierarchy:
    """Tau of first-round guesses, by maximum likelihood with normal errors cut at the ends of the range.

    Parameters
    ----------
    guesses : (n,) whole numbers in the range, independent of each other: of a first round
    ratio, low, high : of the game

    Raises
    ------
    DataError
        Fewer than two guesses, one out of range, or a ratio that does not tell steps apart (0 or 1).

    References
    ----------
    Camerer, Ho & Chong (2004), Quarterly Journal of Economics 119:861.
    """
    from scipy.optimize import minimize, minimize_scalar

    x = np.asarray(guesses, dtype=float)
    if len(x) < 2 or not np.isfinite(x).all() or x.min() < low or x.max() > high:
        raise DataError(f"{len(x)} guesses, expected at least two, all of them from {low:g} to {high:g}")
    if ratio <= 0 or ratio == 1:
        raise DataError(f"ratio {ratio:g}: steps guess alike, expected a ratio other than 0 and 1")
    values, counts = np.unique(x, return_counts=True)

    def loss(parameters: NDArray[np.float64]) -> float:
        tau, sd = float(np.clip(parameters[0], 0, _MOST)), float(np.exp(np.clip(parameters[1], -0.7, 12)))
        points = hierarchy_points(tau, ratio, low, high)[None, 1:].repeat(len(values), axis=0)
        each = guess_probabilities(values, points, sd, low, high)
        shares = _poisson(tau)
        likelihood = shares[0] / (high - low + 1) + each @ shares[1:]
        return -float(counts @ np.log(np.maximum(likelihood, 1e-300)))

    width = high - low
    starts = [(tau, np.log(width * s)) for tau in (0.5, 1.5, 4.0) for s in (0.03, 0.15)]
    options = {"xatol": 1e-5, "fatol": 1e-8, "maxiter": 2000}
    bounds = [(0.0, _MOST), (np.log(0.5), np.log(max(width, 1)))]
    fits = [minimize(loss, s, method="Nelder-Mead", bounds=bounds, options=options) for s in starts]
    best = min(fits, key=lambda fit: float(fit.fun))
    by_mean = minimize_scalar(
        lambda tau: (hierarchy_mean(float(tau), ratio, low, high) - x.mean()) ** 2,
        bounds=(0, _MOST),
        method="bounded",
    )
    tau = float(best.x[0])
    return Hierarchy(
        tau, _se(loss, best.x), float(np.exp(best.x[1])), float(by_mean.x), -float(best.fun), len(x)
    )


def _poisson(tau: float) -> NDArray[np.float64]:
    """Shares of 0 to 40 steps, summing to one."""
    from scipy.special import gammaln

    k = np.arange(_STEPS + 1)
    if tau <= 0:
        return np.asarray(k == 0, dtype=float)
    shares = np.exp(k * np.log(tau) - tau - gammaln(k + 1))
    return np.asarray(shares / shares.sum(), dtype=float)


def _se(loss: object, at: NDArray[np.float64]) -> float:
    """Of the first parameter, from second differences of the log-likelihood."""
    step = np.array([0.02, 0.02])
    if at[0] <= step[0] or at[0] >= _MOST - step[0]:
        return float("nan")

    def value(*signs: float) -> float:
        return float(loss(at + step * np.array(signs)))  # type: ignore[operator]

    middle = value(0, 0)
    second = (value(1, 0) - 2 * middle + value(-1, 0)) / step[0] ** 2
    own = (value(0, 1) - 2 * middle + value(0, -1)) / step[1] ** 2
    cross = (value(1, 1) - value(1, -1) - value(-1, 1) + value(-1, -1)) / (4 * step[0] * step[1])
    information = second - (cross**2 / own if own > 0 else 0.0)
    return float(information**-0.5) if information > 0 else float("nan")
