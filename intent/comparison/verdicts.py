"""Verdicts on hypotheses: what a claim says of means over games, and whether the games bear it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics.intervals import bootstrap_means
from intent.comparison.paired_differences import exchange_p

__all__ = ["LEAST", "Part", "Trial", "Verdict", "contrast", "level_above", "verdict_of"]

Verdict = Literal["supported", "not supported", "undecided"]
Status = Literal["met", "contradicted", "open"]

LEAST = 5
"""Games that a mean must be of to decide anything."""


@dataclass(frozen=True)
class Trial:
    """How parts are decided.

    Parameters
    ----------
    rng : Generator
    samples : int
        Of the bootstrap and of the permutations.
    level : float in (0, 1)
    parts : int
        Parts that the claim has: each may contradict it by itself, so that contradiction is judged at level
        1 - (1 - level) / parts; support takes all of them, each at `level`.
    """

    rng: np.random.Generator
    samples: int = 2000
    level: float = 0.95
    parts: int = 1


@dataclass(frozen=True)
class Part:
    """One thing that a claim implies, and what the games say of it.

    Attributes
    ----------
    what : str
    n : number of games in each group
    estimate, low, high : float, the mean or difference and its bootstrap interval over games
    p : float, of the permutation test over games; NaN for a single mean
    status : {"met", "contradicted", "open"}
    """

    what: str
    n: tuple[int, ...]
    estimate: float
    low: float
    high: float
    p: float
    status: Status

    def words(self) -> str:
        """``cooperation … .98 [.95, 1.00], n = 12: met``."""
        if not np.isfinite(self.estimate):
            return f"{self.what}: no such games"
        p = f", p = {self.p:.3g}" if np.isfinite(self.p) else ""
        n = " and ".join(map(str, self.n))
        found = f"{self.estimate:.2f} [{self.low:.2f}, {self.high:.2f}]{p}, {n} games"
        return f"{self.what}: {found} ({self.status})"


def verdict_of(parts: Sequence[Part]) -> Verdict:
    """Supported where all parts are met, not supported where one is contradicted, else undecided."""
    if any(part.status == "contradicted" for part in parts):
        return "not supported"
    return "supported" if parts and all(part.status == "met" for part in parts) else "undecided"


def level_above(what: str, values: NDArray[np.float64], threshold: float, trial: Trial) -> Part:
    """Whether a mean in [0, 1] lies above a threshold: its whole interval above is met, below contradicted.

    Where all games are at 0 or 1, resampling them cannot vary; the interval is then the exact binomial one
    with an observation per game.

    Parameters
    ----------
    what : str
    values : (n,) float in [0, 1], one per game; NaN is left out
    threshold : float
    trial : Trial

    References
    ----------
    Clopper & Pearson 1934, Biometrika 26:404.
    """
    values = values[np.isfinite(values)]
    n = len(values)
    if n == 0:
        return _nothing(what, (0,))
    strict = 1 - (1 - trial.level) / trial.parts
    estimate = float(values.mean())
    if np.ptp(values) == 0 and estimate in (0.0, 1.0):
        ends = [_reach(estimate, n, level) for level in (trial.level, strict)]
    else:
        drawn = bootstrap_means(values[:, None], np.arange(n), trial.samples, trial.rng)[:, 0]
        ends = [_ends(drawn, level) for level in (trial.level, strict)]
    low, high = ends[0]
    status: Status = "open"
    if n >= LEAST:
        status = "met" if low > threshold else "contradicted" if ends[1][1] < threshold else "open"
    return Part(what, (n,), estimate, low, high, float("nan"), status)


def contrast(
    what: str,
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    blocks: tuple[NDArray[np.intp], NDArray[np.intp]],
    sign: Literal[1, -1],
    trial: Trial,
) -> Part:
    """Whether the mean of one group of games lies above (sign 1) or below (-1) that of another.

    Met where the bootstrap interval of the difference lies on the claimed side of 0 and the permutation test
    rejects equality; contradicted where both say the opposite. The bootstrap resamples conditions with all
    their games where at least five hold both groups (a paired comparison), else the games of each group.

    Parameters
    ----------
    what : str
    first, second : (n,), (m,) float, one value per game; NaN is left out
    blocks : (n,), (m,) int
        Conditions that games share; the test exchanges groups only within them, where some hold both.
    sign : {1, -1}
    trial : Trial

    References
    ----------
    Davison & Hinkley 1997, Bootstrap Methods and their Application, sections 3.2 and 4.3.
    """
    known = [np.isfinite(values) for values in (first, second)]
    first, second = first[known[0]], second[known[1]]
    n = (len(first), len(second))
    if 0 in n:
        return _nothing(what, n)
    strata = np.concatenate([blocks[0][known[0]], blocks[1][known[1]]])
    estimate = float(first.mean() - second.mean())
    drawn = _differences(first, second, strata, trial)
    p = exchange_p(np.concatenate([first, second]), len(first), strata, trial.samples, trial.rng)
    strict = (1 - trial.level) / trial.parts
    low, high = _ends(drawn, trial.level)
    status: Status = "open"
    if min(n) >= LEAST:
        below, above = _ends(sign * drawn, 1 - strict)
        least = _ends(sign * drawn, trial.level)[0]
        if least > 0 and p <= 1 - trial.level:
            status = "met"
        elif above < 0 and p <= strict and below < 0:
            status = "contradicted"
    return Part(what, n, estimate, low, high, p, status)


def _differences(
    first: NDArray[np.float64], second: NDArray[np.float64], strata: NDArray[np.intp], trial: Trial
) -> NDArray[np.float64]:
    """(samples,) differences of means under the bootstrap."""
    codes = np.unique(strata, return_inverse=True)[1]
    of = (codes[: len(first)], codes[len(first) :])
    n_strata = int(codes.max()) + 1
    sizes = [np.bincount(c, minlength=n_strata) for c in of]
    both = (sizes[0] > 0) & (sizes[1] > 0)
    if both.sum() < LEAST or not both.all():
        return np.subtract(
            *(
                bootstrap_means(values[:, None], np.arange(len(values)), trial.samples, trial.rng)[:, 0]
                for values in (first, second)
            )
        )
    sums = [np.bincount(c, weights=v, minlength=n_strata) for c, v in zip(of, (first, second), strict=True)]
    drawn = trial.rng.multinomial(n_strata, np.full(n_strata, 1 / n_strata), size=trial.samples)
    differences: NDArray[np.float64] = drawn @ sums[0] / (drawn @ sizes[0]) - drawn @ sums[1] / (
        drawn @ sizes[1]
    )
    return differences


def _ends(drawn: NDArray[np.float64], level: float) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _reach(share: float, n: int, level: float) -> tuple[float, float]:
    reach = 1 - ((1 - level) / 2) ** (1 / n)
    return (0.0, reach) if share == 0 else (1 - reach, 1.0)


def _nothing(what: str, n: tuple[int, ...]) -> Part:
    nan = float("nan")
    return Part(what, n, nan, nan, nan, nan, "open")
