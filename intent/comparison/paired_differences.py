"""Differences of means between two conditions, pair by pair where they share their luck.

The permutation test of two means: groups exchanged within conditions, in every way where these are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics.intervals import bootstrap_means

__all__ = [
    "EXACT_PAIRS",
    "Difference",
    "exchange_p",
    "paired_difference",
    "sign_flip_p",
    "unpaired_difference",
]


_BUDGET = 2e7
"""Values permuted at most."""

_EXCHANGED_TIE = 1e-12


def exchange_p(
    values: NDArray[np.float64],
    n_first: int,
    strata: NDArray[np.intp],
    samples: int,
    rng: np.random.Generator,
) -> float:
    """Two-sided p of the difference of means, groups exchanged within strata that hold both.

    1. Where no stratum holds both groups, they are exchanged between all.
    2. Where there are no more arrangements than samples, p is the share of all of them whose difference is at
       least the observed one, and `rng` is not used.
    3. Else p = (1 + extreme) / (1 + samples), over random arrangements.

    Parameters
    ----------
    values : (n,) float, those of the first group in front
    n_first : int in [1, n)
    strata : (n,) int
    samples : int
        At least 200 are drawn, and fewer of long tables.
    rng : Generator

    References
    ----------
    Phipson & Smyth 2010, Statistical Applications in Genetics and Molecular Biology 9:39.
    """
    group = np.arange(len(values)) < n_first
    codes = np.unique(strata, return_inverse=True)[1]
    mixed = np.bincount(codes, weights=group)
    if not ((mixed > 0) & (mixed < np.bincount(codes))).any():
        codes = np.zeros(len(values), dtype=np.intp)
    order = np.argsort(codes, kind="stable")
    values, group, codes = values[order], group[order], codes[order]
    permutations = max(200, int(min(samples, _BUDGET / len(values))))
    parts = [(values[codes == code], int(group[codes == code].sum())) for code in np.unique(codes)]
    n_second, total = len(values) - n_first, float(values.sum())

    def apart(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distance of the means where the first group has these sums."""
        return np.abs(sums / n_first - (total - sums) / n_second)

    observed = apart(values[group].sum()) - _EXCHANGED_TIE
    if prod(comb(len(part), k) for part, k in parts) <= permutations:
        return float((apart(_all_sums(parts)) >= observed).mean())
    drawn = (values[np.lexsort((rng.random(len(values)), codes))][group].sum() for _ in range(permutations))
    return float((1 + (apart(np.fromiter(drawn, dtype=float)) >= observed).sum()) / (1 + permutations))


def _all_sums(parts: list[tuple[NDArray[np.float64], int]]) -> NDArray[np.float64]:
    """Sums of the first group over every way to choose so many of each part."""
    sums = np.zeros(1)
    for part, k in parts:
        chosen = np.array(list(combinations(range(len(part)), k)), dtype=np.intp)
        sums = np.add.outer(sums, part[chosen].sum(axis=1)).ravel()
    return sums


EXACT_PAIRS = 20
"""Pairs up to which all sign flips are counted: about a million."""

_TIE = 1e-9
_CHUNK = 1 << 22


@dataclass(frozen=True)
class Difference:
    """A difference of means and its test.

    Attributes
    ----------
    estimate, low, high : float
        Mean difference with its bootstrap interval; ends NaN of a single observation.
    p : float
        Two-sided; NaN where there is too little to test.
    least_p : float
        The smallest p that so many observations can give.
    n : tuple of int
        Observations of each side; equal where paired.
    paired, exact : bool
    """

    estimate: float
    low: float
    high: float
    p: float
    least_p: float
    n: tuple[int, int]
    paired: bool
    exact: bool


def sign_flip_p(differences: NDArray[np.float64], samples: int, rng: np.random.Generator) -> float:
    """Two-sided p of a mean difference of 0 when each pair could as well be the other way round.

    Exact over all 2^n flips of the signs of up to 20 differences (p is then a multiple of 2/2^n unless
    differences tie, and `rng` is not used); beyond, p = (1 + extreme) / (1 + samples) over random flips.

    Parameters
    ----------
    differences : (n,) float, finite
    samples : int
    rng : Generator

    Examples
    --------
    >>> sign_flip_p(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 0, np.random.default_rng(0))
    0.0625

    References
    ----------
    Fisher (1935), The Design of Experiments, section 21; Phipson & Smyth (2010), Statistical Applications in
    Genetics and Molecular Biology 9:39.
    """
    n = len(differences)
    if n == 0:
        return float("nan")
    threshold = abs(float(differences.sum())) - _TIE * max(1.0, float(np.abs(differences).sum()))
    if n <= EXACT_PAIRS:
        sums = np.zeros(1)
        for difference in differences:
            sums = np.concatenate([sums - difference, sums + difference])
        return float((np.abs(sums) >= threshold).mean())
    reached, step = 0, max(1, _CHUNK // n)
    for start in range(0, samples, step):
        signs = rng.integers(0, 2, size=(min(step, samples - start), n)) * 2 - 1
        reached += int((np.abs(signs @ differences) >= threshold).sum())
    return (1 + reached) / (1 + samples)


def paired_difference(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    *,
    samples: int,
    level: float,
    rng: np.random.Generator,
    strata: NDArray[np.intp] | None = None,
) -> Difference:
    """Mean of first - second over pairs, tested by sign flips.

    Parameters
    ----------
    first, second : (n,) float, pair i at place i in both
    samples : int
        Of the bootstrap over pairs, and of random flips where these are too many to count.
    level : float in (0, 1)
    rng : Generator
    strata : (n,) int, optional
        What pairs are of (games): the estimate is then the mean of the strata's means, and pairs are
        resampled within them.
    """
    difference = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    n = len(difference)
    nan = float("nan")
    if n == 0:
        return Difference(nan, nan, nan, nan, nan, (0, 0), True, False)
    codes = np.zeros(n, dtype=np.intp) if strata is None else np.unique(strata, return_inverse=True)[1]
    weighted = difference * _weights(codes)
    estimate = float(weighted.sum())
    low, high = _ends(estimate, [(difference, codes)], samples, level, rng)
    exact = n <= EXACT_PAIRS
    least = 2.0 ** (1 - n) if exact else 1 / (1 + samples)
    p = sign_flip_p(weighted, samples, rng)
    return Difference(estimate, low, high, p, least, (n, n), True, exact)


def unpaired_difference(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    *,
    samples: int,
    level: float,
    rng: np.random.Generator,
    strata: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None,
) -> Difference:
    """Difference of two means, groups resampled apart and tested by exchanging observations between them.

    Parameters
    ----------
    first, second : (n,), (m,) float
    samples, level, rng : as `paired_difference`
    strata : (n,) int, (m,) int, optional
        What observations are of (games); the means are then means of the strata's means, and observations are
        resampled and exchanged within them. Both sides have the same strata.
    """
    of = strata or tuple(np.zeros(len(side), dtype=np.intp) for side in (first, second))
    codes = np.unique(np.concatenate(of), return_inverse=True)[1]
    sides = [(first, codes[: len(first)]), (second, codes[len(first) :])]
    n = (len(first), len(second))
    nan = float("nan")
    if 0 in n:
        return Difference(nan, nan, nan, nan, nan, n, False, False)
    estimate = sum(
        sign * float(_weights(code) @ values) for sign, (values, code) in zip((1, -1), sides, strict=True)
    )
    low, high = _ends(estimate, sides, samples, level, rng)
    both = np.concatenate([first, second])
    p = exchange_p(both, n[0], codes, samples, rng) if len(both) > 2 else nan
    return Difference(estimate, low, high, p, nan, n, False, False)


def _weights(codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """(n,) weights under which every stratum counts alike; they sum to one."""
    sizes = np.bincount(codes)
    return np.asarray(1 / ((sizes > 0).sum() * sizes[codes]), dtype=float)


def _ends(
    estimate: float,
    sides: list[tuple[NDArray[np.float64], NDArray[np.intp]]],
    samples: int,
    level: float,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Expanded percentile interval of the first side's mean of strata less the second's.

    Strata are resampled apart. A resampled mean of n varies (n - 1) / n as much as it should, and few
    observations do not know their variance: resampled deviations are stretched by (n / (n - 1))^1/2, and
    quantiles taken where a normal variate goes as far as the t quantile of the level, of Welch's degrees of
    freedom. NaN where some stratum has a single observation.

    References
    ----------
    Hesterberg (2015), The American Statistician 69:371, section 4 (narrowness bias, expanded percentiles).
    """
    from scipy.special import ndtr, stdtrit

    if any((np.unique(codes, return_counts=True)[1] < 2).any() for _, codes in sides):
        return float("nan"), float("nan")
    drawn = np.zeros(samples)
    parts: list[tuple[float, int]] = []
    for sign, (values, codes) in zip((1, -1), sides, strict=False):
        strata = np.unique(codes)
        for stratum in strata:
            own = values[codes == stratum]
            n, mean = len(own), own.mean()
            means = bootstrap_means(own[:, None], np.arange(n), samples, rng)[:, 0]
            drawn += sign * (mean + (means - mean) * (n / (n - 1)) ** 0.5) / len(strata)
            parts.append((float(own.var(ddof=1)) / n / len(strata) ** 2, n - 1))
    total = sum(variance for variance, _ in parts)
    if total <= 0:
        return estimate, estimate
    freedom = total**2 / sum(variance**2 / free for variance, free in parts)
    tail = float(ndtr(stdtrit(freedom, (1 - level) / 2)))
    low, high = (float(x) for x in np.quantile(drawn, [tail, 1 - tail]))
    return min(low, estimate), max(high, estimate)
