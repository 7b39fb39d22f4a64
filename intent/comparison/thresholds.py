"""Threshold sweeps: how much is kept, how sure and how diverse it is, as labels must be surer and surer.

What thresholds keep, as sums that add up over pieces of a table of labels to those of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from intent.recognise.hybrid import reaches

__all__ = ["Evidence", "Gate", "Point", "Sweep", "SweepGroup", "SweepSums", "diversity", "sweep_sums"]


Gate = Literal["game", "trajectory"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a sweep needs to know of n labelled trajectories, whose labels are of u kinds.

    Attributes
    ----------
    confidence : (n,) probability of the most probable strategy
    kinds : (n,) int, kind of the label
    best : (u, K) float
        What a kind counts for by the recogniser: 1 for the most probable strategy, shared where several tie.
    rules : (u, K) float
        What it counts for by the rules that are satisfied; zero rows where none is.
    tied : (n,) bool, whether another strategy explains the play equally well
    games : (n,) int, number of the game
    """

    confidence: Floats
    kinds: NDArray[np.intp]
    best: Floats
    rules: Floats
    tied: NDArray[np.bool_]
    games: NDArray[np.intp]


@dataclass(frozen=True)
class Point:
    """One threshold, one group, one way to label.

    Parameters
    ----------
    kept : int
        Trajectories that get a label.
    retention : float
        Share of units kept: of trajectories, or of games under the gate on games.
    mean_confidence : float
        Mean over the kept trajectories of the recogniser's highest probability (NaN where none is kept).
    diversity : float
        As `diversity`, of `shares`.
    n_strategies : int
        Strategies with a share above zero.
    tied : float
        Share of the kept trajectories whose label is not the only one that explains them equally well.
    shares : tuple of K float
        Of the labels of the kept trajectories.
    """

    kept: int
    retention: float
    mean_confidence: float
    diversity: float
    n_strategies: int
    tied: float
    shares: tuple[float, ...]


@dataclass(frozen=True)
class SweepGroup:
    """The curves of one group.

    Parameters
    ----------
    values : tuple
        Value of every factor.
    n, n_games : int
        Trajectories, and games they come from, before any threshold.
    points : tuple of (Point, Point), one per threshold
        By the recogniser alone, and with rules where it is unsure.
    """

    values: tuple[Any, ...]
    n: int
    n_games: int
    points: tuple[tuple[Point, Point], ...]


@dataclass(frozen=True)
class Sweep:
    """What every threshold keeps of every group.

    Parameters
    ----------
    by : tuple of str
        Columns that make the groups.
    taus : tuple of float
    gate : "game" or "trajectory"
    rules : "expand" or "priority"
    split : bool
        Whether several rule labels share one trajectory.
    classes : tuple of K str
        What `Point.shares` are of.
    groups : tuple of SweepGroup
    """

    by: tuple[str, ...]
    taus: tuple[float, ...]
    gate: Gate
    rules: str
    split: bool
    classes: tuple[str, ...]
    groups: tuple[SweepGroup, ...]


def diversity(shares: Floats) -> float:
    """Shannon's entropy of shares over its maximum: H = -sum_k s_k ln s_k / ln K.

    0 where one strategy is all, 1 where all K are equally frequent; NaN where nothing was counted or K < 2.

    Parameters
    ----------
    shares : (K,) float that sum to one

    References
    ----------
    Shannon 1948, Bell System Technical Journal 27:379; normalised (evenness): Pielou 1966.
    """
    if len(shares) < 2 or not shares.sum() > 0:
        return math.nan
    some = shares[shares > 0]
    return float(max(0.0, -(some * np.log(some)).sum()) / math.log(len(shares)))


_UNIT = 2**40
"""Probabilities and weights are summed as whole multiples of 2^-40: the sum is then the same in any order."""

_TOGETHER = 1 << 20
"""Rows whose multiples a 64-bit integer can sum."""

_KEPT, _GAMES, _TIED, _CONFIDENCE, _COUNTS = range(5)


@dataclass(frozen=True, eq=False)
class SweepSums:
    """Sums over the trajectories of g groups that T thresholds keep.

    Attributes
    ----------
    n, n_games : (g,) int, trajectories and games before any threshold
    sums : (g, 2, T, 4 + K) int of any size
        By the recogniser alone, and with rules where it is unsure: trajectories kept, games kept (under the
        gate on games), tied ones among the trajectories, then in multiples of 2^-40 their confidence and
        what they count for.
    """

    n: NDArray[np.int64]
    n_games: NDArray[np.int64]
    sums: NDArray[np.object_]

    def __add__(self, other: SweepSums) -> SweepSums:
        """Of both, which have no game in common."""
        return SweepSums(self.n + other.n, self.n_games + other.n_games, self.sums + other.sums)

    def at(self, places: Sequence[int], n_groups: int) -> SweepSums:
        """The same groups at places among `n_groups`, the others empty."""
        rows = list(places)
        n, n_games = (np.zeros(n_groups, dtype=np.int64) for _ in range(2))
        sums = np.zeros((n_groups, *self.sums.shape[1:]), dtype=object)
        n[rows], n_games[rows], sums[rows] = self.n, self.n_games, self.sums
        return SweepSums(n, n_games, sums)

    def points(self, group: int, gate: Gate) -> tuple[tuple[Point, Point], ...]:
        """The curves of a group, a pair of points per threshold."""
        return tuple(
            (self._point(group, 0, t, gate), self._point(group, 1, t, gate))
            for t in range(self.sums.shape[2])
        )

    def _point(self, group: int, way: int, t: int, gate: Gate) -> Point:
        kept, games, tied, confidence, *counts = self.sums[group, way, t].tolist()
        units, of = (games, self.n_games) if gate == "game" else (kept, self.n)
        total = max(sum(counts), 1)
        shares = np.array([count / total for count in counts])
        return Point(
            kept,
            units / max(int(of[group]), 1),
            confidence / (_UNIT * kept) if kept else math.nan,
            diversity(shares),
            sum(count > 0 for count in counts),
            tied / kept if kept else math.nan,
            tuple(shares.tolist()),
        )


def sweep_sums(
    evidence: Evidence, taus: Sequence[float], gate: Gate, groups: NDArray[np.intp], n_groups: int
) -> SweepSums:
    """What every threshold keeps of each group: by the recogniser alone, and with rules where it is unsure.

    With b the number of thresholds that a confidence reaches, a trajectory has a label at the first b of
    them by the recogniser, and at all of them where rules are satisfied. So rows are counted by the last
    threshold that keeps them, and sums over later ones are what an earlier one keeps.

    Parameters
    ----------
    evidence : Evidence, of whole games
    taus : (T,) float in [0, 1], ascending
        Least probability of a label of the recogniser.
    gate : "game" or "trajectory"
        Whether a game is kept only where all of its labelled seats get a label; judged over all rows,
        before they are divided into groups.
    groups : (n,) int, number of the group of each row, -1 where it counts in none
    n_groups : int
    """
    n, last = len(evidence.confidence), len(taus)
    own = np.zeros(n, dtype=np.intp)
    for tau in taus:
        own += reaches(evidence.confidence, tau)
    ruled = np.asarray((evidence.rules > 0).any(axis=1))
    ends = [own, np.where(ruled[evidence.kinds], last, own)]
    if gate == "game" and n:
        ends = [_least(end, evidence.games) for end in ends]
    width = _COUNTS + evidence.best.shape[1]
    sums = np.zeros((n_groups, 2, last, width), dtype=object)
    first = _first_of_games(evidence.games, groups)
    if gate == "game":
        for way, end in enumerate(ends):
            ones = np.ones((len(first), 1), dtype=np.int64)
            sums[:, way, :, _GAMES] = _kept(groups[first], end[first], ones, n_groups, last)[..., 0]
    counted = np.flatnonzero(groups >= 0)
    for start in range(0, len(counted), _TOGETHER):
        rows = counted[start : start + _TOGETHER]
        for way, end in enumerate(ends):
            sums[:, way] += _sums_of(evidence, rows, groups[rows], own[rows], end[rows], n_groups, last)
    return SweepSums(
        np.bincount(groups[counted], minlength=n_groups), np.bincount(groups[first], minlength=n_groups), sums
    )


def _sums_of(
    evidence: Evidence,
    rows: NDArray[np.intp],
    groups: NDArray[np.intp],
    own: NDArray[np.intp],
    end: NDArray[np.intp],
    n_groups: int,
    last: int,
) -> NDArray[np.object_]:
    """(g, T, 4 + K) of some rows that are kept up to `end`, by the recogniser's label up to `own`."""
    facts = np.zeros((len(rows), _COUNTS), dtype=np.int64)
    facts[:, _KEPT], facts[:, _TIED] = 1, evidence.tied[rows]
    facts[:, _CONFIDENCE] = np.rint(evidence.confidence[rows] * _UNIT)
    best, rules = (np.rint(weights * _UNIT).astype(np.int64) for weights in (evidence.best, evidence.rules))
    kinds, sure = evidence.kinds[rows], np.minimum(own, end)
    counts = _kept_kinds(groups, sure, kinds, best, n_groups, last)
    if (sure < end).any():
        counts += _kept_kinds(groups, end, kinds, rules, n_groups, last)
        counts -= _kept_kinds(groups, sure, kinds, rules, n_groups, last)
    kept = _kept(groups, end, facts, n_groups, last)
    return np.concatenate([kept, counts], axis=2).astype(object)


def _least(values: NDArray[np.intp], games: NDArray[np.intp]) -> NDArray[np.intp]:
    """(n,), the lowest value of each row's game."""
    found = np.full(int(games.max()) + 1, np.iinfo(np.intp).max)
    np.minimum.at(found, games, values)
    return np.asarray(found[games])


def _first_of_games(games: NDArray[np.intp], groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """The first row of each game in each group."""
    counted = np.flatnonzero(groups >= 0)
    if not len(counted):
        return counted
    pairs = groups[counted] * (int(games.max()) + 1) + games[counted]
    return np.asarray(counted[np.unique(pairs, return_index=True)[1]])


def _kept(
    groups: NDArray[np.intp], end: NDArray[np.intp], values: NDArray[np.int64], n_groups: int, last: int
) -> NDArray[np.int64]:
    """(g, T, k): sums of (n, k) values over the rows that each threshold keeps, those before their end."""
    found = np.zeros((n_groups * (last + 1), values.shape[1]), dtype=np.int64)
    np.add.at(found, groups * (last + 1) + end, values)
    return _summed(found, n_groups, last)


def _kept_kinds(
    groups: NDArray[np.intp],
    end: NDArray[np.intp],
    kinds: NDArray[np.intp],
    weights: NDArray[np.int64],
    n_groups: int,
    last: int,
) -> NDArray[np.int64]:
    """(g, T, K): as `_kept`, of what each row's kind counts for."""
    found = np.zeros((n_groups * (last + 1), weights.shape[1]), dtype=np.int64)
    codes = (groups * (last + 1) + end) * len(weights) + kinds
    there, times = np.unique(codes, return_counts=True)
    np.add.at(found, there // len(weights), weights[there % len(weights)] * times[:, None])
    return _summed(found, n_groups, last)


def _summed(found: NDArray[np.int64], n_groups: int, last: int) -> NDArray[np.int64]:
    """Sums by the number of thresholds that are met -> sums by threshold."""
    by_end = found.reshape(n_groups, last + 1, -1)
    return np.asarray(by_end[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:])
