"""Counts of play among several others, read once for every threshold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.encode.counted_others import CountedOthers
from intent.logs.trajectories import Trajectories
from intent.recognise.sfem.counts import Counts, count_moves
from intent.recognise.sfem.gaps import Gaps
from intent.strategies.automaton import Strategy
from intent.strategies.threshold import ThresholdStrategy

__all__ = ["Play", "Player", "count_play"]

Play = Trajectories | CountedOthers
Player = Strategy | ThresholdStrategy


def count_play(X: Play, subjects: NDArray[np.intp], players: Sequence[Player]) -> Counts:
    """Counts of all subjects, as `count_moves`.

    Among several others each threshold reads them as one player of its own, and the counts of its strategies
    are those against that player.

    Parameters
    ----------
    X : Trajectories for strategies, CountedOthers for strategies with thresholds
    subjects : (N,) int in 0 .. n - 1, the subject of each trajectory
    players : K Strategy or ThresholdStrategy, in the order of the counts
    """
    if isinstance(X, Trajectories):
        return count_moves(X, subjects, [s for s in players if isinstance(s, Strategy)])
    thresholds = [s for s in players if isinstance(s, ThresholdStrategy)]
    asked = [1 if s.k is None else s.k for s in thresholds]
    order: list[int] = []
    parts: list[Counts] = []
    for k in sorted(set(asked)):
        own = [i for i, wanted in enumerate(asked) if wanted == k]
        parts.append(count_moves(X.at_least(k), subjects, [thresholds[i].strategy for i in own]))
        order += own
    return _side_by_side(parts).only(np.argsort(order).tolist())


def _side_by_side(parts: Sequence[Counts]) -> Counts:
    """Counts of the same subjects under the strategies of all parts."""
    columns = np.cumsum([0, *(len(c.p) for c in parts)])
    strategies = np.cumsum([0, *(c.n_strategies for c in parts)])
    first = np.concatenate([[0], *(c.first[1:] + start for c, start in zip(parts, columns, strict=False))])
    gaps = Gaps.join(
        [
            c.gaps.take(np.arange(len(c.gaps)), c.gaps.row, c.gaps.strategy + start)
            for c, start in zip(parts, strategies, strict=False)
        ]
    )
    moves = np.concatenate([c.moves for c in parts], axis=1)
    return Counts(np.concatenate([c.p for c in parts]), first, moves, parts[0].choices, gaps)
