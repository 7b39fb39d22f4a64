"""The Moran process, many populations at once, in lock-step, and what became of one start.

Beside its processes stand the exact chain and the replicator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intent.arena.evolution.exact import MOST_STATES, moran_chain
from intent.arena.evolution.population import Pool, mean_payoffs, strategy_payoffs
from intent.arena.evolution.stability import Course, replicator
from intent.base.errors import UsageError
from intent.base.statistics import Interval, exact_share
from intent.base.workers import SERIAL, Workers

__all__ = [
    "BATCHES",
    "PATH_ROWS",
    "Equilibrium",
    "Generation",
    "Mix",
    "MoranRuns",
    "Part",
    "Verdict",
    "check_population",
    "check_process",
    "equilibria",
    "long_run",
    "mix_of",
    "moran",
]


_MOST = 200
"""Individuals of a population whose matches are drawn one by one (19,900 of them)."""


class Generation:
    """The rule by which a population changes.

    Parameters
    ----------
    n : int, individuals
    mutation : float in [0, 1], probability that a clone is of another name
    intensity : float in [0, 1], of selection

    Attributes
    ----------
    n_uniforms : int
        Random numbers in [0, 1) of one step: for each match its two strategies and its repetition (where
        there is a choice), then birth, death and mutation.

    Raises
    ------
    UsageError
        More individuals than their matches can be drawn for.
    """

    def __init__(self, pool: Pool, n: int, mutation: float = 0.0, intensity: float = 1.0) -> None:
        most = 100_000 if pool.certain else _MOST
        if n > most:
            raise UsageError(f"{n} individuals, expected at most {most}")
        self.pool, self.n, self.mutation, self.intensity = pool, n, mutation, intensity
        self._means = strategy_payoffs(pool)
        self._sides = np.triu_indices(n, 1) if not pool.certain else (np.empty(0, int), np.empty(0, int))
        self._choices = 2 * int(pool.sizes.max() > 1) + int(pool.payoffs.shape[2] > 1)
        self.n_uniforms = self._choices * len(self._sides[0]) + 3

    def step(
        self, types: NDArray[np.intp], u: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Who is born, and who dies.

        Parameters
        ----------
        types : (runs, n) int, name of each individual
        u : (runs, n_uniforms) float in [0, 1)

        Returns
        -------
        born : (runs,) int, name of the clone
        dead : (runs,) int, place of the individual that it replaces

        Raises
        ------
        UsageError
            Negative fitness.
        """
        earned = self._certain(types) if self.pool.certain else self._drawn(types, u[:, :-3])
        fitness = 1 - self.intensity + self.intensity * earned / (self.n - 1)
        if fitness.min(initial=0.0) < -1e-12:
            worst = self.pool.names[int(types.ravel()[fitness.argmin()])]
            raise UsageError(
                f"{worst} has fitness {fitness.min():.3g}, expected none below 0: births are "
                "proportional to it; choose a game without negative payoffs, or a lower --intensity"
            )
        birth, death, change = u[:, -3], u[:, -2], u[:, -1]
        upto = np.cumsum(np.maximum(fitness, 0.0), axis=1)
        total = upto[:, -1]
        chosen = (upto <= (birth * total)[:, None]).sum(axis=1)
        chosen = np.where(total > 0, chosen, (birth * self.n).astype(np.intp))
        born = types[np.arange(len(types)), np.minimum(chosen, self.n - 1)]
        if self.mutation:
            other = (change / self.mutation * (len(self.pool.names) - 1)).astype(np.intp)
            born = np.where(change < self.mutation, other + (other >= born), born)
        return born, (death * self.n).astype(np.intp)

    def _certain(self, types: NDArray[np.intp]) -> NDArray[np.float64]:
        """(runs, n) total payoff per turn, by the composition alone.

        Individuals that meet their own kind get the mean of both seats, which leaves what the kind gets,
        and so who is born, as it is.
        """
        payoffs = self._means
        m = len(payoffs)
        row = np.arange(len(types))[:, None] * m
        counts = np.bincount((row + types).ravel(), minlength=m * len(types)).reshape(-1, m)
        by_name = counts @ payoffs.T - np.diag(payoffs)
        return np.asarray(np.take_along_axis(by_name, types, axis=1))

    def _drawn(self, types: NDArray[np.intp], u: NDArray[np.float64]) -> NDArray[np.float64]:
        """(runs, n) total payoff per turn over the matches that were drawn."""
        pool, (left, right) = self.pool, self._sides
        n_pairs, repetitions = len(left), pool.payoffs.shape[2]
        mine, theirs = types[:, left], types[:, right]
        first, second = pool.starts[mine], pool.starts[theirs]
        if self._choices >= 2:
            first = first + (u[:, :n_pairs] * pool.sizes[mine]).astype(np.intp)
            second = second + (u[:, n_pairs : 2 * n_pairs] * pool.sizes[theirs]).astype(np.intp)
        at = (u[:, -n_pairs:] * repetitions).astype(np.intp) if repetitions > 1 else 0
        s = len(pool.payoffs)
        flat = pool.payoffs.reshape(-1)
        gain = flat[(first * s + second) * repetitions + at]
        back = flat[(second * s + first) * repetitions + at]
        back = np.where(first == second, pool.second.reshape(-1)[first * repetitions + at], back)
        square = np.zeros((len(types), self.n, self.n))
        square[:, left, right], square[:, right, left] = gain, back
        return np.asarray(square.sum(axis=2))


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
    rule: Generation, initial: tuple[int, ...], seeds: Sequence[np.random.SeedSequence], steps: int
) -> Part:
    """Moran processes in lock-step; those that are over leave the arrays."""
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
        self.compositions = [counts.astype(np.int32)]
        self.paths: list[NDArray[np.int32]] = [np.empty((0, 0), dtype=np.int32)] * len(counts)

    def add(self, step: int, counts: NDArray[np.int64]) -> None:
        if step % self.stride:
            return
        self.steps.append(step)
        self.compositions.append(counts.astype(np.int32))
        if len(self.steps) > _POINTS:
            self.steps, self.compositions, self.stride = (
                self.steps[::2],
                self.compositions[::2],
                2 * self.stride,
            )

    def end(self, runs: NDArray[np.intp], step: int, counts: NDArray[np.int64]) -> None:
        for run in runs:
            before = [
                (at, composition[run])
                for at, composition in zip(self.steps, self.compositions, strict=True)
                if at < step
            ]
            at = np.array([*(at for at, _ in before), step], dtype=np.int32)
            rows = np.stack([*(row for _, row in before), counts[run].astype(np.int32)])
            self.paths[run] = np.column_stack([at, rows])


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
    initial : (m,) int, individuals of each name
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
    played, paths = _collected(
        who.map(play, parts), runs, min(path_rows, _PATH_CELLS // (1 + len(counts))), update
    )
    lengths = np.concatenate([part.steps for part in played])
    run = int(np.abs(lengths - np.median(lengths)).argmin())
    if run < len(paths):
        typical = paths[run]
    else:
        again = np.random.SeedSequence(
            seeds.entropy, spawn_key=(*seeds.spawn_key, first + run), pool_size=seeds.pool_size
        )
        typical = play([again]).paths[0]
    over = [part.shares for part in played if part.shares is not None]
    return MoranRuns(
        pool.names,
        counts,
        np.concatenate([part.winner for part in played]),
        lengths,
        np.concatenate([part.final for part in played]),
        tuple(paths),
        typical,
        np.concatenate(over) if over else None,
    )


def _collected(
    parts: Iterable[Part], runs: int, most: int, update: Callable[[int, int], None] | None
) -> tuple[list[Part], list[NDArray[np.int32]]]:
    """The parts without their paths, and the paths of the first runs: of so many rows at most."""
    played: list[Part] = []
    paths: list[NDArray[np.int32]] = []
    room, number = most, 0
    for part in parts:
        for path in part.paths:
            if len(path) > room:
                room = 0
                break
            room -= len(path)
            paths.append(path)
        played.append(replace(part, paths=()))
        number += len(part.winner)
        if update is not None:
            update(number, runs)
    return played, paths


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
