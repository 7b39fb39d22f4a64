"""Types as response functions with error: the probability of every contribution, given those of the others.

A type holds several functions mu(x), which share its weight equally: a free rider gives nothing, an
unconditional cooperator one of ten positive levels, a conditional one half, three quarters or all of what the
others gave, the hump-shaped one as much as the others up to a peak and less beyond it, and "other" anything.
Where all or nothing is given, a conditional cooperator contributes when at least k others do, and a
hump-shaped one when at least j and at most k do. A contribution of j out of M units then has probability

    P(j | x) proportional to exp(-(j / M - mu(x))^2 / (2 sigma^2)),    j = 0 .. M.

A fall that nobody could see is none: a hump-shaped function competes for a subject only where the others
went beyond its peak, since up to there it is that of a conditional cooperator. For M = 1 the probability is a
logit choice; the error, P(the other action), is 1 / (1 + exp(1 / (2 sigma^2))).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.recognise.contributors.rules import TYPES

__all__ = ["error_of", "most_error", "response_log_probabilities", "responses"]

Floats = NDArray[np.float64]

_LEVELS = np.arange(1, 11) / 10
_SLOPES = (0.5, 0.75, 1.0)
_PEAKS = (0.3, 0.4, 0.5, 0.6, 0.7)
_FALL = 0.1
"""Beyond a peak, of the endowment, where a fall shows."""
_MOST = 10
"""Others at most between whose numbers thresholds are told apart; more are parted in as many steps."""
_CLOSE = 1e-6


def responses(x: Floats, units: int, others: int) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Response functions at given contributions of the others.

    Parameters
    ----------
    x : (m,) mean contribution of the others
    units : int, M
    others : int, the largest number of others

    Returns
    -------
    types : (S,) index into `TYPES` of each function, ascending
    mu : (S, m) what it contributes; NaN of the one that contributes anything
    beyond : (S,) others' mean that must have been reached for it to compete; 0 of all but hump-shaped ones
    """
    rows: list[tuple[str, Floats]] = [("free_rider", np.zeros_like(x))]
    beyond: list[float] = []
    if units == 1:
        m = min(others, _MOST)
        at_least = [(x >= k / m - _CLOSE) for k in range(1, m + 1)]
        rows.append(("unconditional", np.ones_like(x)))
        rows += [("conditional", some.astype(float)) for some in at_least]
        for j in range(m - 1):
            rows += [("hump_shaped", (at_least[j] & ~more).astype(float)) for more in at_least[j + 1 :]]
            beyond += [k / m - _CLOSE for k in range(j + 2, m + 1)]
    else:
        rows += [("unconditional", np.full_like(x, level)) for level in _LEVELS]
        rows += [("conditional", slope * x) for slope in _SLOPES]
        rows += [("hump_shaped", np.clip(np.minimum(x, 2 * peak - x), 0, 1)) for peak in _PEAKS]
        beyond += [peak + _FALL for peak in _PEAKS]
    rows.append(("other", np.full_like(x, np.nan)))
    types = np.array([TYPES.index(name) for name, _ in rows])
    start = np.zeros(len(rows))
    start[types == TYPES.index("hump_shaped")] = beyond
    return types, np.stack([mu for _, mu in rows]), start


def response_log_probabilities(mu: Floats, units: int, sigma: float) -> Floats:
    """Log-probability of every contribution, (S, m, M + 1).

    Parameters
    ----------
    mu : (S, m), as `responses`
    units : int, M
    sigma : float > 0, as a share of the endowment
    """
    level = np.arange(units + 1) / units
    log = -((level - np.nan_to_num(mu)[:, :, None]) ** 2) / (2 * sigma**2)
    log[np.isnan(mu)] = 0.0
    top = log.max(axis=2, keepdims=True)
    found: Floats = log - top - np.log(np.exp(log - top).sum(axis=2, keepdims=True))
    return found


def most_error(units: int) -> float:
    """The largest sigma of a type: a quarter of the endowment, or one other action in four.

    Beyond it a free rider who errs would be as good a name for arbitrary contributions as "other".
    """
    return 0.25 if units > 1 else float((2 * np.log(3)) ** -0.5)


def error_of(sigma: float) -> float:
    """Probability of the other action where all or nothing is given."""
    return float(1 / (1 + np.exp(min(1 / (2 * sigma**2), 700.0))))
