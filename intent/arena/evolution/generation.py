"""One birth and one death in many populations: fitness from matches that are drawn, then who is cloned."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.arena.evolution.pool import Pool, strategy_payoffs
from intent.errors import UsageError

__all__ = ["Generation"]

_MOST = 200
"""Individuals of a population whose matches are drawn one by one (19,900 of them)."""


class Generation:
    """The rule by which a population changes.

    Parameters
    ----------
    pool : Pool
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
