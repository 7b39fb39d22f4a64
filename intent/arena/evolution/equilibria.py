"""What Moran processes ended in: shares with binomial intervals, beside what drift alone would give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intent.analysis.binomial import exact_share
from intent.analysis.bootstrap import Interval
from intent.arena.evolution.lock_step import BATCHES
from intent.arena.evolution.moran import MoranRuns

__all__ = ["Equilibrium", "Verdict", "equilibria", "long_run"]

Verdict = Literal["above", "below", "compatible"]

_JOINED = (1, 2, 4, BATCHES)
"""Batches joined to one; the last are whole runs."""


@dataclass(frozen=True)
class Equilibrium:
    """How often one name was left alone.

    Parameters
    ----------
    name : str
    share : Interval, of all runs
    initial : float
        Its share at the start, the probability of fixation where all earn alike.
    verdict : {"above", "below", "compatible"}
        Where the interval lies beside it.
    """

    name: str
    share: Interval
    initial: float
    verdict: Verdict


def equilibria(runs: MoranRuns, *, level: float = 0.95) -> tuple[Equilibrium, ...]:
    """Shares of the runs that ended with each name alone; runs without an end count as not ended so.

    The intervals are exact binomial ones, each on its own: with three names, one in seven tables of pure
    drift shows some share outside its 95 % interval.

    Parameters
    ----------
    runs : MoranRuns
    level : float in (0, 1)

    References
    ----------
    Clopper & Pearson 1934, Biometrika 26:404.
    """
    n, total = len(runs.winner), sum(runs.initial)
    found = []
    for k, name in enumerate(runs.names):
        drift = runs.initial[k] / total
        share = exact_share(int((runs.winner == k).sum()), n, level=level)
        verdict: Verdict = "above" if share.low > drift else "below" if share.high < drift else "compatible"
        found.append(Equilibrium(name, share, drift, verdict))
    return tuple(found)


def long_run(runs: MoranRuns, *, level: float = 0.95) -> dict[str, Interval] | None:
    """With mutation, mean share of each name over time, by batch means; None without.

    A batch must be long beside the time that a population needs to change. Nobody knows that time: so the
    batches of a run are also joined, by two, by four, all of them, as long as five are left over all runs,
    and the widest of these intervals is given.

    Parameters
    ----------
    runs : MoranRuns
    level : float in (0, 1)

    References
    ----------
    Law & Carson 1979, Operations Research 27:1011 (batch means).
    """
    if runs.shares is None:
        return None
    mean = runs.shares.mean(axis=(0, 1))
    reach = np.max([_reach(runs.shares, k, level) for k in _JOINED if _parts(runs.shares, k) >= 5], axis=0)
    return {
        name: Interval(float(m), max(0.0, float(m - r)), min(1.0, float(m + r)))
        for name, m, r in zip(runs.names, mean, reach, strict=True)
    }


def _parts(shares: NDArray[np.float64], joined: int) -> int:
    """Batches of all runs, `joined` to one."""
    return len(shares) * (BATCHES // joined)


def _reach(shares: NDArray[np.float64], joined: int, level: float) -> NDArray[np.float64]:
    """Half the interval of each name, from batches taken as independent, `joined` to one."""
    from scipy.stats import t

    n = _parts(shares, joined)
    batches = shares.reshape(n, joined, -1).mean(axis=1)
    half: NDArray[np.float64] = (
        float(t.ppf((1 + level) / 2, n - 1)) * batches.std(axis=0, ddof=1) / np.sqrt(n)
    )
    return half
