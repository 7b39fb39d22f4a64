"""Differences of two means: pair by pair, between seats of a game, between the games of a claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.statistics import Interval, bootstrap_means, cluster_codes, cluster_totals
from intent.estimate.design_units import block_codes, design_columns, determines

if TYPE_CHECKING:
    from intent.comparison.groups import Comparison

__all__ = [
    "LEAST",
    "Difference",
    "Part",
    "SeatEffects",
    "Trial",
    "Verdict",
    "contrast",
    "exchange_p",
    "level_above",
    "paired_difference",
    "paired_intervals",
    "seat_effects",
    "seats_of",
    "sign_flip_p",
    "unpaired_difference",
    "verdict_of",
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


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SeatEffects:
    """Differences between the first and the second seat of the same games.

    Parameters
    ----------
    names : tuple of k str
        Outcomes, or the one number.
    n_games : int
        Games whose seats are equal in all that was asked for.
    left_out : int
        Games of two seats that are not.
    first, second : tuple of k float
        Shares or means of each seat.
    differences : tuple of k Interval
        First less second, with the intervals of `paired_intervals`.
    p_each : tuple of k float
        Two-sided, of sign flips; not corrected.
    p : float
        Of all differences together.
    statistic : float
        What was flipped: D' V^- D.
    """

    names: tuple[str, ...]
    n_games: int
    left_out: int
    first: tuple[float, ...]
    second: tuple[float, ...]
    differences: tuple[Interval, ...]
    p_each: tuple[float, ...]
    p: float
    statistic: float


def seat_effects(
    table: pd.DataFrame,
    values: Floats,
    names: Sequence[str],
    *,
    equal: Sequence[str] = (),
    cluster: Sequence[str] = ("game_id",),
    samples: int = 2000,
    level: float = 0.95,
    rng: np.random.Generator,
) -> SeatEffects:
    """Whether the first seat of a game differs from the second.

    1. Games of two rows whose seats agree in the columns `equal` (the same model and persona in both).
    2. d = values of the first seat less those of the second, per game, summed by cluster.
    3. If seats do not matter, each cluster's d could as well be -d. D = sum d has then covariance
       V = sum d d', and p is the share of random flips with D' V^- D at least as large.

    Parameters
    ----------
    table : DataFrame
        n rows with game_id, seat, and the columns of `equal` and `cluster`.
    values : (n, k) float
        Weights of outcomes, or one number; rows with NaN make their game count as left out.
    names : sequence of k str
    cluster : sequence of str
        Games alike in these columns are flipped together.
    level : float in (0, 1)

    Raises
    ------
    UsageError
        No game is left.
    UnknownNameError
        A column that the table does not have.

    References
    ----------
    Pesarin & Salmaso (2010), Permutation Tests for Complex Data, §1.9 (paired observations).
    """
    first, second, left_out = _pairs(table, values, equal)
    if not len(first):
        condition = f" alike in {', '.join(equal)}" if equal else ""
        raise UsageError(f"no game of two seats{condition} among {len(table)} rows, expected at least one")
    difference = values[first] - values[second]
    clusters = cluster_codes(table.iloc[first].reset_index(drop=True), cluster)
    sums = np.stack([np.bincount(clusters, weights=d) for d in difference.T], axis=1).astype(float)
    statistic, p = _flipped(sums, samples, rng)
    return SeatEffects(
        names=tuple(names),
        n_games=len(first),
        left_out=left_out,
        first=tuple(values[first].mean(axis=0).tolist()),
        second=tuple(values[second].mean(axis=0).tolist()),
        differences=tuple(paired_intervals(difference, clusters, level=level)),
        p_each=tuple(sign_flip_p(column, samples, rng) for column in sums.T),
        p=p,
        statistic=statistic,
    )


def paired_intervals(differences: Floats, clusters: NDArray[np.intp], *, level: float) -> list[Interval]:
    """Intervals of the means of differences within pairs, for clustered pairs.

    1. Numbers: mean -+ t se, se^2 = C / (C - 1) sum_c (s_c - m_c mean)^2 / n^2 over C clusters, t of C - 1
       degrees of freedom. A bootstrap-t covers too little where most differences are 0: so are then those
       of many resamples.
    2. Outcomes (all differences -1, 0 or 1): one pair is added to those that differ, half of it each way, and
       one to those that do not; n is the number of pairs over the design effect se^2 n / variance, at least
       1. With S = n mean and Q = n mean square, m = S / (n + 2), and the ends are
       m -+ t {[(Q + 1) / (n + 2) - m^2] / (n + 2)}^1/2. Where no pair differs at all this has a length still.

    One cluster says nothing of its spread: NaN.

    Parameters
    ----------
    differences : (n, k) float
    clusters : (n,) int
    level : float in (0, 1)

    References
    ----------
    Agresti & Min (2005), Statistics in Medicine 24:729 (pairs added to matched proportions).
    """
    from scipy.special import stdtrit

    totals, n = cluster_totals(differences, clusters), len(differences)
    n_clusters, means = len(totals), differences.mean(axis=0)
    if n_clusters == 1:
        return [Interval(float(m), np.nan, np.nan) for m in means]
    t = float(stdtrit(n_clusters - 1, (1 + level) / 2))
    errors = ((totals[:, 1:] - totals[:, :1] * means) ** 2).sum(axis=0) / n**2
    middle, half = means, t * np.sqrt(errors * n_clusters / (n_clusters - 1))
    if np.isin(differences, (-1.0, 0.0, 1.0)).all():
        variance = differences.var(axis=0)
        deff = np.maximum(
            np.where(variance > 0, errors * n / np.where(variance > 0, variance, 1.0), 1.0), 1.0
        )
        size = np.where(variance > 0, n / deff, n_clusters)
        middle = size * means / (size + 2)
        squares = (size * (differences**2).mean(axis=0) + 1) / (size + 2)
        half = t * np.sqrt((squares - middle**2) / (size + 2))
    return [
        Interval(float(m), float(min(a, m)), float(max(b, m)))
        for m, a, b in zip(means, middle - half, middle + half, strict=True)
    ]


def _pairs(
    table: pd.DataFrame, values: Floats, equal: Sequence[str]
) -> tuple[NDArray[np.intp], NDArray[np.intp], int]:
    """Rows of the first and of the second seat of the games that count, and how many do not."""
    games = cluster_codes(table, ["game_id"])
    seats = table["seat"].to_numpy()
    order = np.lexsort((seats, games))
    sizes = np.bincount(games)
    starts = (np.cumsum(sizes) - sizes)[sizes == 2]
    first, second = order[starts], order[starts + 1]
    alike = (
        cluster_codes(table[list(equal)].astype(object).map(str), equal) if equal else np.zeros(len(table))
    )
    counts = (alike[first] == alike[second]) & ~np.isnan(values[first] + values[second]).any(axis=1)
    return first[counts], second[counts], int((~counts).sum())


def _flipped(sums: Floats, samples: int, rng: np.random.Generator) -> tuple[float, float]:
    """D' V^- D, and its p over random flips of the clusters' signs."""
    inverse = np.linalg.pinv(sums.T @ sums, rcond=1e-10, hermitian=True)

    def form(totals: Floats) -> Floats:
        return np.asarray(((totals @ inverse) * totals).sum(axis=-1))

    observed = float(form(sums.sum(axis=0)))
    if not np.abs(sums).any():
        return 0.0, 1.0
    reached, step = 0, max(1, _CHUNK // len(sums))
    for start in range(0, samples, step):
        signs = rng.integers(0, 2, size=(min(step, samples - start), len(sums))) * 2.0 - 1
        reached += int((form(signs @ sums) >= observed - 1e-9 * max(1.0, observed)).sum())
    return observed, (1 + reached) / (1 + samples)


def seats_of(
    rows: pd.DataFrame,
    comparison: Comparison,
    weights: Floats,
    clusters: NDArray[np.intp],
    samples: int,
    level: float,
    seed: int,
) -> tuple[SeatEffects | None, list[str]]:
    """First against second seat of games whose seats are equal in all else, and notes.

    Parameters
    ----------
    rows : DataFrame, those that are compared
    weights : (n, k) float, what they count for
    clusters, samples, level, seed
        As `seat_effects`.

    Returns
    -------
    SeatEffects, or None where the notes say why there are none
    notes : list of str
    """
    if not {"game_id", "seat"} <= set(rows.columns):
        return None, []
    games = block_codes(rows, ["game_id"])
    equal = [
        name
        for name in design_columns(rows)
        if name != "seat" and not determines(rows, "seat", name) and _varies(block_codes(rows, [name]), games)
    ]
    try:
        effects = seat_effects(
            rows.assign(_cluster=clusters),
            weights,
            comparison.outcomes,
            equal=equal,
            cluster=("_cluster",),
            samples=samples,
            level=level,
            rng=np.random.default_rng(seed),
        )
    except UsageError as error:
        return None, [f"seats: {error}"]
    alike = f" whose seats have the same {' and '.join(equal)}" if equal else ""
    return effects, [
        f"seats are compared within {effects.n_games:,} games{alike}; {effects.left_out:,} left out"
    ]


def _varies(codes: NDArray[np.intp], games: NDArray[np.intp]) -> bool:
    """Whether a column differs between the seats of some game."""
    return len(np.unique(np.stack([games, codes]), axis=1).T) > len(np.unique(games))


Verdict = Literal["supported", "not supported", "undecided"]
Status = Literal["met", "contradicted", "open"]
LEAST = 5
"""Games that a mean must be of to decide anything."""


@dataclass(frozen=True)
class Trial:
    """How parts are decided.

    Parameters
    ----------
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
        numbers = f"{self.estimate:.2f} [{self.low:.2f}, {self.high:.2f}]{p}, {n} games"
        return f"{self.what}: {numbers} ({self.status})"


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
    values : (n,) float in [0, 1], one per game; NaN is left out

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
        ends = [_quantiles(drawn, level) for level in (trial.level, strict)]
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
    first, second : (n,), (m,) float, one value per game; NaN is left out
    blocks : (n,), (m,) int
        Conditions that games share; the test exchanges groups only within them, where some hold both.
    sign : {1, -1}

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
    low, high = _quantiles(drawn, trial.level)
    status: Status = "open"
    if min(n) >= LEAST:
        below, above = _quantiles(sign * drawn, 1 - strict)
        least = _quantiles(sign * drawn, trial.level)[0]
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


def _quantiles(drawn: NDArray[np.float64], level: float) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _reach(share: float, n: int, level: float) -> tuple[float, float]:
    reach = 1 - ((1 - level) / 2) ** (1 / n)
    return (0.0, reach) if share == 0 else (1 - reach, 1.0)


def _nothing(what: str, n: tuple[int, ...]) -> Part:
    nan = float("nan")
    return Part(what, n, nan, nan, nan, nan, "open")
