"""The Moran process as a Markov chain over compositions: exact for any number of names, while it is small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.errors import LimitError, UsageError

__all__ = ["MOST_STATES", "MoranChain", "compositions", "moran_chain"]

MOST_STATES = 20_000
"""Compositions beyond which a chain is not solved: 199 individuals of three names, 25 of five."""


@dataclass(frozen=True, eq=False)
class MoranChain:
    """Probabilities of going from one composition to another in a step.

    Parameters
    ----------
    states : (S, m) int, individuals of each name; the sums are n
    steps : (S, S) sparse matrix, rows sum to one
    mutation : float
    """

    states: NDArray[np.int64]
    steps: Any
    mutation: float

    def fixation(self) -> NDArray[np.float64]:
        """(S, m): probability that each name ends alone, from each composition.

        Raises
        ------
        UsageError
            With mutation no name stays alone.
        """
        return self._absorbed[0]

    def mean_steps(self) -> NDArray[np.float64]:
        """(S,): expected births until one name is alone.

        Raises
        ------
        UsageError
            With mutation no name stays alone.
        """
        return self._absorbed[1]

    def place(self, counts: Sequence[int]) -> int:
        """Row of a composition."""
        return int(np.flatnonzero((self.states == np.asarray(counts)).all(axis=1))[0])

    def stationary(self) -> NDArray[np.float64]:
        """(S,): share of time spent in each composition in the long run, with mutation.

        Raises
        ------
        UsageError
            Without mutation it depends on the start.
        """
        from scipy.sparse import eye, lil_matrix
        from scipy.sparse.linalg import spsolve

        if not self.mutation:
            raise UsageError("no long run without mutation: one name is left alone")
        n_states = len(self.states)
        system = lil_matrix((self.steps - eye(n_states)).T)
        system[-1] = 1.0
        right = np.zeros(n_states)
        right[-1] = 1.0
        found = np.maximum(spsolve(system.tocsc(), right), 0.0)
        return np.asarray(found / found.sum())

    @cached_property
    def _absorbed(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        from scipy.sparse import eye
        from scipy.sparse.linalg import splu

        if self.mutation:
            raise UsageError("no name stays alone with mutation")
        n, m = int(self.states[0].sum()), self.states.shape[1]
        ends = np.flatnonzero(self.states.max(axis=1) == n)
        inner = np.flatnonzero(self.states.max(axis=1) < n)
        alone = np.zeros((len(self.states), m))
        alone[ends, self.states[ends].argmax(axis=1)] = 1.0
        times = np.zeros(len(self.states))
        if len(inner):
            stay = self.steps[inner][:, inner]
            solver = splu((eye(len(inner)) - stay).tocsc())
            leave = np.asarray(self.steps[inner][:, ends] @ alone[ends])
            found = solver.solve(np.column_stack([leave, np.ones(len(inner))]))
            alone[inner], times[inner] = np.clip(found[:, :m], 0.0, 1.0), found[:, m]
        return alone, times


def moran_chain(
    payoffs: NDArray[np.float64], n: int, *, mutation: float = 0.0, intensity: float = 1.0
) -> MoranChain:
    """The chain of a Moran process whose individuals earn the mean payoffs of their names.

    With k individuals of each name and f_i = 1 - w + w ((A k)_i - a_ii) / (n - 1), a birth is of name i with
    probability b_i = k_i f_i / sum k f (k_i / n where all fitness is 0), after mutation
    (1 - mu) b_i + mu (1 - b_i) / (m - 1), and a death with k_j / n. Where matches are drawn, payoffs are
    means and the chain an approximation: a ratio of fitnesses is not the ratio of their means.

    Parameters
    ----------
    payoffs : (m, m) float, per turn
    n : int, individuals
    mutation, intensity : float in [0, 1]

    Raises
    ------
    LimitError
        More than 20,000 compositions.
    UsageError
        Negative fitness.

    References
    ----------
    Kemeny & Snell 1960, Finite Markov Chains, chapter 3; Fudenberg & Imhof 2006, Journal of Economic Theory
    131:251 (with mutation).
    """
    from scipy.sparse import csr_matrix

    m = len(payoffs)
    n_states = comb(n + m - 1, m - 1)
    if n_states > MOST_STATES:
        raise LimitError(f"{n_states:,} compositions of {n} individuals, expected at most {MOST_STATES:,}")
    states = np.array(list(compositions(n, m)), dtype=np.int64)
    fitness = 1 - intensity + intensity * (states @ payoffs.T - np.diag(payoffs)) / (n - 1)
    if (fitness[states > 0] < -1e-12).any():
        least = fitness[states > 0].min()
        raise UsageError(f"fitness {least:.3g}, expected none below 0: births are proportional to it")
    weight = states * np.maximum(fitness, 0.0)
    total = weight.sum(axis=1, keepdims=True)
    birth = np.where(total > 0, weight / np.where(total > 0, total, 1.0), states / n)
    if mutation:
        birth = (1 - mutation) * birth + mutation * (1 - birth) / (m - 1)
    death = states / n
    rows, columns, values = [], [], []
    for i in range(m):
        for j in range(m):
            p = birth[:, i] * death[:, j]
            here = np.flatnonzero(p > 0)
            moved = states[here].copy()
            moved[:, i] += 1
            moved[:, j] -= 1
            rows.append(here)
            columns.append(_places(moved))
            values.append(p[here])
    steps = csr_matrix(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(n_states, n_states)
    )
    return MoranChain(states, steps, mutation)


def _places(states: NDArray[np.int64]) -> NDArray[np.int64]:
    """(S,): where compositions stand in `compositions`: how many come before, name by name."""
    n, m = int(states[0].sum()) if len(states) else 0, states.shape[1]
    before = np.zeros(len(states), dtype=np.int64)
    left = np.full(len(states), n)
    for rest in range(m - 1, 0, -1):
        ways = np.array([comb(k + rest, rest) for k in range(n + 1)], dtype=np.int64)
        after = left - states[:, m - 1 - rest]
        before += ways[left] - ways[after]
        left = after
    return before


def compositions(n: int, m: int) -> Iterator[tuple[int, ...]]:
    """All ways in which n individuals divide into m names.

    Examples
    --------
    >>> list(compositions(2, 2))
    [(0, 2), (1, 1), (2, 0)]
    """
    if m == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in compositions(n - first, m - 1):
            yield (first, *rest)
