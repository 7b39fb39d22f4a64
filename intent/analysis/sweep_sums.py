"""What thresholds keep, as sums that add up over pieces of a table of labels to those of the whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.analysis.sweep import Evidence, Gate, Point, diversity
from intent.recognise.hybrid import reaches

__all__ = ["SweepSums", "sweep_sums"]

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
