"""Do groups differ? Chi-square for shares, analysis of variance for means, cluster permutation for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from intent.analysis.multiplicity import benjamini_hochberg, holm
from intent.analysis.permutation import exchangeable, permutation_p
from intent.analysis.stratified import stratified

__all__ = [
    "Hypothesis",
    "benjamini_hochberg",
    "chi_square",
    "cramers_v",
    "f_statistic",
    "holm",
    "mean_tests",
    "share_tests",
    "with_holm",
    "within_blocks",
]


@dataclass(frozen=True)
class Hypothesis:
    """One test of one null hypothesis.

    Parameters
    ----------
    factor : str
        The column or columns that make the groups, or the two groups that are compared.
    test : str
        chi_square, anova, permutation, or permutation_within (blocks).
    statistic : float
        Chi-square or F, infinite where every group is constant; within blocks, Q as `stratified`.
    df : float, tuple of two floats (anova) or None (permutations)
    p : float
    p_adjusted : float
        p after Holm's correction over all tests of the same kind made together.
    p_fdr : float
        p after Benjamini and Hochberg's correction over the same tests: the false discovery rate at which
        it counts as a finding.
    effect : float
        Cramér's V for shares, eta squared for means; both from 0 (none) to 1. Within blocks, the same of the
        deviations from what the blocks let expect: (Q / its largest value)^1/2, and that squared.
    smallest : float
        Effective number of rows of the smallest group.
    unit : str
        What is taken as independent: games, subjects, conditions, ...
    question : str
        What a claim on this unit is about, as "in conditions like these".
    """

    factor: str
    test: str
    statistic: float
    df: float | tuple[float, float] | None
    p: float
    p_adjusted: float
    p_fdr: float
    effect: float
    smallest: float = float("inf")
    unit: str = ""
    question: str = ""


def chi_square(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson's statistic N (sum T_gk^2 / (R_g C_k) - 1), without continuity correction.

    Parameters
    ----------
    table : (..., groups, outcomes) float
        Counts; every group and outcome occurs.

    Returns
    -------
    (...) float
    """
    rows, columns = table.sum(axis=-1, keepdims=True), table.sum(axis=-2, keepdims=True)
    total = rows.sum(axis=(-2, -1))
    return np.asarray(np.maximum(total * ((table**2 / (rows * columns)).sum(axis=(-2, -1)) - 1), 0.0))


def cramers_v(statistic: float, table: NDArray[np.float64]) -> float:
    """Cramér's V = sqrt(chi-square / (N (min(groups, outcomes) - 1))).

    References
    ----------
    Cramér (1946), Mathematical Methods of Statistics, §21.9.
    """
    return float(np.sqrt(statistic / (table.sum() * (min(table.shape) - 1))))


def f_statistic(sums: NDArray[np.float64], total_square: float) -> NDArray[np.float64]:
    """F of the one-way analysis of variance (equal variances), from sums by group.

    Parameters
    ----------
    sums : (..., groups, 2) float
        Number of rows, and sum of the values less their grand mean.
    total_square : float
        Sum over rows of the squared values less their grand mean.

    Returns
    -------
    (...) float
    """
    n = sums[..., 0]
    between = _between(sums)
    within = np.maximum(total_square - between, 0.0)
    within = np.where(within <= 1e-12 * total_square, 0.0, within)
    groups = sums.shape[-2]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((between / (groups - 1)) / (within / (n.sum(axis=-1) - groups)))


def share_tests(
    factor: str,
    weights: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    *,
    permutations: int,
    rng: np.random.Generator,
    blocks: NDArray[np.intp] | None = None,
) -> list[Hypothesis]:
    """Whether the shares of outcomes differ between groups.

    Chi-square takes rows as independent and needs whole counts; it is left out where a row counts for
    several outcomes in parts. The permutation of clusters holds for both.

    Parameters
    ----------
    factor : str
    weights : (n, k) float, rows sum to one
    codes : (n,) int
        Group of each row.
    clusters : (n,) int
    permutations : int
        0 leaves the permutation tests out.
    rng : Generator
    blocks : (n,) int, optional
        Adds ``permutation_within``: the factor exchanged within equal blocks only (`within_blocks`).

    Returns
    -------
    list of Hypothesis
        Empty where there is one group or one outcome only.
    """
    codes = np.unique(codes, return_inverse=True)[1]
    weights = weights[:, weights.any(axis=0)]
    table = _sums_by_group(weights, codes)
    if min(table.shape) < 2:
        return []
    statistic = float(chi_square(table))
    effect = cramers_v(statistic, table)
    found = []
    if np.isin(weights, (0.0, 1.0)).all():
        from scipy.special import chdtrc

        df = float((table.shape[0] - 1) * (table.shape[1] - 1))
        p = float(chdtrc(df, statistic))
        found.append(Hypothesis(factor, "chi_square", statistic, df, p, p, p, effect))
    if permutations and exchangeable(codes, clusters):
        p = permutation_p(statistic, weights, codes, clusters, chi_square, permutations, rng)
        found.append(Hypothesis(factor, "permutation", statistic, None, p, p, p, effect))
    within = within_blocks(factor, weights, codes, clusters, blocks, permutations, rng)
    return found if within is None else [*found, replace(within, effect=float(within.effect**0.5))]


def mean_tests(
    factor: str,
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    *,
    permutations: int,
    rng: np.random.Generator,
    blocks: NDArray[np.intp] | None = None,
) -> list[Hypothesis]:
    """Whether the mean of a number differs between groups: one-way analysis of variance, and F permuted.

    The analysis of variance takes rows as independent and variances as equal; the permutation of
    clusters needs neither normal errors nor independent rows. What is permuted is N eta^2, N times the
    part of the sum of squares that lies between groups: it orders permutations as F does, and is finite
    where F is not.

    Parameters
    ----------
    factor : str
    values : (n,) float
    codes, clusters : (n,) int
    permutations : int
    rng : Generator
    blocks : (n,) int, optional
        As in `share_tests`.

    Returns
    -------
    list of Hypothesis
        Empty where there is one group, no row to spare, or no variation.
    """
    codes = np.unique(codes, return_inverse=True)[1]
    centred = values - values.mean()
    total = float((centred**2).sum())
    groups = int(codes.max()) + 1
    if groups < 2 or len(values) <= groups or total <= 1e-20 * max(1e-300, float((values**2).sum())):
        return []
    from scipy.special import fdtrc

    stacked = np.stack([np.ones_like(centred), centred], axis=1)
    sums = _sums_by_group(stacked, codes)
    statistic = float(f_statistic(sums, total))
    df = (float(groups - 1), float(len(values) - groups))
    effect = min(1.0, float(_between(sums)) / total)
    p = float(fdtrc(*df, statistic)) if np.isfinite(statistic) else 0.0
    found = [Hypothesis(factor, "anova", statistic, df, p, p, p, effect)]
    if permutations and exchangeable(codes, clusters):
        scale = len(values) / total
        p = permutation_p(
            scale * float(_between(sums)),
            stacked,
            codes,
            clusters,
            lambda s: scale * _between(s),
            permutations,
            rng,
        )
        found.append(Hypothesis(factor, "permutation", statistic, None, p, p, p, effect))
    within = within_blocks(factor, centred[:, None], codes, clusters, blocks, permutations, rng)
    return found if within is None else [*found, within]


def within_blocks(
    factor: str,
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    blocks: NDArray[np.intp] | None,
    permutations: int,
    rng: np.random.Generator,
) -> Hypothesis | None:
    """Whether groups differ where the blocks are equal: Cochran, Mantel and Haenszel's Q, permuted.

    The covariance in Q takes rows as independent, which only shapes it; its p does not: games stay whole.
    The effect is Q over the largest that it can be.

    Parameters
    ----------
    factor : str
    values : (n, k) float
    codes, clusters : (n,) int
    blocks : (n,) int, or None
    permutations : int
    rng : Generator

    Returns
    -------
    Hypothesis or None
        None without blocks or permutations, where no block holds two levels, or nothing varies within them.
    """
    if blocks is None or not permutations or not exchangeable(codes, clusters, blocks):
        return None
    form = stratified(values, codes, blocks)
    if form.df == 0:
        return None
    statistic = float(form.statistic(_sums_by_group(form.centred, codes)))
    p = permutation_p(statistic, form.centred, codes, clusters, form.statistic, permutations, rng, blocks)
    return Hypothesis(
        factor, "permutation_within", statistic, None, p, p, p, min(1.0, statistic / form.scale)
    )


def with_holm(tests: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
    """The tests with `p_adjusted` and `p_fdr` over those of the same kind.

    Chi-square and permutation ask the same question of the same groups: counting both as one family would
    double the correction and make no hypothesis safer.
    """
    found = list(tests)
    for kind in {(test.test, test.question) for test in tests}:
        family = [i for i, test in enumerate(tests) if (test.test, test.question) == kind]
        p = [tests[i].p for i in family]
        for i, strict, discovery in zip(family, holm(p), benjamini_hochberg(p), strict=True):
            found[i] = replace(tests[i], p_adjusted=strict, p_fdr=discovery)
    return tuple(found)


def _between(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """(...) sum of squares between groups, from (..., groups, 2) numbers of rows and centred sums."""
    return np.asarray((sums[..., 1] ** 2 / sums[..., 0]).sum(axis=-1))


def _sums_by_group(values: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """(groups, k) sums of the (n, k) values."""
    return np.stack([np.bincount(codes, weights=column) for column in values.T], axis=1).astype(float)
