"""Does the first seat play otherwise than the second? Seats of a game exchanged with each other.

First against second seat, among the rows that are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.statistics.groups import cluster_codes
from intent.base.statistics.intervals import Interval, cluster_totals
from intent.comparison.paired_differences import sign_flip_p

if TYPE_CHECKING:
    from intent.comparison.share_tests import Comparison, Settings
    from intent.estimate.label_weights import Outcomes


__all__ = ["SeatEffects", "paired_intervals", "seat_effects", "seats_of"]


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
    found: Comparison,
    values: NDArray[np.float64] | None,
    counted: Outcomes | None,
    clusters: NDArray[np.intp],
    settings: Settings,
    seed: int,
) -> tuple[SeatEffects | None, list[str]]:
    """First against second seat of games whose seats are equal in all else, and notes.

    Parameters
    ----------
    rows, found, values, counted, clusters, settings, seed
        As `compare_extras.extras_of`.

    Returns
    -------
    SeatEffects, or None where the notes say why there are none
    notes : list of str
    """
    import numpy as np

    from intent.estimate.design_units import block_codes, design_columns, determines

    if not {"game_id", "seat"} <= set(rows.columns):
        return None, []
    games = block_codes(rows, ["game_id"])
    equal = [
        name
        for name in design_columns(rows)
        if name != "seat" and not determines(rows, "seat", name) and _varies(block_codes(rows, [name]), games)
    ]
    weights = counted.weights if counted is not None else np.asarray(values)[:, None]
    try:
        made = seat_effects(
            rows.assign(_cluster=clusters),
            weights,
            found.outcomes,
            equal=equal,
            cluster=("_cluster",),
            samples=settings.permutations or settings.bootstrap,
            level=settings.level,
            rng=np.random.default_rng(seed),
        )
    except UsageError as error:
        return None, [f"seats: {error}"]
    alike = f" whose seats have the same {' and '.join(equal)}" if equal else ""
    return made, [f"seats are compared within {made.n_games:,} games{alike}; {made.left_out:,} left out"]


def _varies(codes: NDArray[np.intp], games: NDArray[np.intp]) -> bool:
    """Whether a column differs between the seats of some game."""
    import numpy as np

    return len(np.unique(np.stack([games, codes]), axis=1).T) > len(np.unique(games))
