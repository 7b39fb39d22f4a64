"""Does the first seat play otherwise than the second? Seats of a game exchanged with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.bootstrap import Interval, cluster_bootstrap
from intent.analysis.groups import cluster_codes
from intent.analysis.paired import sign_flip_p
from intent.errors import UsageError

__all__ = ["SeatEffects", "seat_effects"]

_CHUNK = 1 << 22

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
        First less second, with bootstrap-t intervals over clusters.
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
    equal : sequence of str
    cluster : sequence of str
        Games alike in these columns are flipped together.
    samples : int
    level : float in (0, 1)
    rng : Generator

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
        wanted = f" alike in {', '.join(equal)}" if equal else ""
        raise UsageError(f"no game of two seats{wanted} among {len(table)} rows, expected at least one")
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
        differences=tuple(cluster_bootstrap(difference, clusters, samples=samples, level=level, rng=rng)),
        p_each=tuple(sign_flip_p(column, samples, rng) for column in sums.T),
        p=p,
        statistic=statistic,
    )


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
