"""One start of a population: its Moran processes, and beside them the exact chain and the replicator."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intent.arena.evolution.exact import MOST_STATES, moran_chain
from intent.arena.evolution.moran import BATCHES, MoranRuns
from intent.arena.evolution.population import Pool, mean_payoffs
from intent.arena.evolution.stability import Course, replicator
from intent.base.statistics.intervals import Interval, exact_share

__all__ = ["Equilibrium", "Mix", "Verdict", "equilibria", "long_run", "mix_of"]


Verdict = Literal["above", "below", "compatible"]

_JOINED = (1, 2, 4, BATCHES)
"""Batches joined to one; the last are whole runs."""


@dataclass(frozen=True)
class Equilibrium:
    """How often one name was left alone.

    Parameters
    ----------
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
    level : float in (0, 1)

    References
    ----------
    Clopper & Pearson 1934, Biometrika 26:404.
    """
    n, total = len(runs.winner), sum(runs.initial)
    shares = []
    for k, name in enumerate(runs.names):
        drift = runs.initial[k] / total
        share = exact_share(int((runs.winner == k).sum()), n, level=level)
        verdict: Verdict = "above" if share.low > drift else "below" if share.high < drift else "compatible"
        shares.append(Equilibrium(name, share, drift, verdict))
    return tuple(shares)


def long_run(runs: MoranRuns, *, level: float = 0.95) -> dict[str, Interval] | None:
    """With mutation, mean share of each name over time, by batch means; None without.

    A batch must be long beside the time that a population needs to change. Nobody knows that time: so the
    batches of a run are also joined, by two, by four, all of them, as long as five are left over all runs,
    and the widest of these intervals is given.

    Parameters
    ----------
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


@dataclass(frozen=True, eq=False)
class Mix:
    """What becomes of one start.

    Parameters
    ----------
    initial : tuple of m int, individuals of each name
    equilibria : tuple of m Equilibrium
    fixation : (m,) float or None
        Probabilities of ending alone, from mean payoffs; None of large populations and with mutation.
    expected_steps : float or None, as `fixation`
    long_run : name -> Interval, or None without mutation
    stationary : (m,) float or None
        With mutation: mean shares in the long run, from mean payoffs; None of large populations.
    course : Course, of the replicator dynamics, without mutation
    """

    initial: tuple[int, ...]
    runs: MoranRuns
    equilibria: tuple[Equilibrium, ...]
    fixation: NDArray[np.float64] | None
    expected_steps: float | None
    long_run: dict[str, Interval] | None
    stationary: NDArray[np.float64] | None
    course: Course

    @property
    def shares(self) -> tuple[Interval, ...]:
        """By name: of the runs that ended with it alone; with mutation, of the time."""
        if self.long_run is None:
            return tuple(e.share for e in self.equilibria)
        return tuple(self.long_run[e.name] for e in self.equilibria)

    @property
    def exact(self) -> NDArray[np.float64] | None:
        """(m,) what `shares` estimate, from mean payoffs; None of large populations."""
        return self.fixation if self.long_run is None else self.stationary

    @property
    def mean_steps(self) -> float | None:
        """Mean births of the runs that ended with one name alone; None where none did."""
        over = self.runs.winner >= 0
        return float(self.runs.steps[over].mean()) if over.any() else None

    @property
    def unfinished(self) -> int:
        """Runs whose steps ran out."""
        return int((self.runs.winner < 0).sum())


def mix_of(
    pool: Pool, processes: MoranRuns, *, mutation: float = 0.0, intensity: float = 1.0, level: float = 0.95
) -> Mix:
    """What became of a start, and what is known of it exactly.

    Parameters
    ----------
    processes : MoranRuns, of this pool, mutation and intensity
    level : float in (0, 1), of the intervals
    """
    counts = np.array(processes.initial)
    means, n = mean_payoffs(pool), int(counts.sum())
    fixation = stationary = None
    expected = None
    present = np.arange(len(counts)) if mutation else np.flatnonzero(counts)
    if comb(n + len(present) - 1, len(present) - 1) <= MOST_STATES:
        chain = moran_chain(means[np.ix_(present, present)], n, mutation=mutation, intensity=intensity)
        if mutation:
            stationary = chain.stationary() @ chain.states / n
        else:
            start = chain.place(counts[present].tolist())
            fixation = np.zeros(len(counts))
            fixation[present] = chain.fixation()[start]
            expected = float(chain.mean_steps()[start])
    return Mix(
        processes.initial,
        processes,
        equilibria(processes, level=level),
        fixation,
        expected,
        long_run(processes, level=level),
        stationary,
        replicator(means, (counts / n).tolist()),
    )
