"""Which levels players are of: a mixture of level-k types fitted to their guesses by maximum likelihood.

Every player is of one type in all rounds. Type k guesses its `level_points` exactly with probability 1 - e,
else with an error: normal around the point, truncated to the range. Level 0 guesses anywhere alike. The spike
makes exact calculation and rough aim two things.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import DataError
from intent.suites.gamma.levels import equilibrium_point, level_points

__all__ = ["LevelMixture", "fit_levels", "guess_probabilities"]

_STEPS = 300
_TOLERANCE = 1e-8
_LEAST = 1e-300


@dataclass(frozen=True)
class LevelMixture:
    """A fitted mixture.

    Attributes
    ----------
    types : tuple of str
        ``"0"`` … ``"4"``, then ``"equilibrium"``.
    shares : tuple of float, by type
    error : float
        Probability that a guess is no exact calculation.
    sd : float
        Of such guesses, before they are cut at the ends of the range.
    log_likelihood : float
    n_subjects, n_guesses : int
    subjects : tuple, in the order of `posterior`
    posterior : tuple of tuple of float
        By subject and type.
    """

    types: tuple[str, ...]
    shares: tuple[float, ...]
    error: float
    sd: float
    log_likelihood: float
    n_subjects: int
    n_guesses: int
    subjects: tuple[str, ...]
    posterior: tuple[tuple[float, ...], ...]

    @property
    def best(self) -> tuple[str, ...]:
        """The most probable type of each subject."""
        return tuple(self.types[int(np.argmax(row))] for row in self.posterior)


def guess_probabilities(
    guesses: NDArray[np.float64], points: NDArray[np.float64], sd: float, low: float, high: float
) -> NDArray[np.float64]:
    """P(guess) of whole numbers under normal errors around points, cut at the ends of the range.

    Mass of [x - 1/2, x + 1/2], over that of [low - 1/2, high + 1/2]; sums to one over the range.

    Parameters
    ----------
    guesses : (n,) float
    points : (n, k) float
    sd : float
    low, high : float

    Returns
    -------
    (n, k) float
    """
    x = guesses[:, None]
    return _mass(x, x, points, sd) / np.maximum(_mass(low, high, points, sd), _LEAST)


def _mass(
    first: NDArray[np.float64] | float,
    last: NDArray[np.float64] | float,
    points: NDArray[np.float64],
    sd: float,
) -> NDArray[np.float64]:
    """P of the whole numbers from first to last, without the loss of digits far above the mean."""
    from scipy.special import ndtr

    a, b = (first - 0.5 - points) / sd, (last + 0.5 - points) / sd
    flipped = a > 0
    return np.asarray(ndtr(np.where(flipped, -a, b)) - ndtr(np.where(flipped, -b, a)))


def fit_levels(
    guesses: ArrayLike,
    references: ArrayLike,
    subjects: ArrayLike,
    *,
    ratio: float,
    low: float = 0,
    high: float = 100,
    levels: int = 4,
) -> LevelMixture:
    """Shares of levels 0 to `levels` and of equilibrium play, by expectation-maximisation.

    1. E: posterior of types by subject, and within a type of the spike against the error.
    2. M: shares and error probability in closed form, the sd by a search in one dimension.

    The better of two starts (small and large errors) counts.

    Parameters
    ----------
    guesses : (n,) whole numbers in the range
    references : (n,) float
        What level 0 is around: the middle of the range in round 1, later the last round's mean.
    subjects : (n,), who guessed
    ratio, low, high : of the game
    levels : int

    Raises
    ------
    DataError
        No guesses, one out of range, or a ratio that does not tell levels apart (0 or 1).

    References
    ----------
    Stahl & Wilson (1995), Games and Economic Behavior 10:218; Costa-Gomes & Crawford (2006), American
    Economic Review 96:1737 (spike and error); Bosch-Domènech, Montalvo, Nagel & Satorra (2010), Experimental
    Economics 13:461 (finite mixtures in this game).
    """
    x = np.asarray(guesses, dtype=float)
    names, who = np.unique(np.asarray(subjects, dtype=str), return_inverse=True)
    if not len(x) or not np.isfinite(x).all() or x.min() < low or x.max() > high:
        raise DataError(f"{len(x)} guesses, expected some, all of them from {low:g} to {high:g}")
    if ratio <= 0 or ratio == 1:
        raise DataError(f"ratio {ratio:g}: levels guess alike, expected a ratio other than 0 and 1")
    points = level_points(references, ratio, low, high, levels)[:, 1:]
    points = np.column_stack([points, np.full(len(x), equilibrium_point(ratio, low, high))])
    sample = _Sample(x, points, who, low, high)
    found = max((_fitted(sample, share * (high - low)) for share in (0.02, 0.15)), key=lambda fit: fit[0])
    log_likelihood, shares, error, sd, posterior = found
    return LevelMixture(
        (*map(str, range(levels + 1)), "equilibrium"),
        tuple(map(float, shares)),
        error,
        sd,
        log_likelihood,
        len(names),
        len(x),
        tuple(map(str, names)),
        tuple(tuple(map(float, row)) for row in posterior),
    )


@dataclass(frozen=True, eq=False)
class _Sample:
    guesses: NDArray[np.float64]
    points: NDArray[np.float64]
    who: NDArray[np.intp]
    low: float
    high: float

    @cached_property
    def exact(self) -> NDArray[np.bool_]:
        """(n, k): the guess is the whole number next to the point."""
        return np.asarray(self.guesses[:, None] == np.floor(self.points + 0.5))

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The rows of points, each once, and which of them each guess has: that of all players of a round."""
        rows, which = np.unique(self.points, axis=0, return_inverse=True)
        return rows, which.reshape(-1)

    def rough(self, sd: float) -> NDArray[np.float64]:
        """As `guess_probabilities`."""
        rows, which = self._distinct
        x = self.guesses[:, None]
        return _mass(x, x, self.points, sd) / np.maximum(_mass(self.low, self.high, rows, sd), _LEAST)[which]


_Fit = tuple[float, NDArray[np.float64], float, float, NDArray[np.float64]]


def _fitted(sample: _Sample, sd: float) -> _Fit:
    from scipy.optimize import minimize_scalar

    n_types = sample.points.shape[1] + 1
    width = sample.high - sample.low
    exact, even = sample.exact, np.log(1 / (width + 1))
    shares, error, last = np.full(n_types, 1 / n_types), 0.5, -np.inf
    for _ in range(_STEPS):
        spike, rough = (1 - error) * exact, error * sample.rough(sd)
        each = np.column_stack(
            [np.full(len(sample.guesses), even), np.log(np.maximum(spike + rough, _LEAST))]
        )
        by_subject = np.zeros((sample.who.max() + 1, n_types))
        np.add.at(by_subject, sample.who, each)
        joint = by_subject + np.log(np.maximum(shares, _LEAST))
        peak = joint.max(axis=1, keepdims=True)
        total = peak[:, 0] + np.log(np.exp(joint - peak).sum(axis=1))
        posterior = np.exp(joint - total[:, None])
        now = float(total.sum())
        if now - last < _TOLERANCE * max(1.0, abs(now)):
            break
        last = now
        shares = posterior.mean(axis=0)
        weights = posterior[sample.who, 1:]
        noisy = weights * rough / np.maximum(spike + rough, _LEAST)
        if weights.sum() > 1e-9:
            error = float(np.clip(noisy.sum() / weights.sum(), 1e-6, 1 - 1e-6))
        if noisy.sum() > 1e-9:
            sd = _best_sd(sample, noisy, minimize_scalar)
    return now, shares, error, sd, posterior


def _best_sd(sample: _Sample, weights: NDArray[np.float64], minimise: object) -> float:
    """The sd under which rough guesses are most likely; at least half a unit, at most the whole range."""

    def loss(log_sd: float) -> float:
        return -float((weights * np.log(np.maximum(sample.rough(float(np.exp(log_sd))), _LEAST))).sum())

    bounds = (np.log(0.5), np.log(max(sample.high - sample.low, 1.0)))
    found = minimise(loss, bounds=bounds, method="bounded", options={"xatol": 1e-4})  # type: ignore[operator]
    return float(np.exp(found.x))
