"""The permutation test of two means: groups exchanged within conditions, in every way where these are few."""

from __future__ import annotations

from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

__all__ = ["exchange_p"]

_BUDGET = 2e7
"""Values permuted at most."""

_TIE = 1e-12


def exchange_p(
    values: NDArray[np.float64],
    n_first: int,
    strata: NDArray[np.intp],
    samples: int,
    rng: np.random.Generator,
) -> float:
    """Two-sided p of the difference of means, groups exchanged within strata that hold both.

    1. Where no stratum holds both groups, they are exchanged between all.
    2. Where there are no more arrangements than samples, p is the share of all of them whose difference is at
       least the observed one, and `rng` is not used.
    3. Else p = (1 + extreme) / (1 + samples), over random arrangements.

    Parameters
    ----------
    values : (n,) float, those of the first group in front
    n_first : int in [1, n)
    strata : (n,) int
    samples : int
        At least 200 are drawn, and fewer of long tables.
    rng : Generator

    References
    ----------
    Phipson & Smyth 2010, Statistical Applications in Genetics and Molecular Biology 9:39.
    """
    group = np.arange(len(values)) < n_first
    codes = np.unique(strata, return_inverse=True)[1]
    mixed = np.bincount(codes, weights=group)
    if not ((mixed > 0) & (mixed < np.bincount(codes))).any():
        codes = np.zeros(len(values), dtype=np.intp)
    order = np.argsort(codes, kind="stable")
    values, group, codes = values[order], group[order], codes[order]
    permutations = max(200, int(min(samples, _BUDGET / len(values))))
    parts = [(values[codes == code], int(group[codes == code].sum())) for code in np.unique(codes)]
    n_second, total = len(values) - n_first, float(values.sum())

    def apart(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distance of the means where the first group has these sums."""
        return np.abs(sums / n_first - (total - sums) / n_second)

    observed = apart(values[group].sum()) - _TIE
    if prod(comb(len(part), k) for part, k in parts) <= permutations:
        return float((apart(_all_sums(parts)) >= observed).mean())
    drawn = (values[np.lexsort((rng.random(len(values)), codes))][group].sum() for _ in range(permutations))
    return float((1 + (apart(np.fromiter(drawn, dtype=float)) >= observed).sum()) / (1 + permutations))


def _all_sums(parts: list[tuple[NDArray[np.float64], int]]) -> NDArray[np.float64]:
    """Sums of the first group over every way to choose so many of each part."""
    sums = np.zeros(1)
    for part, k in parts:
        chosen = np.array(list(combinations(range(len(part)), k)), dtype=np.intp)
        sums = np.add.outer(sums, part[chosen].sum(axis=1)).ravel()
    return sums
