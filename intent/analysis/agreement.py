"""Agreement between recognisers: how far they name the same strategies, where they differ, on which play."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.analysis.bootstrap import Interval
from intent.analysis.kappa import cohen_kappa, fleiss_interval, fleiss_kappa
from intent.analysis.score_interval import share_intervals

__all__ = [
    "Agreement",
    "Pair",
    "StatusAgreement",
    "agreement",
    "majority",
    "name_counts",
]

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
    status : str
    n : int
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
    n, n_games : int
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
    rng : Generator
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
    (found,) = share_intervals(hits[:, None].astype(float), games, level=level)
    return found


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
