"""Fixation probabilities in closed form: two names, constant or frequency-dependent fitness."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.errors import UsageError

__all__ = ["fixation_constant", "fixation_two", "invasion_matrix", "two_fitnesses"]


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
    """f_j and g_j, (n - 1,) each, for j = 1 to n - 1 individuals of the first name; nobody meets itself.

    Raises
    ------
    UsageError
        Negative fitness.
    """
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
    found = np.full((m, m), 1 / n)
    for i in range(m):
        for j in range(m):
            if i != j:
                two = payoffs[np.ix_([i, j], [i, j])]
                found[i, j] = fixation_two(two, n, intensity=intensity)
    return found


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
