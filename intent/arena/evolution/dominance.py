"""Names that another name, or a mixture of names, beats against everybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.arena.evolution.stability import TOLERANCE

__all__ = ["Dominance", "dominance"]


@dataclass(frozen=True)
class Dominance:
    """One name is never better than another, or than a mixture.

    Parameters
    ----------
    dominated : str
    by : tuple of (name, probability)
    strictly : bool
        Whether it earns less against everybody, not only against somebody.
    """

    dominated: str
    by: tuple[tuple[str, float], ...]
    strictly: bool

    def __str__(self) -> str:
        """``Aggressive``, or ``0.50 Aggressive + 0.50 Neutral``."""
        if len(self.by) == 1:
            return self.by[0][0]
        return " + ".join(f"{p:.2f} {name}" for name, p in self.by)


def dominance(names: Sequence[str], payoffs: NDArray[np.float64]) -> tuple[Dominance, ...]:
    """All dominations by single names; by a mixture, strict ones, where no single name dominates strictly.

    The mixture is the one with the largest least advantage: max v such that sum_i p_i a(i, k) - a(j, k) >= v
    for all k.

    Parameters
    ----------
    names : sequence of m str
    payoffs : (m, m) float, row against column

    References
    ----------
    Osborne & Rubinstein 1994, A Course in Game Theory, 4.2.
    """
    slack = TOLERANCE * max(float(np.ptp(payoffs)), 1e-300)
    found = []
    for j, name in enumerate(names):
        more = payoffs - payoffs[j]
        single = []
        for i, other in enumerate(names):
            if i != j and (more[i] >= -slack).all() and (more[i] > slack).any():
                single.append(Dominance(name, ((other, 1.0),), bool((more[i] > slack).all())))
        found += single
        if not any(one.strictly for one in single) and len(names) > 2:
            found += _by_mixture(names, more, j, slack)
    return tuple(found)


def _by_mixture(names: Sequence[str], more: NDArray[np.float64], j: int, slack: float) -> list[Dominance]:
    from scipy.optimize import linprog

    m = len(names)
    bounds = [(0.0, 0.0 if i == j else 1.0) for i in range(m)]
    solved = linprog(
        np.append(np.zeros(m), -1.0),
        A_ub=np.column_stack([-more.T, np.ones(m)]),
        b_ub=np.zeros(m),
        A_eq=[np.append(np.ones(m), 0.0)],
        b_eq=[1.0],
        bounds=[*bounds, (None, None)],
    )
    if not solved.success or solved.x[-1] <= max(slack, 1e-9):
        return []
    mixture = tuple((names[i], float(p)) for i, p in enumerate(solved.x[:m]) if p > 1e-6)
    return [Dominance(names[j], mixture, True)]
