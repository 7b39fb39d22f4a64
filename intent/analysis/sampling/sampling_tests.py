"""Whether numbers can be a sample of a distribution: Kolmogorov-Smirnov and chi-square."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.analysis.sampling.distributions import Distribution

__all__ = ["ALPHA", "LEAST", "compatible", "sample_facts"]

ALPHA = 0.05
LEAST = 20
"""Numbers below which nothing is tested."""

_EXPECTED = 5.0
"""Expected count of a bin, at the least; Cochran's rule."""

_MOST_BINS = 20
_MOST_DECIMALS = 6


def sample_facts(distribution: Distribution, values: NDArray[np.float64]) -> dict[str, Any]:
    """Tests and moments of a sample.

    Numbers that are all rounded to the same decimal (0.1, -1.3) are what a sampler of a continuous
    distribution gives when asked for short numbers. Both tests then compare at the middles between two such
    numbers, where rounding changes no count; that of Kolmogorov and Smirnov keeps at most its level. A step
    of more than half a standard deviation is no rounding: such values are tested as they stand.

    Parameters
    ----------
    distribution : Distribution
    values : (n,) float

    Returns
    -------
    dict
        ks (statistic, p; None for a discrete distribution, for which the test does not hold), chi_square
        (statistic, df, p; over bins of equal probability, or of values joined until 5 are expected in each),
        grain (the step that numbers are rounded to, 0 for none), outside (values that the distribution cannot
        give, left out of chi_square), mean, sd, distinct (different values), lag_1 (correlation of each value
        with the next). None where fewer than `LEAST` numbers are given, or nothing varies.

    References
    ----------
    Massey 1951, JASA 46:68; Cochran 1954, Biometrics 10:417.
    """
    n = len(values)
    found: dict[str, Any] = dict.fromkeys(("ks", "chi_square", "mean", "sd", "lag_1"))
    found |= {"outside": int((~distribution.possible(values)).sum()), "distinct": len(np.unique(values))}
    found["grain"] = _grain(distribution, values)
    if n:
        found["mean"] = float(values.mean())
    if n > 1:
        found["sd"] = float(values.std(ddof=1))
    if n < LEAST:
        return found
    if values[:-1].std() > 0 and values[1:].std() > 0:
        found["lag_1"] = float(np.corrcoef(values[:-1], values[1:])[0, 1])
    if not distribution.discrete:
        found["ks"] = _kolmogorov_smirnov(distribution, values, found["grain"])
    found["chi_square"] = _chi_square(distribution, values[distribution.possible(values)], found["grain"])
    return found


def compatible(facts: dict[str, Any], tests: int) -> bool | None:
    """Whether a sample passes every test at `ALPHA` over the number of tests made (Bonferroni).

    False, too, where a value is impossible; None where too few numbers were read to tell.
    """
    if facts["outside"]:
        return False
    p = [facts[name]["p"] for name in ("ks", "chi_square") if facts[name] is not None]
    return min(p) >= ALPHA / tests if p else None


def _grain(distribution: Distribution, values: NDArray[np.float64]) -> float:
    """The step that all values are rounded to, 0 where they are not or the step is too coarse."""
    if distribution.discrete or not len(values):
        return 0.0
    for decimals in range(-2, _MOST_DECIMALS + 1):
        if np.allclose(values, np.round(values, decimals), rtol=0, atol=1e-9):
            step = 10.0**-decimals
            return step if step <= float(distribution.frozen.std()) / 2 else 0.0
    return 0.0


def _kolmogorov_smirnov(
    distribution: Distribution, values: NDArray[np.float64], grain: float
) -> dict[str, float]:
    from scipy import stats

    if not grain:
        ks = stats.kstest(values, distribution.frozen.cdf)
        return {"statistic": float(ks.statistic), "p": float(ks.pvalue)}
    n = len(values)
    middles = np.unique(np.concatenate([values - grain / 2, values + grain / 2]))
    reached = np.searchsorted(np.sort(values), middles) / n
    statistic = float(np.abs(reached - distribution.frozen.cdf(middles)).max())
    return {"statistic": statistic, "p": float(stats.kstwo.sf(statistic, n))}


def _chi_square(
    distribution: Distribution, values: NDArray[np.float64], grain: float
) -> dict[str, Any] | None:
    n = len(values)
    if n < LEAST:
        return None
    from scipy import stats

    edges = _whole_edges(distribution, n) if distribution.discrete else _even_edges(distribution, n)
    if grain:
        edges = _joined(distribution, (np.floor(edges / grain) + 0.5) * grain, n)
    cdf = np.concatenate([[0.0], distribution.frozen.cdf(edges), [1.0]])
    counts = np.bincount(np.searchsorted(edges, values), minlength=len(edges) + 1)
    expected = n * np.diff(cdf)
    statistic = float(((counts - expected) ** 2 / expected).sum())
    df = len(counts) - 1
    return {"statistic": statistic, "df": df, "p": float(stats.chi2.sf(statistic, df))} if df else None


def _even_edges(distribution: Distribution, n: int) -> NDArray[np.float64]:
    """Upper ends of all bins of equal probability but the last."""
    bins = min(_MOST_BINS, int(n // _EXPECTED))
    return np.asarray(distribution.frozen.ppf(np.arange(1, bins) / bins), dtype=float)


def _whole_edges(distribution: Distribution, n: int) -> NDArray[np.float64]:
    """Upper ends of runs of whole numbers, each with 5 expected values, but the last."""
    return _joined(distribution, np.arange(distribution.frozen.ppf(1 - 1e-9) + 1), n)


def _joined(distribution: Distribution, edges: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Those of the upper ends, in order, that leave 5 expected values in every bin, the last one too."""
    kept: list[float] = []
    below = 0.0
    for edge, reached in zip(edges.tolist(), distribution.frozen.cdf(edges).tolist(), strict=True):
        if n * (reached - below) >= _EXPECTED and n * (1 - reached) >= _EXPECTED:
            kept.append(edge)
            below = reached
    return np.array(kept)
