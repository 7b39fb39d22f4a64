"""What a regression predicts if all rows had one level of a factor: adjusted shares or means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from intent.analysis.design_matrix import Design
from intent.analysis.model_result import Margin

__all__ = ["adjusted_margins", "t_quantile"]

Floats = NDArray[np.float64]


def adjusted_margins(
    found: Design,
    predicted: Callable[[Floats, Floats], tuple[Floats, Floats]],
    covariance: Floats,
    outcomes: Sequence[str | None],
    n_clusters: int,
    level: float,
) -> tuple[Margin, ...]:
    """Adjusted prediction of every level of every factor, and its difference to the first level.

    With g(b) the mean prediction over all n rows, the factor set to the level and all else as it is,
    Var g = G V G', G the gradient of g; t intervals with C - 1 degrees of freedom.

    Parameters
    ----------
    found : Design
    predicted : callable
        (m, p) design and (m,) weights -> (J,) weighted predictions and their (J, q) gradients.
    covariance : (q, q) float
    outcomes : sequence of J names
    n_clusters : int
    level : float in (0, 1)

    References
    ----------
    Williams (2012), The Stata Journal 12:308; Graubard & Korn (1999), Biometrics 55:652.
    """
    reach = t_quantile(level, n_clusters - 1)
    margins = []
    for place, factor in enumerate(found.factors):
        first: tuple[Floats, Floats] | None = None
        for code, value in enumerate(found.levels[place]):
            codes = found.codes.copy()
            codes[:, place] = code
            cells, counts = np.unique(codes, axis=0, return_counts=True)
            estimates, gradients = predicted(found.matrix(cells), counts / counts.sum())
            first = first or (estimates, gradients)
            se = _errors(gradients, covariance)
            effect, effect_se = estimates - first[0], _errors(gradients - first[1], covariance)
            for j, outcome in enumerate(outcomes):
                own, apart = float(estimates[j]), float(effect[j])
                margins.append(
                    Margin(
                        factor=factor,
                        level=value,
                        outcome=outcome,
                        estimate=own,
                        se=float(se[j]),
                        low=own - reach * float(se[j]),
                        high=own + reach * float(se[j]),
                        effect=apart,
                        effect_se=float(effect_se[j]),
                        effect_low=apart - reach * float(effect_se[j]),
                        effect_high=apart + reach * float(effect_se[j]),
                        p=two_sided_p(apart, float(effect_se[j]), n_clusters - 1),
                    )
                )
    return tuple(margins)


def t_quantile(level: float, free: int) -> float:
    """How many standard errors an interval reaches; NaN without degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(free, (1 + level) / 2)) if free > 0 else float("nan")


def two_sided_p(estimate: float, se: float, free: int) -> float:
    """Of a t test; NaN where there is nothing to test."""
    from scipy.special import stdtr

    if free < 1 or not se > 0:
        return float("nan")
    return float(2 * stdtr(free, -abs(estimate) / se))


def _errors(gradients: Floats, covariance: Floats) -> Floats:
    variances = np.einsum("jq,qr,jr->j", gradients, covariance, gradients)
    return np.asarray(np.sqrt(np.maximum(variances, 0.0)))
