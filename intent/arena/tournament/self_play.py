"""The two seats of self-play as one: what a strategy earns from its twin is the mean of both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.arena.round_robin import RoundRobin
from intent.arena.tournament.counts import MIRROR

__all__ = ["mean_cooperation", "mean_payoffs"]


def mean_payoffs(table: RoundRobin) -> NDArray[np.float64]:
    """(n, n) mean payoff per turn of i against j over repetitions; NaN where not played."""
    return _means(table, np.asarray(table.rules.payoffs))


def mean_cooperation(table: RoundRobin) -> NDArray[np.float64]:
    """(n, n) share of rounds against j in which i cooperated, over repetitions; NaN where not played."""
    return _means(table, np.array([1.0, 1.0, 0.0, 0.0]))


def _means(table: RoundRobin, worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means per turn; in self-play those of both seats, as the published matrices have it."""
    counts = table.outcomes.sum(axis=2)
    rounds = counts.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        found = np.asarray((counts @ worth) / np.where(rounds > 0, rounds, np.nan))
        same = np.arange(len(found))
        both = (worth + worth[MIRROR]) / 2
        found[same, same] = (counts[same, same] @ both) / np.where(
            rounds[same, same] > 0, rounds[same, same], np.nan
        )
    return found
