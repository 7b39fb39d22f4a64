"""Agreement between recognisers: how far they name the same strategies, where they differ, on which play.

Agreement beyond chance: Fleiss' kappa of several raters, Cohen's of two.

Chance-corrected agreement is (P - P_e) / (1 - P_e), with P the agreement seen and P_e that of raters who name
at random as often as they do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics.intervals import Interval, bootstrap_means, share_intervals

__all__ = [
    "Agreement",
    "Pair",
    "StatusAgreement",
    "agreement",
    "cohen_kappa",
    "fleiss_interval",
    "fleiss_kappa",
    "majority",
    "name_counts",
]


def fleiss_kappa(counts: NDArray[np.float64]) -> float:
    """Fleiss' kappa: agreement of R raters on n rows beyond that of raters who name by the common shares.

    kappa = (P - P_e) / (1 - P_e), P = mean_i (sum_k n_ik² - R) / (R (R - 1)), P_e = sum_k (mean_i n_ik / R)²

    Parameters
    ----------
    counts : (n, K) float, raters that give each name; rows sum to R >= 2

    Returns
    -------
    float, NaN where there are no rows or all raters always say the same one name

    References
    ----------
    Fleiss 1971, Psychological Bulletin 76:378, eqs. 1-7.
    """
    if not len(counts):
        return float("nan")
    return float(_kappa(_terms(counts).mean(axis=0)[None, :])[0])


def fleiss_interval(
    counts: NDArray[np.float64],
    games: NDArray[np.intp],
    *,
    samples: int,
    level: float,
    rng: np.random.Generator,
) -> Interval:
    """Fleiss' kappa with a percentile interval that resamples whole games.

    Kappa is a function of means over rows (of the agreement and of each name's share), so that the
    bootstrap means give its bootstrap values. Resamples in which kappa is undefined are left out.

    Parameters
    ----------
    counts : (n, K) float, as `fleiss_kappa`
    games : (n,) int
    level : float in (0, 1)
    """
    estimate = fleiss_kappa(counts)
    if len(np.unique(games)) < 2:
        return Interval(estimate, np.nan, np.nan)
    drawn = _kappa(bootstrap_means(_terms(counts), games, samples, rng))
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn) or not np.isfinite(estimate):
        return Interval(estimate, np.nan, np.nan)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(estimate, min(float(low), estimate), max(float(high), estimate))


def cohen_kappa(table: NDArray[np.float64]) -> float:
    """Cohen's kappa of two raters: agreement beyond that of raters who name by their own shares.

    Parameters
    ----------
    table : (K, K) float, rows with each pair of names, the first rater's down

    Returns
    -------
    float, NaN where there are no rows or both always say the same one name

    References
    ----------
    Cohen 1960, Educational and Psychological Measurement 20:37.
    """
    n = table.sum()
    if not n:
        return float("nan")
    seen = np.trace(table) / n
    chance = float(table.sum(axis=0) @ table.sum(axis=1)) / n**2
    return float("nan") if 1 - chance < 1e-12 else float((seen - chance) / (1 - chance))


def _terms(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 1 + K), agreement within each row and share of each name, of which kappa needs the means."""
    raters = counts.sum(axis=1, keepdims=True)
    pairs = ((counts**2).sum(axis=1, keepdims=True) - raters) / (raters * (raters - 1))
    return np.concatenate([pairs, counts / raters], axis=1)


def _kappa(means: NDArray[np.float64]) -> NDArray[np.float64]:
    seen, chance = means[:, 0], (means[:, 1:] ** 2).sum(axis=1)
    certain = 1 - chance < 1e-12
    kappa: NDArray[np.float64] = np.where(certain, np.nan, (seen - chance) / np.where(certain, 1, 1 - chance))
    return kappa


Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Pair:
    """How two raters agree.

    Parameters
    ----------
    a, b : int
        The raters.
    agreement : float
        Share of rows that both name alike.
    kappa : float
        Cohen's (NaN where both always say the same one name).
    differ : tuple of (int, int, int)
        Name by a, name by b, rows: those that differ, most frequent first.
    """

    a: int
    b: int
    agreement: float
    kappa: float
    differ: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class StatusAgreement:
    """Agreement on the rows of one status.

    Parameters
    ----------
    disagree : int
        Rows that are not named alike by all.
    share : float
        Of all rows that are not named alike (NaN where there are none).
    kappa : float
        Fleiss'.
    """

    status: str
    n: int
    disagree: int
    share: float
    kappa: float


@dataclass(frozen=True)
class Agreement:
    """How several raters agree on n rows.

    Parameters
    ----------
    names : tuple of R str
        The raters.
    classes : tuple of K str
        What any of them can say.
    unanimous : Interval
        Share of rows that all name alike.
    majority : float
        Share of rows that more than half name alike.
    distinct : tuple of int
        Rows with 1, 2, … different names.
    kappa : Interval
        Fleiss'.
    pairs : tuple of Pair
    by_status : tuple of StatusAgreement
    untied : Interval
        Share that all name alike, of the rows that one strategy explains best (NaN where there are none).
    n_untied : int
        Such rows.
    tied_share : float
        Of all rows that are not named alike, those on which strategies tie (NaN where there are none).
    unit : str, plural of what the intervals resample
    """

    names: tuple[str, ...]
    classes: tuple[str, ...]
    n: int
    n_games: int
    unanimous: Interval
    majority: float
    distinct: tuple[int, ...]
    kappa: Interval
    pairs: tuple[Pair, ...]
    by_status: tuple[StatusAgreement, ...]
    untied: Interval
    n_untied: int
    tied_share: float
    unit: str = "games"


def agreement(
    codes: Codes,
    status: NDArray[np.object_],
    tied: NDArray[np.bool_],
    games: Codes,
    names: tuple[str, ...],
    classes: tuple[str, ...],
    statuses: tuple[str, ...],
    *,
    samples: int,
    level: float,
    rng: np.random.Generator,
) -> Agreement:
    """All measures of agreement at once.

    Parameters
    ----------
    codes : (n, R) int, name that each rater gives to each row, of K
    status : (n,) str, by which rows are divided
    tied : (n,) bool, whether several strategies explain the row equally well
    games : (n,) int, cluster of each row, resampled as a whole
    names : R raters
    classes : K names
    statuses : those to divide by, in order
    samples : int, bootstrap samples
    level : float in (0, 1)
    """
    counts = name_counts(codes, len(classes))
    distinct = (counts > 0).sum(axis=1)
    alike = distinct == 1
    unanimous, untied = (_share(alike[rows], games[rows], level) for rows in (np.ones_like(alike), ~tied))
    apart_all = max(int((~alike).sum()), 1)
    parts = []
    for name in statuses:
        rows = status == name
        apart = int((rows & ~alike).sum())
        share = np.nan if alike.all() else apart / apart_all
        parts.append(StatusAgreement(name, int(rows.sum()), apart, share, fleiss_kappa(counts[rows])))
    raters = range(codes.shape[1])
    return Agreement(
        names,
        classes,
        len(codes),
        len(np.unique(games)),
        unanimous,
        float((majority(counts) >= 0).mean()),
        tuple(np.bincount(distinct, minlength=codes.shape[1] + 1)[1:].tolist()),
        fleiss_interval(counts, games, samples=samples, level=level, rng=rng),
        tuple(_pair(codes, a, b, len(classes)) for a in raters for b in raters if a < b),
        tuple(parts),
        untied,
        int((~tied).sum()),
        float("nan") if alike.all() else int((tied & ~alike).sum()) / apart_all,
    )


def _share(hits: NDArray[np.bool_], games: Codes, level: float) -> Interval:
    if not len(hits):
        return Interval(np.nan, np.nan, np.nan)
    (interval,) = share_intervals(hits[:, None].astype(float), games, level=level)
    return interval


def name_counts(codes: Codes, k: int) -> NDArray[np.float64]:
    """(n, K), raters that give each name to each row, of (n, R) codes."""
    counts = np.zeros((len(codes), k))
    for rater in codes.T:
        counts[np.arange(len(codes)), rater] += 1
    return counts


def majority(counts: NDArray[np.float64]) -> Codes:
    """(n,), the name that more than half of the raters give, -1 where there is none."""
    most: Codes = counts.argmax(axis=1)
    most[counts.max(axis=1) * 2 <= counts.sum(axis=1)] = -1
    return most


def _pair(codes: Codes, a: int, b: int, k: int) -> Pair:
    table = np.bincount(codes[:, a] * k + codes[:, b], minlength=k * k).reshape(k, k)
    off = [(int(i), int(j), int(table[i, j])) for i, j in np.argwhere(table) if i != j]
    off.sort(key=lambda cell: (-cell[2], cell[:2]))
    alike = float(np.trace(table) / max(table.sum(), 1))
    return Pair(a, b, alike, cohen_kappa(table.astype(float)), tuple(off))
