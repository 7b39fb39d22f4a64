"""A set of strategies side by side as arrays, with the noise under which they are to be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from intent.errors import RecogniserError
from intent.recognise.quadrature import eps_nodes
from intent.strategies.automaton import Strategy
from intent.strategies.likelihood import cooperation_probability

__all__ = ["Automata", "checked_noise"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_MOST_EXACT = 16
"""Rounds up to which the integral over eps is exact; longer play keeps the 9 nodes.

After 60 rounds the error of the accuracy is 1e-10 where eps is in [0, .2], 1e-8 where it is in [0, .45]."""


@dataclass(frozen=True, eq=False)
class Automata:
    """K automata side by side, with the noise.

    Attributes
    ----------
    cooperate : (K, S, E) float64, probability of a realised C per state and eps
    following : (K, S, 4) intp, next state per joint outcome CC, CD, DC, DD
    start : (K,) intp
    chance : (E,) float64, probability of each eps, sums to one
    """

    cooperate: Floats
    following: Ints
    start: Ints
    chance: Floats

    @classmethod
    def of(cls, strategies: Sequence[Strategy], eps: tuple[float, float], rounds: int) -> Self:
        """The tables of some strategies.

        Parameters
        ----------
        strategies : sequence of K Strategy
        eps : (low, high) in [0, .5)
            Noise per move; uniform between the two and not known to the observer where they differ.
        rounds : int
            Longest play.

        Raises
        ------
        RecogniserError
            eps out of range, fewer than two strategies, or one whose states its play does not reveal.
        """
        low, high = checked_noise(eps)
        if len(strategies) < 2:
            raise RecogniserError(f"{len(strategies)} strategy to tell apart, expected at least two")
        hidden = [s.name for s in strategies if not s.observed_path]
        if hidden:
            raise RecogniserError(
                f"{', '.join(hidden)} randomises and remembers its intentions, expected visible states"
            )
        grid, chance = np.array([low]), np.ones(1)
        if low < high:
            grid, chance = eps_nodes((low, high), min(rounds, _MOST_EXACT))
        tables = [s.arrays() for s in strategies]
        size = max(len(p) for p, _ in tables)
        cooperate = np.zeros((len(tables), size, len(grid)))
        following = np.zeros((len(tables), size, 4), dtype=np.intp)
        for k, (p, after) in enumerate(tables):
            cooperate[k, : len(p)] = cooperation_probability(p, grid)
            following[k, : len(p)] = after
        return cls(cooperate, following, np.array([s.start for s in strategies]), chance)

    def intentions(self, state: Ints) -> Floats:
        """Probability of a realised C in each of the states (N, K): (N, K, E)."""
        found: Floats = self.cooperate[np.arange(state.shape[1]), state]
        return found


def checked_noise(eps: tuple[float, float]) -> tuple[float, float]:
    """The range of eps.

    Raises
    ------
    RecogniserError
        Not 0 <= low <= high < .5.
    """
    low, high = eps
    if not 0 <= low <= high < 0.5:
        got = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        raise RecogniserError(f"eps {got}, expected probabilities in [0, .5), the lower one first")
    return float(low), float(high)
