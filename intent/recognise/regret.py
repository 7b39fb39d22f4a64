"""How much accuracy a recogniser leaves on the table, measured on the same play as the rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Regret", "expected_regret", "mean_gap", "paired_regret"]

_Z95 = 1.6448536269514722
"""95 % point of the standard normal distribution."""


@dataclass(frozen=True)
class Regret:
    """Accuracy of a rule minus that of a recogniser.

    Attributes
    ----------
    value : float
    standard_error : float
    bound : float
        One-sided upper bound with 95 % confidence.
    """

    value: float
    standard_error: float
    bound: float


def paired_regret(rule_hit: NDArray[np.bool_], hit: NDArray[np.bool_]) -> Regret:
    """Regret on the same play, so that only the trajectories on which the two differ make it uncertain.

    With b trajectories that only the rule gets right and c that only the recogniser does, the regret is
    (b - c) / n. Standard error and bound add half a trajectory to each of the four cells, so that neither is
    zero where the two never differ.

    Parameters
    ----------
    rule_hit, hit : (n,) bool, whether each is right

    References
    ----------
    Agresti & Min 2005, Statistics in Medicine 24:729, for the adjusted difference of paired proportions.
    """
    n = len(hit)
    if n == 0:
        return Regret(float("nan"), float("nan"), float("nan"))
    only_rule, only_hit = int((rule_hit & ~hit).sum()), int((hit & ~rule_hit).sum())
    b, c, size = only_rule + 0.5, only_hit + 0.5, n + 2
    error = ((b + c) - (b - c) ** 2 / size) ** 0.5 / size
    return Regret((only_rule - only_hit) / n, error, (b - c) / size + _Z95 * error)


def expected_regret(
    posterior: NDArray[np.float64], rule: NDArray[np.intp], guess: NDArray[np.intp]
) -> Regret:
    """Regret on the same play, with the chance of being right given the play in place of being right.

    The expectation is that of `paired_regret`; the variance is less, since the draw of the strategy given its
    play is averaged over (Rao-Blackwell).

    Parameters
    ----------
    posterior : (n, K), exact, as known to one who knows the noise
    rule, guess : (n,), classes that the rule and the recogniser name
    """
    rows = np.arange(len(posterior))
    return mean_gap(posterior[rows, rule] - posterior[rows, guess])


def mean_gap(gap: NDArray[np.float64]) -> Regret:
    """Mean of paired differences (n,), with its standard error and bound."""
    if not len(gap):
        return Regret(float("nan"), float("nan"), float("nan"))
    value, error = float(gap.mean()), float(gap.std() / len(gap) ** 0.5)
    return Regret(value, error, value + _Z95 * error)
