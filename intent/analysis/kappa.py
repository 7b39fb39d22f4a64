"""Agreement beyond chance: Fleiss' kappa of several raters, Cohen's of two.

Chance-corrected agreement is (P - P_e) / (1 - P_e), with P the agreement seen and P_e that of raters who name
at random as often as they do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.analysis.bootstrap import Interval, bootstrap_means

__all__ = ["cohen_kappa", "fleiss_interval", "fleiss_kappa"]


def fleiss_kappa(counts: NDArray[np.float64]) -> float:
    """Fleiss' kappa: agreement of R raters on n rows beyond that of raters who name by the common shares.

    kappa = (P - P_e) / (1 - P_e), P = mean_i (sum_k n_ik² - R) / (R (R - 1)), P_e = sum_k (mean_i n_ik / R)²

    Parameters
    ----------
    counts : (n, K) float, raters that give each name; rows sum to R >= 2

    Returns
    -------
    float, NaN where there are no rows or all raters always say the same one name

    References
    ----------
    Fleiss 1971, Psychological Bulletin 76:378, eqs. 1-7.
    """
    if not len(counts):
        return float("nan")
    return float(_kappa(_terms(counts).mean(axis=0)[None, :])[0])


def fleiss_interval(
    counts: NDArray[np.float64],
    games: NDArray[np.intp],
    *,
    samples: int,
    level: float,
    rng: np.random.Generator,
) -> Interval:
    """Fleiss' kappa with a percentile interval that resamples whole games.

    Kappa is a function of means over rows (of the agreement and of each name's share), so that the
    bootstrap means give its bootstrap values. Resamples in which kappa is undefined are left out.

    Parameters
    ----------
    counts : (n, K) float, as `fleiss_kappa`
    games : (n,) int
    samples : int
    level : float in (0, 1)
    rng : Generator
    """
    estimate = fleiss_kappa(counts)
    if len(np.unique(games)) < 2:
        return Interval(estimate, np.nan, np.nan)
    drawn = _kappa(bootstrap_means(_terms(counts), games, samples, rng))
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn) or not np.isfinite(estimate):
        return Interval(estimate, np.nan, np.nan)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(estimate, min(float(low), estimate), max(float(high), estimate))


def cohen_kappa(table: NDArray[np.float64]) -> float:
    """Cohen's kappa of two raters: agreement beyond that of raters who name by their own shares.

    Parameters
    ----------
    table : (K, K) float, rows with each pair of names, the first rater's down

    Returns
    -------
    float, NaN where there are no rows or both always say the same one name

    References
    ----------
    Cohen 1960, Educational and Psychological Measurement 20:37.
    """
    n = table.sum()
    if not n:
        return float("nan")
    seen = np.trace(table) / n
    chance = float(table.sum(axis=0) @ table.sum(axis=1)) / n**2
    return float("nan") if 1 - chance < 1e-12 else float((seen - chance) / (1 - chance))


def _terms(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 1 + K), agreement within each row and share of each name, of which kappa needs the means."""
    raters = counts.sum(axis=1, keepdims=True)
    pairs = ((counts**2).sum(axis=1, keepdims=True) - raters) / (raters * (raters - 1))
    return np.concatenate([pairs, counts / raters], axis=1)


def _kappa(means: NDArray[np.float64]) -> NDArray[np.float64]:
    seen, chance = means[:, 0], (means[:, 1:] ** 2).sum(axis=1)
    certain = 1 - chance < 1e-12
    kappa: NDArray[np.float64] = np.where(certain, np.nan, (seen - chance) / np.where(certain, 1, 1 - chance))
    return kappa
