"""What Moran processes ended in: shares with binomial intervals, beside what drift alone would give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from intent.analysis.binomial import exact_share
from intent.analysis.bootstrap import Interval
from intent.arena.evolution.moran import BATCHES, MoranRuns

__all__ = ["Equilibrium", "Verdict", "equilibria", "long_run"]

Verdict = Literal["above", "below", "compatible"]


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

    The standard error is that of the batches of all runs, taken as independent: a batch must be long beside
    the time that a population needs to change.

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
    from scipy.stats import t

    batches = runs.shares.reshape(-1, runs.shares.shape[-1])
    mean, n = batches.mean(axis=0), len(batches)
    reach = float(t.ppf((1 + level) / 2, n - 1)) * batches.std(axis=0, ddof=1) / np.sqrt(n)
    assert n >= BATCHES
    return {
        name: Interval(float(m), max(0.0, float(m - r)), min(1.0, float(m + r)))
        for name, m, r in zip(runs.names, mean, reach, strict=True)
    }
