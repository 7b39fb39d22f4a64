"""Memory-one vectors: how often a player cooperates after each joint outcome, with exact intervals.

Memory-one portraits of groups: how often they cooperate first, and after each joint outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.statistics.groups import grouping
from intent.base.statistics.intervals import bootstrap_means, clopper_pearson
from intent.behaviour.means import STANDARD, Intervals
from intent.estimate.design_units import design_units

__all__ = ["OUTCOMES", "SITUATIONS", "Conditional", "memory_one", "portraits", "situation_counts"]


OUTCOMES = {"cc": (1, 1), "cd": (1, 0), "dc": (0, 1), "dd": (0, 0)}
"""Joint outcome of the last round, own move first."""


@dataclass(frozen=True, eq=False)
class Conditional:
    """Cooperation after one outcome, per trajectory.

    Parameters
    ----------
    value, low, high : (n,) float, share of cooperation and the ends of its interval; NaN without moves
    hits, n : (n,) int64, moves after the outcome that cooperate, and all
    """

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    hits: NDArray[np.int64]
    n: NDArray[np.int64]


def memory_one(
    own: NDArray[np.int8], other: NDArray[np.int8], *, level: float = 0.95
) -> dict[str, Conditional]:
    """Share of cooperation after CC, CD, DC and DD, in that order, of each trajectory.

    A move counts where it and both moves of the round before are known. The interval is that of a
    binomial, moves taken as independent given the outcome before.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    level : float in (0, 1)

    References
    ----------
    Nowak & Sigmund 1993, Nature 364:56.
    """
    conditionals = {}
    m, o = np.ascontiguousarray(own.T), np.ascontiguousarray(other.T)
    for name, (mine, theirs) in OUTCOMES.items():
        after = (m[:-1] == mine) & (o[:-1] == theirs)
        hits = (after & (m[1:] == 1)).sum(axis=0, dtype=np.int64)
        n = (after & (m[1:] >= 0)).sum(axis=0, dtype=np.int64)
        low, high = clopper_pearson(hits, n, level=level)
        value = np.where(n > 0, hits / np.maximum(n, 1), np.nan)
        conditionals[name] = Conditional(value, low, high, hits, n)
    return conditionals


SITUATIONS = ("first", "CC", "CD", "DC", "DD")
"""Where a player of memory one can stand: in round 1, and after each outcome, own move first."""

_AFTER = SITUATIONS[1:]


def portraits(
    metrics: pd.DataFrame,
    by: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> pd.DataFrame:
    """P(C) in each situation, of the moves of each group taken together.

    With h_g and n_g the cooperative and all moves of game g in a situation, p = sum h_g / sum n_g; percentile
    intervals resample whole games. Where p is 0 or 1, which no resample changes, the end is that of the exact
    binomial interval with one observation per game.

    Parameters
    ----------
    metrics : DataFrame
        A row per trajectory: first_move, p_cc, p_cc_n, … as in the table of metrics; game_id where known.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        `by`, situation, n (moves), n_games, estimate, low, high. A situation that never came has n 0 and NaN.

    References
    ----------
    Nowak & Sigmund 1993, Nature 364:56.
    """
    groups = grouping(metrics, by)
    clusters = design_units(metrics, conditions=False).unit.codes
    hits, n = _counts(metrics)
    rows = []
    for code, values in enumerate(groups.values):
        inside = groups.codes == code
        for k, cells in enumerate(_cells(hits[inside], n[inside], clusters[inside], rng, intervals)):
            rows.append((*values, SITUATIONS[k], *cells))
    return pd.DataFrame(rows, columns=[*by, "situation", "n", "n_games", "estimate", "low", "high"])


def situation_counts(table: pd.DataFrame) -> pd.DataFrame:
    """A row per trajectory of two-player games, with what `portraits` needs.

    A move counts where it and both moves of the round before are known.

    Parameters
    ----------
    table : DataFrame
        As `intent.behaviour.play_table.played` returns.

    Returns
    -------
    DataFrame
        One row per focal seat: the columns that are constant within it, first_move, p_cc, p_cc_n, ….
    """
    two = table[(table["n_players"] == 2).to_numpy()].reset_index(drop=True)
    keys = ["game_id", "round", "seat"]
    before = two[[*keys, "cooperated"]].assign(round=two["round"] + 1)
    own = before.rename(columns={"cooperated": "_own"})
    other = before.assign(seat=3 - before["seat"]).rename(columns={"cooperated": "_other"})
    moves = two[two["focal"]].merge(own, on=keys, how="left").merge(other, on=keys, how="left")
    moves["_after"] = 3 - 2 * moves["_own"] - moves["_other"]
    seats = moves.groupby(["game_id", "seat"], observed=True)
    rows = seats.first().drop(columns=["round", "_own", "_other", "_after"])
    opening = moves[moves["round"] == 1].set_index(["game_id", "seat"])["cooperated"]
    rows["first_move"] = opening.reindex(rows.index)
    known = moves[moves["cooperated"].notna()]
    for code, outcome in enumerate(_AFTER):
        part = known[known["_after"] == code].groupby(["game_id", "seat"], observed=True)["cooperated"]
        rows[f"p_{outcome.lower()}"] = part.mean().reindex(rows.index)
        rows[f"p_{outcome.lower()}_n"] = part.size().reindex(rows.index).fillna(0).astype(int)
    return rows.reset_index()


def _counts(metrics: pd.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(m, 5) cooperative moves and moves of each trajectory in each situation."""
    first = metrics["first_move"].to_numpy(dtype=float, na_value=np.nan)
    hits, n = [np.nan_to_num(first)], [(~np.isnan(first)).astype(float)]
    for outcome in _AFTER:
        moves = metrics[f"p_{outcome.lower()}_n"].to_numpy(dtype=float, na_value=0.0)
        share = metrics[f"p_{outcome.lower()}"].to_numpy(dtype=float, na_value=np.nan)
        hits.append(np.nan_to_num(share) * moves)
        n.append(moves)
    return np.stack(hits, axis=1), np.stack(n, axis=1)


def _cells(
    hits: NDArray[np.float64],
    n: NDArray[np.float64],
    clusters: NDArray[np.intp],
    rng: np.random.Generator,
    intervals: Intervals,
) -> list[tuple[int, int, float, float, float]]:
    """(n, n_games, estimate, low, high) of each situation in one group."""
    k = hits.shape[1]
    drawn = bootstrap_means(np.hstack([hits, n]), clusters, intervals.samples, rng)
    tail = (1 - intervals.level) / 2
    cells = []
    for j in range(k):
        moves, games = float(n[:, j].sum()), len(np.unique(clusters[n[:, j] > 0]))
        if not moves:
            cells.append((0, 0, np.nan, np.nan, np.nan))
            continue
        p = float(hits[:, j].sum()) / moves
        cells.append((round(moves), games, p, *_ends(p, drawn[:, j], drawn[:, k + j], games, tail)))
    return cells


def _ends(
    p: float, hits: NDArray[np.float64], n: NDArray[np.float64], games: int, tail: float
) -> tuple[float, float]:
    reach = 1 - tail ** (1 / games)
    if p < 1e-12:
        return 0.0, reach
    if p > 1 - 1e-12:
        return 1 - reach, 1.0
    if games == 1:
        return 0.0, 1.0
    low, high = np.quantile(hits[n > 0] / n[n > 0], [tail, 1 - tail])
    return float(min(low, p)), float(max(high, p))
