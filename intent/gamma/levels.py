"""Levels of reasoning of a group of players, by all estimates, beside what is known of people.

Level-k in the guessing game: how many steps ahead a guess thinks (Nagel 1995).

Level 0 guesses without strategy, around a reference: the middle of the range in the first round, the last
round's mean later on. Level k gives the best reply to level k - 1, leaving out its own weight in the mean.

Which levels players are of: a mixture of level-k types fitted to their guesses by maximum likelihood.

Every player is of one type in all rounds. Type k guesses its `level_points` exactly with probability 1 - e,
else with an error: normal around the point, truncated to the range. Level 0 guesses anywhere alike. The spike
makes exact calculation and rough aim two things.

Mean steps of thinking in the guessing game, by the Poisson cognitive hierarchy (Camerer, Ho & Chong 2004).

A share f(k) = e^-tau tau^k / k! of players thinks k steps. Step 0 guesses anywhere alike; step k gives the
best reply to the mixture of all lower steps, in their true proportions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import DataError, GameError

if TYPE_CHECKING:
    import pandas as pd


__all__ = [
    "HUMAN_MEANS",
    "HUMAN_STEPS",
    "Hierarchy",
    "LevelMixture",
    "depths",
    "equilibrium_point",
    "fit_hierarchy",
    "fit_levels",
    "guess_probabilities",
    "hierarchy_mean",
    "hierarchy_points",
    "level_points",
    "level_report",
    "nearest_levels",
]


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
    steps = np.full(x.shape, np.nan)
    if ratio <= 0 or ratio == 1:
        return steps
    known = (start > 0) & (x >= 0)
    with np.errstate(divide="ignore"):
        steps[known] = np.log(x[known] / start[known]) / np.log(ratio)
    return steps


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
    best = max((_fitted(sample, share * (high - low)) for share in (0.02, 0.15)), key=lambda fit: fit[0])
    log_likelihood, shares, error, sd, posterior = best
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
    optimum = minimise(loss, bounds=bounds, method="bounded", options={"xatol": 1e-4})  # type: ignore[operator]
    return float(np.exp(optimum.x))


_COGNITIVE_HIERARCHY_STEPS = 40
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
    points = np.empty(_COGNITIVE_HIERARCHY_STEPS + 1)
    points[0] = (low + high) / 2
    for k in range(1, _COGNITIVE_HIERARCHY_STEPS + 1):
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

    k = np.arange(_COGNITIVE_HIERARCHY_STEPS + 1)
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


_LEVELS = 4


def level_report(guesses: pd.DataFrame, subjects: pd.Series[Any]) -> dict[str, Any]:
    """What the guesses of players in games of one ratio and range say of their levels.

    Parameters
    ----------
    guesses : DataFrame
        Columns round, guess, reference, ratio (as written), low, high; the last three with one value each.
    subjects : Series
        Who guessed, row by row.

    Returns
    -------
    dict
        ratio, low, high, n_subjects, n_guesses; of the first round first_mean, human_mean and human_source
        (null where no experiment had this ratio on 0 to 100), nearest (level -> share of guesses nearest to
        it), depth (median of the real-valued steps); of all rounds shares (type -> share), error, sd, best
        (type -> players); of the first round tau, tau_se, tau_of_mean, human_tau. What a ratio of 0 or 1
        cannot tell is null.
    """
    first = guesses["round"].to_numpy() == 1
    written = str(guesses["ratio"].iloc[0])
    ratio = float(Fraction(written))
    low, high = (float(guesses[name].iloc[0]) for name in ("low", "high"))
    x = guesses["guess"].to_numpy(dtype=float)
    reference = guesses["reference"].to_numpy(dtype=float)
    known = (low, high) == (0, 100) and written in HUMAN_MEANS
    human = HUMAN_MEANS[written] if known else (None, None)
    report: dict[str, Any] = {
        "ratio": written,
        "low": low,
        "high": high,
        "n_subjects": int(subjects.nunique()),
        "n_guesses": len(x),
        "first_mean": float(x[first].mean()) if first.any() else None,
        "human_mean": human[0],
        "human_source": human[1],
        "human_tau": HUMAN_STEPS,
    }
    report |= dict.fromkeys(
        ("nearest", "depth", "shares", "error", "sd", "best", "tau", "tau_se", "tau_of_mean"), None
    )
    if ratio <= 0 or ratio == 1 or not first.any():
        return report
    points = level_points(reference, ratio, low, high, _LEVELS)
    nearest = np.bincount(nearest_levels(x[first], points[first]), minlength=_LEVELS + 1) / first.sum()
    fit = fit_levels(x, reference, subjects.to_numpy(), ratio=ratio, low=low, high=high, levels=_LEVELS)
    report |= {
        "nearest": {str(level): float(share) for level, share in enumerate(nearest)},
        "depth": float(np.median(depths(x[first], reference[first], ratio))),
        "shares": dict(zip(fit.types, fit.shares, strict=True)),
        "error": fit.error,
        "sd": fit.sd,
        "best": {name: fit.best.count(name) for name in fit.types},
    }
    if first.sum() > 1:
        hierarchy = fit_hierarchy(x[first], ratio=ratio, low=low, high=high)
        report |= {"tau": hierarchy.tau, "tau_se": hierarchy.se, "tau_of_mean": hierarchy.tau_of_mean}
    return report
