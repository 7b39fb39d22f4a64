"""What holds its ground on a payoff matrix: best replies, Nash, evolutionary stability, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Stability", "best_replies", "stability"]

TOLERANCE = 1e-9
"""Payoffs nearer than this times their range are equal."""


@dataclass(frozen=True)
class Stability:
    """Whether a population of one name resists the others.

    Parameters
    ----------
    name : str
    strict_nash : bool
        Nobody earns as much against it as it does itself.
    nash : bool
        Nobody earns more.
    ess : bool
        Evolutionarily stable: Nash, and whoever earns as much against it earns less against itself than it
        does there: a(i, i) = a(j, i) implies a(i, j) > a(j, j).
    margin : float or None
        What it earns against itself, less what the best other name earns against it; None of one name.
    low, high : float or None
        Interval of the margin over draws of strategies; None where none were drawn.

    References
    ----------
    Maynard Smith & Price 1973, Nature 246:15; Maynard Smith 1982, Evolution and the Theory of Games, p. 14.
    """

    name: str
    strict_nash: bool
    nash: bool
    ess: bool
    margin: float | None
    low: float | None = None
    high: float | None = None

    @property
    def open(self) -> bool:
        """Whether the interval of its margin holds 0, so that other strategies might reverse the verdict."""
        return self.low is not None and self.high is not None and self.low <= 0 <= self.high


def best_replies(names: Sequence[str], payoffs: NDArray[np.float64]) -> dict[str, tuple[str, ...]]:
    """By name, who earns most against it; several where they tie."""
    slack = _slack(payoffs)
    return {
        name: tuple(n for n, earned in zip(names, payoffs[:, j], strict=True) if earned >= top - slack)
        for j, (name, top) in enumerate(zip(names, payoffs.max(axis=0), strict=True))
    }


def stability(
    names: Sequence[str],
    payoffs: NDArray[np.float64],
    draws: NDArray[np.float64] | None = None,
    *,
    level: float = 0.95,
) -> tuple[Stability, ...]:
    """Nash and evolutionary stability of each name, as pure strategies of the matrix.

    Parameters
    ----------
    names : sequence of m str
    payoffs : (m, m) float, row against column
    draws : (B, m, m) float, optional
        Matrices that might have been, as of `payoff_draws`; they give intervals of the margins.
    level : float in (0, 1)
    """
    slack = _slack(payoffs)
    found = []
    for i, name in enumerate(names):
        others = [j for j in range(len(names)) if j != i]
        gaps = payoffs[i, i] - payoffs[others, i]
        back = payoffs[i, others] - payoffs[others, others]
        tied = np.abs(gaps) <= slack
        nash = bool((gaps >= -slack).all())
        low, high = _interval(draws, i, others, level)
        found.append(
            Stability(
                name,
                strict_nash=bool((gaps > slack).all()),
                nash=nash,
                ess=nash and bool((back[tied] > slack).all()),
                margin=float(gaps.min()) if others else None,
                low=low,
                high=high,
            )
        )
    return tuple(found)


def _interval(
    draws: NDArray[np.float64] | None, i: int, others: list[int], level: float
) -> tuple[float | None, float | None]:
    if draws is None or not others:
        return None, None
    margins = (draws[:, i, i][:, None] - draws[:, others, i]).min(axis=1)
    low, high = np.quantile(margins, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _slack(payoffs: NDArray[np.float64]) -> float:
    return TOLERANCE * max(float(np.ptp(payoffs)), 1e-300)
