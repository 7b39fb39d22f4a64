"""Fixation of Moran processes: in closed form for two names, else from a Markov chain over compositions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import LimitError, UsageError

__all__ = [
    "MOST_STATES",
    "MoranChain",
    "compositions",
    "fixation_constant",
    "fixation_two",
    "invasion_matrix",
    "moran_chain",
]


def fixation_constant(r: float, n: int, i: int = 1) -> float:
    """Probability that `i` mutants of relative fitness r take over a population of n.

    rho = (1 - r^-i) / (1 - r^-n), and i / n for r = 1.

    Parameters
    ----------
    r : float > 0
    n, i : int, 0 <= i <= n

    Raises
    ------
    UsageError

    References
    ----------
    Moran 1958; Nowak 2006, Evolutionary Dynamics, equation 6.14.

    Examples
    --------
    >>> round(fixation_constant(2.0, 3), 4)
    0.5714
    """
    if not r > 0 or not 0 <= i <= n or n < 1:
        raise UsageError(
            f"{i} of {n} mutants of fitness {r:g}, expected fitness above 0 and at most n mutants"
        )
    return float(_fixation(np.full(n - 1, -np.log(r)), i))


def fixation_two(payoff: NDArray[np.float64], n: int, i: int = 1, *, intensity: float = 1.0) -> float:
    """Probability that `i` individuals of the first name take over n - i of the second.

    rho_i = (1 + sum_{k=1}^{i-1} prod_{j<=k} g_j/f_j) / (1 + sum_{k=1}^{n-1} prod_{j<=k} g_j/f_j), with f_j
    and g_j the fitness of the two names where j individuals are of the first.

    Parameters
    ----------
    payoff : (2, 2) float, row against column, per turn
    n, i : int, 0 <= i <= n
    intensity : float in [0, 1], w

    Raises
    ------
    UsageError
        Negative fitness, or numbers that cannot be.

    References
    ----------
    Nowak, Sasaki, Taylor & Fudenberg 2004, Nature 428:646, equation 1; Taylor, Fudenberg, Sasaki & Nowak
    2004, Bulletin of Mathematical Biology 66:1621, equation 6.
    """
    if n < 2 or not 0 <= i <= n:
        raise UsageError(f"{i} of {n} individuals, expected two or more, and at most n")
    f, g = two_fitnesses(np.asarray(payoff, dtype=float), n, intensity)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where((f == 0) & (g == 0), 0.0, np.log(g) - np.log(f))
    return float(_fixation(ratios, i))


def two_fitnesses(
    payoff: NDArray[np.float64], n: int, intensity: float = 1.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """f_j and g_j, (n - 1,) each, for j = 1 to n - 1 individuals of the first name; nobody meets itself."""
    j = np.arange(1, n)
    (a, b), (c, d) = payoff
    f = 1 - intensity + intensity * (a * (j - 1) + b * (n - j)) / (n - 1)
    g = 1 - intensity + intensity * (c * j + d * (n - j - 1)) / (n - 1)
    least = min(f.min(), g.min())
    if least < -1e-12:
        raise UsageError(f"fitness {least:.3g}, expected none below 0: births are proportional to it")
    return np.maximum(f, 0.0), np.maximum(g, 0.0)


def invasion_matrix(payoffs: NDArray[np.float64], n: int, *, intensity: float = 1.0) -> NDArray[np.float64]:
    """(m, m): probability that one individual of the row's name takes over n - 1 of the column's.

    The diagonal is 1/n, what chance alone gives.

    Raises
    ------
    UsageError
        As `fixation_two`.
    """
    m = len(payoffs)
    chances = np.full((m, m), 1 / n)
    for i in range(m):
        for j in range(m):
            if i != j:
                two = payoffs[np.ix_([i, j], [i, j])]
                chances[i, j] = fixation_two(two, n, intensity=intensity)
    return chances


def _fixation(log_ratios: NDArray[np.float64], i: int) -> float:
    """From the logarithms of g_j / f_j, so that no product overflows.

    Where f_j = 0, the number of the first name never rises from j, which is as good as lost; where g_j = 0,
    it never falls, which is as good as won. So a number in between ends at the nearest such j.
    """
    n = len(log_ratios) + 1
    if i in (0, n):
        return float(i == n)
    stuck = np.flatnonzero(np.isposinf(log_ratios)) + 1
    safe = np.flatnonzero(np.isneginf(log_ratios)) + 1
    if (stuck >= i).any():
        return 0.0
    if (safe <= i).any():
        return 1.0
    low, high = int(stuck.max(initial=0)), int(safe.min(initial=n))
    logs = np.concatenate([[0.0], np.cumsum(log_ratios[low : high - 1])])
    weights = np.exp(logs - logs.max())
    return float(weights[: i - low].sum() / weights.sum())


MOST_STATES = 20_000
"""Compositions beyond which a chain is not solved: 199 individuals of three names, 25 of five."""


@dataclass(frozen=True, eq=False)
class MoranChain:
    """Probabilities of going from one composition to another in a step.

    Parameters
    ----------
    states : (S, m) int, individuals of each name; the sums are n
    steps : (S, S) sparse matrix, rows sum to one
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
        weights = np.maximum(spsolve(system.tocsc(), right), 0.0)
        return np.asarray(weights / weights.sum())

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
            solved = solver.solve(np.column_stack([leave, np.ones(len(inner))]))
            alone[inner], times[inner] = np.clip(solved[:, :m], 0.0, 1.0), solved[:, m]
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
