"""Estimates with errors and intervals: from the information, a bootstrap, or the bounds of a ridge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.information import NO_TREMBLE, ZERO, Covariance
from intent.recognise.sfem.mixture import HIGHEST
from intent.recognise.sfem.result import Estimate

__all__ = ["share_estimates", "tremble_estimates"]

Floats = NDArray[np.float64]


def share_estimates(
    shares: Floats,
    errors: Covariance,
    first: int,
    ridge: Sequence[Sequence[int]],
    draws: Floats | None,
    n_units: int,
    level: float,
) -> tuple[Estimate, ...]:
    """The shares of one group.

    Intervals from the information are symmetric in the log-odds of the share, so they stay within (0, 1);
    within z standard errors of 0 or 1, where log-odds are far from normal, in the share, cut off there.
    Where every resample gives the same share of 0 or 1, the end is that of the exact binomial interval.
    A share on a ridge can be anything from 0 to the upper end of the ridge's total.

    Parameters
    ----------
    shares : (K,)
    errors : Covariance
    first : int, place of the first share in it
    ridge : groups of indices that are not told apart
    draws : (samples, K) or None
    n_units : int, subjects or clusters
    level : float in (0, 1)
    """
    found = []
    for k, share in enumerate(shares):
        among = next((part for part in ridge if k in part), None)
        place = first + k
        if among is not None:
            members = np.array(among)
            total = float(min(shares[members].sum(), 1.0))
            if draws is not None:
                high = _percentile(total, draws[:, members].sum(axis=1), n_units, level).high
            else:
                v = np.zeros(len(errors.matrix))
                v[first + members] = 1.0
                high = _by_information(total, float(v @ errors.matrix @ v), level).high
            found.append(Estimate(float(share), None, 0.0, 1.0 if np.isnan(high) else high, "none"))
        elif draws is not None and len(shares) > 1:
            found.append(_percentile(float(share), draws[:, k], n_units, level))
        elif errors.known[place]:
            found.append(_by_information(float(share), float(errors.matrix[place, place]), level))
        else:
            found.append(Estimate(float(share), None, np.nan, np.nan, "none"))
    return tuple(found)


def tremble_estimates(
    log_odds: Floats,
    seen: NDArray[np.bool_],
    errors: Covariance,
    first: int,
    draws: Floats | None,
    n_units: int,
    level: float,
) -> tuple[Estimate, ...]:
    """The trembles, at most .5; intervals from the information are symmetric in their log-odds.

    Parameters
    ----------
    log_odds : (J,)
    seen : (J,) bool, whether the tremble governs any move
    errors, first, n_units, level
        As `share_estimates`.
    draws : (samples, J) or None
    """
    found = []
    z = NormalDist().inv_cdf(0.5 + level / 2)
    for j, odds in enumerate(log_odds):
        b = 0.0 if odds <= NO_TREMBLE else _expit(odds)
        if not seen[j]:
            found.append(Estimate(np.nan, None, np.nan, np.nan, "none"))
        elif draws is not None:
            drawn = draws[:, j][np.isfinite(draws[:, j])]
            whole = _percentile(b, np.where(drawn < 1e-8, 0.0, drawn), n_units, level)
            found.append(replace(whole, high=min(whole.high, 0.5)))
        elif errors.known[first + j]:
            se = float(np.sqrt(max(errors.matrix[first + j, first + j], 0.0)))
            low, high = (_expit(min(odds + side * z * se, HIGHEST)) for side in (-1, 1))
            found.append(Estimate(b, b * (1 - b) * se, low, high, "information"))
        else:
            found.append(Estimate(b, None, np.nan, np.nan, "none"))
    return tuple(found)


def _by_information(share: float, variance: float, level: float) -> Estimate:
    if not ZERO < share < 1 - ZERO or not variance > 0:
        return Estimate(share, None, np.nan, np.nan, "none")
    z = NormalDist().inv_cdf(0.5 + level / 2)
    se = float(np.sqrt(variance))
    if not z * se < min(share, 1 - share):
        return Estimate(share, se, max(share - z * se, 0.0), min(share + z * se, 1.0), "information")
    odds, reach = np.log(share / (1 - share)), z * se / (share * (1 - share))
    return Estimate(share, se, _expit(odds - reach), _expit(odds + reach), "information")


def _percentile(estimate: float, drawn: Floats, n_units: int, level: float) -> Estimate:
    tail = (1 - level) / 2
    if len(drawn) < 2 or n_units < 2:
        return Estimate(estimate, None, np.nan, np.nan, "none")
    low, high = (float(v) for v in np.quantile(drawn, [tail, 1 - tail], method="weibull"))
    low, high = min(low, estimate), max(high, estimate)
    reach = 1 - tail ** (1 / n_units)
    if estimate <= ZERO:
        high = max(high, reach)
    if estimate >= 1 - ZERO:
        low = min(low, 1 - reach)
    se = float(drawn.std(ddof=1))
    return Estimate(estimate, se if se > ZERO else None, low, high, "bootstrap")


def _expit(odds: float) -> float:
    return float(np.exp(odds) / (1 + np.exp(odds)) if odds < 0 else 1 / (1 + np.exp(-odds)))
