"""The Moran process: many populations at once, every match looked up in a round robin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from intent.arena.evolution.generation import Generation
from intent.arena.evolution.lock_step import BATCHES, Part, play_together
from intent.arena.evolution.pool import Pool
from intent.errors import UsageError
from intent.parallel import SERIAL, Workers

__all__ = ["PATH_ROWS", "MoranRuns", "check_population", "check_process", "moran"]

PATH_ROWS = 1_000_000
"""Compositions that are kept of all runs together, of whole runs in their order."""

_PATH_CELLS = 20_000_000
"""Numbers in them: of more than nineteen names, fewer are kept."""

_TOGETHER = 200
"""Runs in lock-step: enough that calls of numpy cost little, few enough to stay in the processor's cache."""

_SHARE = 10_000_000
"""Random numbers, about, that are worth a process of their own, whose start takes half a second."""


@dataclass(frozen=True, eq=False)
class MoranRuns:
    """How Moran processes went.

    Parameters
    ----------
    names : tuple of m str
    initial : tuple of m int, individuals at the start
    winner : (runs,) int, place of the name that is left alone; -1 where the steps ran out
    steps : (runs,) int, births
    final : (runs, m) int, individuals at the end
    paths : tuple of (k, 1 + m) int32, of the first runs as far as they were kept
        Step and individuals then; thinned where long, first and last composition included.
    typical : (k, 1 + m) int32
        As `paths`, of the run whose length is nearest to the median.
    shares : (runs, BATCHES, m) float or None
        With mutation: mean shares in equal parts of the steps, the first fifth of them left out.
    """

    names: tuple[str, ...]
    initial: tuple[int, ...]
    winner: NDArray[np.intp]
    steps: NDArray[np.int64]
    final: NDArray[np.int64]
    paths: tuple[NDArray[np.int32], ...]
    typical: NDArray[np.int32]
    shares: NDArray[np.float64] | None = None


def moran(
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
    update: Callable[[int, int], None] | None = None,
) -> MoranRuns:
    """Play Moran processes until one name is alone in each, or the steps run out.

    In every step

    1. each of the n individuals meets each other one; for each match both draw a strategy of their name
       uniformly, and the match is a random repetition of that pair in the pool. With pi the mean payoff
       per opponent and turn, fitness is f = 1 - w + w pi; w = 1 is proportional to the total payoff;
    2. an individual is cloned with probability f / sum f (uniformly where all fitness is 0);
    3. the clone takes the place of an individual drawn uniformly from all n, its parent included. With
       probability mu it is of another name, drawn uniformly.

    Each run has its own stream of random numbers, so that the outcome is the same on any number of workers.

    Parameters
    ----------
    pool : Pool
    initial : (m,) int, individuals of each name
    runs : int
    rng : Generator, whose spawned streams the runs draw from
    steps : int
        Most births in one run; with mutation, exactly as many.
    mutation : float in [0, 1], mu
    intensity : float in [0, 1], of selection, w
    path_rows : int
        Compositions on the way that are kept; the first run that would exceed it, and all later ones, keep
        none. Beyond them memory holds a few numbers per run.
    workers : Workers
        Short work is done in this process.
    update : callable, optional
        Told of runs done and to do.

    Raises
    ------
    UsageError
        A population, rate or number that cannot be, or negative fitness.

    References
    ----------
    Moran 1958, Mathematical Proceedings of the Cambridge Philosophical Society 54:60; Willis, Du, Leibo &
    Luck 2025, arXiv:2501.16173, 3.4; Nowak, Sasaki, Taylor & Fudenberg 2004, Nature 428:646 (w).
    """
    counts = check_population(pool.names, initial)
    check_process(runs, steps, mutation, intensity)
    if mutation and len(counts) < 2:
        raise UsageError("mutation needs at least two names")
    rule = Generation(pool, sum(counts), mutation, intensity)
    seeds = rng.bit_generator.seed_seq
    assert isinstance(seeds, np.random.SeedSequence)
    first = seeds.n_children_spawned
    work = runs * (steps if mutation else min(steps, rule.n**2)) * (rule.n_uniforms + 20)
    shares = min(1 if workers is SERIAL else max(2, workers.size), work // _SHARE, runs)
    who = workers if shares > 1 else SERIAL
    size = min(_TOGETHER, -(-runs // shares)) if shares > 1 else _TOGETHER
    parts = (seeds.spawn(min(size, runs - k)) for k in range(0, runs, size))
    play = partial(play_together, rule, counts, steps=steps)
    left = min(path_rows, _PATH_CELLS // (1 + len(counts)))
    found: list[Part] = []
    paths: list[NDArray[np.int32]] = []
    done = 0
    for part in who.map(play, parts):
        for path in part.paths:
            if len(path) > left:
                left = 0
                break
            left -= len(path)
            paths.append(path)
        found.append(replace(part, paths=()))
        done += len(part.winner)
        if update is not None:
            update(done, runs)
    lengths = np.concatenate([part.steps for part in found])
    run = int(np.abs(lengths - np.median(lengths)).argmin())
    if run < len(paths):
        typical = paths[run]
    else:
        again = np.random.SeedSequence(
            seeds.entropy, spawn_key=(*seeds.spawn_key, first + run), pool_size=seeds.pool_size
        )
        typical = play([again]).paths[0]
    over = [part.shares for part in found if part.shares is not None]
    return MoranRuns(
        pool.names,
        counts,
        np.concatenate([part.winner for part in found]),
        lengths,
        np.concatenate([part.final for part in found]),
        tuple(paths),
        typical,
        np.concatenate(over) if over else None,
    )


def check_process(runs: int, steps: int, mutation: float, intensity: float) -> None:
    """Refuse numbers and rates that make no process.

    Raises
    ------
    UsageError
    """
    if not 1 <= runs <= 1_000_000 or not 1 <= steps <= 100_000_000:
        raise UsageError(f"{runs} runs of {steps} steps, expected 1 to a million, and up to 100 million")
    for name, value in (("mutation", mutation), ("intensity", intensity)):
        if not 0 <= value <= 1:
            raise UsageError(f"{name} {value:g}, expected 0 to 1")
    if mutation and steps < 5 * BATCHES:
        raise UsageError(f"{steps} steps with mutation, expected at least {5 * BATCHES}")


def check_population(names: Sequence[str], initial: Sequence[int]) -> tuple[int, ...]:
    """The individuals of each name, if they make a population.

    Raises
    ------
    UsageError
    """
    counts = tuple(int(count) for count in initial)
    if len(counts) != len(names):
        raise UsageError(
            f"{len(counts)} numbers of individuals, expected {len(names)} ({', '.join(names[:12])})"
        )
    if min(counts) < 0 or sum(counts) < 2:
        raise UsageError(f"individuals {', '.join(map(str, counts))}, expected two or more in all, none < 0")
    return counts
