"""Threshold sweeps: how much is kept, how sure and how diverse it is, as labels must be surer and surer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Evidence", "Gate", "Point", "Sweep", "SweepGroup", "diversity"]

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
