"""Moran processes played together, step by step, so that calls of numpy cost little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.arena.evolution.generation import Generation

__all__ = ["BATCHES", "Part", "play_together"]

BATCHES = 20
"""Parts of the steps after the first fifth, whose means tell the error of a long-run share."""

_POINTS = 1024
"""Compositions kept of one run: every one of short runs, every 2nd, 4th, … of longer ones."""

_UNIFORMS = 1 << 20
"""Random numbers drawn ahead; bounds memory."""


@dataclass(frozen=True, eq=False)
class Part:
    """Runs that were played together, as in `intent.arena.evolution.moran.MoranRuns`.

    Attributes
    ----------
    winner, steps, final, paths, shares : as there; of every run a path
    """

    winner: NDArray[np.intp]
    steps: NDArray[np.int64]
    final: NDArray[np.int64]
    paths: tuple[NDArray[np.int32], ...]
    shares: NDArray[np.float64] | None


def play_together(
    rule: Generation,
    initial: tuple[int, ...],
    seeds: Sequence[np.random.SeedSequence],
    steps: int,
) -> Part:
    """Moran processes in lock-step; those that are over leave the arrays.

    Parameters
    ----------
    rule : Generation
    initial : (m,) int
    seeds : sequence of SeedSequence, one per run
    steps : int, as in `intent.arena.evolution.moran.moran`
    """
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
    return Part(winner, ended, counts, tuple(trail.paths), sums)


class _Trail:
    """Compositions on the way, thinned by halves; what a run keeps depends on its own length alone."""

    def __init__(self, counts: NDArray[np.int64]) -> None:
        self.stride, self.steps = 1, [0]
        self.kept = [counts.astype(np.int32)]
        self.paths: list[NDArray[np.int32]] = [np.empty((0, 0), dtype=np.int32)] * len(counts)

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
            at = np.array([*(at for at, _ in before), step], dtype=np.int32)
            rows = np.stack([*(row for _, row in before), counts[run].astype(np.int32)])
            self.paths[run] = np.column_stack([at, rows])
