"""Whether numbers can be a sample of a distribution: Kolmogorov-Smirnov and chi-square."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.analysis.distributions import Distribution

__all__ = ["ALPHA", "LEAST", "compatible", "sample_facts"]

ALPHA = 0.05
LEAST = 20
"""Numbers below which nothing is tested."""

_EXPECTED = 5.0
"""Expected count of a bin, at the least; Cochran's rule."""

_MOST_BINS = 20


def sample_facts(distribution: Distribution, values: NDArray[np.float64]) -> dict[str, Any]:
    """Tests and moments of a sample.

    Parameters
    ----------
    distribution : Distribution
    values : (n,) float

    Returns
    -------
    dict
        ks (statistic, p; None for a discrete distribution, for which the test does not hold), chi_square
        (statistic, df, p; over bins of equal probability, or whole numbers joined until 5 are expected in
        each), outside (values that the distribution cannot give, left out of chi_square), mean, sd, distinct
        (different values), lag_1 (correlation of each value with the next). None where fewer than `LEAST`
        numbers are given, or nothing varies.

    References
    ----------
    Massey 1951, JASA 46:68; Cochran 1954, Biometrics 10:417.
    """
    n = len(values)
    found: dict[str, Any] = dict.fromkeys(("ks", "chi_square", "mean", "sd", "lag_1"))
    found |= {"outside": int((~distribution.possible(values)).sum()), "distinct": len(np.unique(values))}
    if n:
        found["mean"] = float(values.mean())
    if n > 1:
        found["sd"] = float(values.std(ddof=1))
    if n < LEAST:
        return found
    if values[:-1].std() > 0 and values[1:].std() > 0:
        found["lag_1"] = float(np.corrcoef(values[:-1], values[1:])[0, 1])
    if not distribution.discrete:
        from scipy import stats

        ks = stats.kstest(values, distribution.frozen.cdf)
        found["ks"] = {"statistic": float(ks.statistic), "p": float(ks.pvalue)}
    found["chi_square"] = _chi_square(distribution, values[distribution.possible(values)])
    return found


def compatible(facts: dict[str, Any], tests: int) -> bool | None:
    """Whether a sample passes every test at `ALPHA` over the number of tests made (Bonferroni).

    False, too, where a value is impossible; None where too few numbers were read to tell.
    """
    if facts["outside"]:
        return False
    p = [facts[name]["p"] for name in ("ks", "chi_square") if facts[name] is not None]
    return min(p) >= ALPHA / tests if p else None


def _chi_square(distribution: Distribution, values: NDArray[np.float64]) -> dict[str, Any] | None:
    n = len(values)
    if n < LEAST:
        return None
    from scipy import stats

    edges = _whole_edges(distribution, n) if distribution.discrete else _even_edges(distribution, n)
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
    law = distribution.frozen
    edges: list[float] = []
    below = 0.0
    for k in range(int(law.ppf(1 - 1e-9)) + 1):
        reached = float(law.cdf(k))
        if n * (reached - below) >= _EXPECTED and n * (1 - reached) >= _EXPECTED:
            edges.append(float(k))
            below = reached
    return np.array(edges)
