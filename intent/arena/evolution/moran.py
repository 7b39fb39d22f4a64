"""The Moran process: many populations at once, every match looked up in a round robin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from intent.arena.evolution.generation import Generation
from intent.arena.evolution.pool import Pool
from intent.errors import UsageError
from intent.parallel import SERIAL, Workers

__all__ = ["MoranRuns", "check_population", "check_process", "moran"]

BATCHES = 20
"""Parts of the steps after the first fifth, whose means tell the error of a long-run share."""

_POINTS = 1024
"""Compositions kept of one run: every one of short runs, every 2nd, 4th, … of longer ones."""

_TOGETHER = 200
"""Runs in lock-step: enough that calls of numpy cost little, few enough to stay in the processor's cache."""

_SHARE = 10_000_000
"""Random numbers, about, that are worth a process of their own, whose start takes half a second."""

_UNIFORMS = 1 << 20
"""Random numbers drawn ahead; bounds memory."""


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
    paths : tuple of (k, 1 + m) int, one per run
        Step and individuals then; thinned where long, first and last composition included.
    shares : (runs, BATCHES, m) float or None
        With mutation: mean shares in equal parts of the steps, the first fifth of them left out.
    """

    names: tuple[str, ...]
    initial: tuple[int, ...]
    winner: NDArray[np.intp]
    steps: NDArray[np.int64]
    final: NDArray[np.int64]
    paths: tuple[NDArray[np.int64], ...]
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
    streams = rng.bit_generator.seed_seq.spawn(runs)  # type: ignore[attr-defined]
    work = runs * (steps if mutation else min(steps, rule.n**2)) * (rule.n_uniforms + 20)
    shares = min(1 if workers is SERIAL else max(2, workers.size), work // _SHARE, runs)
    who = workers if shares > 1 else SERIAL
    size = min(_TOGETHER, -(-runs // shares)) if shares > 1 else _TOGETHER
    parts = [streams[k : k + size] for k in range(0, runs, size)]
    found, done = [], 0
    for part in who.map(partial(_played, rule, counts, steps=steps), parts):
        found.append(part)
        done += len(part.winner)
        if update is not None:
            update(done, runs)
    return _joined(found)


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


def _played(
    rule: Generation,
    initial: tuple[int, ...],
    seeds: Sequence[np.random.SeedSequence],
    steps: int,
) -> MoranRuns:
    """Runs in lock-step; those that are over leave the arrays."""
    streams = [np.random.default_rng(seed) for seed in seeds]
    runs, m = len(streams), len(initial)
    types = np.repeat(np.repeat(np.arange(m), initial)[None], runs, axis=0)
    counts = np.repeat(np.array(initial, dtype=np.int64)[None], runs, axis=0)
    active = np.arange(runs)
    winner, ended = np.full(runs, -1, dtype=np.intp), np.full(runs, steps, dtype=np.int64)
    trail = _Trail(counts)
    burn = steps // 5
    sums = np.zeros((runs, BATCHES, m)) if rule.mutation else None
    length = min(steps, max(1, min(1000, _UNIFORMS // (rule.n_uniforms * runs))))
    step = 0
    while True:
        if not rule.mutation:
            alone = counts[active].max(axis=1) == rule.n
            over, active, types = active[alone], active[~alone], types[~alone]
            winner[over], ended[over] = counts[over].argmax(axis=1), step
            trail.end(over, step, counts)
        if not len(active) or step == steps:
            break
        if step % length == 0:
            drawn = np.stack([streams[int(run)].random((length, rule.n_uniforms)) for run in active])
            rows = np.arange(len(active))
        elif len(rows) > len(active):
            rows = rows[~alone]
        born, dead = rule.step(types, drawn[rows, step % length])
        line = np.arange(len(active))
        old = types[line, dead]
        types[line, dead] = born
        counts[active, old] -= 1
        counts[active, born] += 1
        step += 1
        trail.add(step, counts)
        if sums is not None and step > burn:
            sums[:, (step - burn - 1) * BATCHES // (steps - burn)] += counts
    trail.end(active, step, counts)
    if sums is not None:
        sums /= sums.sum(axis=2, keepdims=True)
    return MoranRuns(rule.pool.names, initial, winner, ended, counts, tuple(trail.paths), sums)


class _Trail:
    """Compositions on the way, thinned by halves; what a run keeps depends on its own length alone."""

    def __init__(self, counts: NDArray[np.int64]) -> None:
        self.stride, self.steps = 1, [0]
        self.kept = [counts.astype(np.int32)]
        self.paths: list[NDArray[np.int64]] = [np.empty((0, 0), dtype=np.int64)] * len(counts)

    def add(self, step: int, counts: NDArray[np.int64]) -> None:
        if step % self.stride:
            return
        self.steps.append(step)
        self.kept.append(counts.astype(np.int32))
        if len(self.steps) > _POINTS:
            self.steps, self.kept, self.stride = self.steps[::2], self.kept[::2], 2 * self.stride

    def end(self, runs: NDArray[np.intp], step: int, counts: NDArray[np.int64]) -> None:
        for run in runs:
            before = [(at, kept[run]) for at, kept in zip(self.steps, self.kept, strict=True) if at < step]
            at = np.array([*(at for at, _ in before), step], dtype=np.int64)
            self.paths[run] = np.column_stack([at, np.stack([*(row for _, row in before), counts[run]])])


def _joined(parts: Sequence[MoranRuns]) -> MoranRuns:
    shares = [part.shares for part in parts if part.shares is not None]
    return MoranRuns(
        parts[0].names,
        parts[0].initial,
        np.concatenate([part.winner for part in parts]),
        np.concatenate([part.steps for part in parts]),
        np.concatenate([part.final for part in parts]),
        tuple(path for part in parts for path in part.paths),
        np.concatenate(shares) if shares else None,
    )
