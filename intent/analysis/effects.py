"""Sizes of differences between groups, with intervals clustered by game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.analysis.mean_differences import mean_differences
from intent.analysis.share_differences import mover, two_shares

__all__ = [
    "Effect",
    "cohens_h",
    "hedges_correction",
    "mean_effects",
    "share_effects",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Effect:
    """One size of one difference between two groups, first less second.

    Parameters
    ----------
    measure : str
        difference, cohens_h, odds_ratio, hedges_g.
    outcome : str
    estimate, low, high : float
        Ends of `mover` (0 or infinite for odds of an outcome that may never occur), or of a bootstrap-t for
        means; NaN where the data give none.
    """

    measure: str
    outcome: str
    estimate: float
    low: float
    high: float


def cohens_h(first: float, second: float) -> float:
    """2 arcsin p^1/2 - 2 arcsin q^1/2; .2 is small, .5 medium, .8 large.

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, §6.2.
    """
    return float(2 * np.arcsin(np.sqrt(first)) - 2 * np.arcsin(np.sqrt(second)))


def hedges_correction(free: float) -> float:
    """J = 1 - 3 / (4 df - 1), which takes the bias from Cohen's d.

    References
    ----------
    Hedges (1981), Journal of Educational Statistics 6:107.
    """
    return 1 - 3 / (4 * free - 1)


def share_effects(
    weights: Floats,
    first: NDArray[np.bool_],
    clusters: NDArray[np.intp],
    names: tuple[str, ...],
    *,
    level: float = 0.95,
) -> list[Effect]:
    """Difference of shares, Cohen's h and odds ratio of every outcome, between two groups of rows.

    Intervals are put together from the score intervals of both shares (`mover`), which stay true where few
    clusters hold an outcome; a game with a seat in each group counts as the pair that it is. Odds are
    estimated with half a row added to every count, so that shares of 0 have some (Haldane 1956; Anscombe
    1956).

    Parameters
    ----------
    weights : (n, k) float
        Of all outcomes: each tells of the design effect.
    first : (n,) bool
        Rows of the first group; the others make the second.
    clusters : (n,) int
    names : tuple of k str
    level : float in (0, 1)
    """
    found = two_shares(weights, first, clusters, level=level)
    n, m = int(first.sum()), int((~first).sum())
    p, q = weights[first].mean(axis=0), weights[~first].mean(axis=0)
    nothing = np.full(len(names), np.nan)
    ends = dict.fromkeys(("difference", "cohens_h", "odds_ratio"), (nothing, nothing))
    odds = _log_odds((p * n + 0.5) / (n + 1)) - _log_odds((q * m + 0.5) / (m + 1))
    if found is not None:
        a, b, r = found
        ends["difference"] = mover(a, b, r, lambda x: x)
        ends["cohens_h"] = mover(a, b, r, lambda x: 2 * np.arcsin(np.sqrt(x)))
        a = ((p * n + 0.5) / (n + 1), *a[1:])
        b = ((q * m + 0.5) / (m + 1), *b[1:])
        low, high = mover(a, b, r, _log_odds)
        ends["odds_ratio"] = np.exp(low), np.exp(high)
    estimates = {
        "difference": p - q,
        "cohens_h": 2 * np.arcsin(np.sqrt(np.clip(p, 0, 1))) - 2 * np.arcsin(np.sqrt(np.clip(q, 0, 1))),
        "odds_ratio": np.exp(odds),
    }
    return [
        Effect(measure, name, float(estimates[measure][k]), float(low[k]), float(high[k]))
        for k, name in enumerate(names)
        for measure, (low, high) in ends.items()
    ]


def mean_effects(
    values: Floats,
    first: NDArray[np.bool_],
    clusters: NDArray[np.intp],
    name: str,
    *,
    samples: int = 2000,
    level: float = 0.95,
    rng: np.random.Generator,
) -> list[Effect]:
    """Difference of means and Hedges' g between two groups of rows; parameters as `share_effects`.

    g = J (mean_1 - mean_2) / s, s^2 the pooled variance over rows; both intervals are of `mean_differences`.
    """
    plain, scaled = mean_differences(values, first, clusters, samples=samples, level=level, rng=rng)
    n, free = len(values), len(values) - 2
    scale = hedges_correction(free) * (free / n) ** 0.5 if free > 0 else float("nan")
    if not np.isfinite(scaled.estimate):
        scale = float("nan")
    return [
        Effect("difference", name, plain.estimate, plain.low, plain.high),
        Effect("hedges_g", name, scaled.estimate * scale, scaled.low * scale, scaled.high * scale),
    ]


def _log_odds(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p) - np.log1p(-p))
