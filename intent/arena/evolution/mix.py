"""One start of a population: its Moran processes, and beside them the exact chain and the replicator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from intent.analysis.bootstrap import Interval
from intent.arena.evolution.chain import MOST_STATES, moran_chain
from intent.arena.evolution.equilibria import Equilibrium, equilibria, long_run
from intent.arena.evolution.moran import PATH_ROWS, MoranRuns, moran
from intent.arena.evolution.pool import Pool, mean_payoffs
from intent.arena.evolution.replicator import Course, replicator
from intent.parallel import SERIAL, Workers

__all__ = ["Mix", "evolve_mix"]


@dataclass(frozen=True, eq=False)
class Mix:
    """What becomes of one start.

    Parameters
    ----------
    initial : tuple of m int, individuals of each name
    runs : MoranRuns
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
    def mean_steps(self) -> float | None:
        """Mean births of the runs that ended with one name alone; None where none did."""
        over = self.runs.winner >= 0
        return float(self.runs.steps[over].mean()) if over.any() else None

    @property
    def unfinished(self) -> int:
        """Runs whose steps ran out."""
        return int((self.runs.winner < 0).sum())


def evolve_mix(
    pool: Pool,
    initial: Sequence[int],
    *,
    runs: int,
    rng: np.random.Generator,
    steps: int = 100_000,
    mutation: float = 0.0,
    intensity: float = 1.0,
    path_rows: int = PATH_ROWS,
    workers: Workers = SERIAL,
    level: float = 0.95,
    update: Callable[[int, int], None] | None = None,
) -> Mix:
    """Play Moran processes from a start and work out what is known of them exactly.

    Parameters
    ----------
    pool, initial, runs, rng, steps, mutation, intensity, path_rows, workers, update : as `moran`
    level : float in (0, 1), of the intervals

    Raises
    ------
    UsageError
        As `moran`.
    """
    found = moran(
        pool,
        initial,
        runs=runs,
        rng=rng,
        steps=steps,
        mutation=mutation,
        intensity=intensity,
        path_rows=path_rows,
        workers=workers,
        update=update,
    )
    counts = np.array(found.initial)
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
        found.initial,
        found,
        equilibria(found, level=level),
        fixation,
        expected,
        long_run(found, level=level),
        stationary,
        replicator(means, (counts / n).tolist()),
    )
