"""Do groups differ? Chi-square for shares, analysis of variance for means, cluster permutation for both.

A factor is exchanged between whole games, so that games stay as they were played; with blocks (same model,
persona, game, …) only between what is alike in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics.clusters import cluster_covariance
from intent.comparison.permutation import (
    ALPHA,
    Robust,
    exchangeable,
    named_stream,
    robust_statistic,
    sequential_p,
    stratified,
)

__all__ = [
    "DECIDING",
    "Draws",
    "Hypothesis",
    "benjamini_hochberg",
    "chi_square",
    "cramers_v",
    "deciding",
    "f_statistic",
    "holm",
    "mean_tests",
    "share_tests",
    "two_way_test",
    "with_holm",
    "within_blocks",
]


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down correction of m p-values.

    Sorted upwards, p_(i) becomes the largest of (m - j + 1) p_(j) over j <= i, at most 1.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6:65.
    """
    values = np.asarray(p, dtype=float)
    order = np.argsort(values, kind="stable")
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)))
    return [float(value) for value in adjusted]


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's step-up correction of m p-values, of the false discovery rate.

    Sorted upwards, p_(i) becomes the smallest of m p_(j) / j over j >= i, at most 1.

    References
    ----------
    Benjamini & Hochberg (1995), Journal of the Royal Statistical Society B 57:289.
    """
    values = np.asarray(p, dtype=float)
    order = np.argsort(values, kind="stable")
    scaled = values[order] * len(values) / np.arange(1, len(values) + 1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return [float(value) for value in adjusted]


FEWEST, FEW = 5, 20
"""Clusters of a group from which on, and up to which, the wild cluster bootstrap stands beside."""
_WILD = 1999


@dataclass(frozen=True)
class Hypothesis:
    """One test of one null hypothesis.

    Parameters
    ----------
    factor : str
        The column or columns that make the groups, or the two groups that are compared.
    test : str
        chi_square, anova, permutation, permutation_within (blocks), or wald (clusters in two ways).
    statistic : float
        Chi-square or F, infinite where every group is constant; of permutations W as `robust_statistic`.
    df : float, tuple of two floats (anova, wald) or None (permutations)
    p : float
    p_adjusted : float
        p after Holm's correction over all tests of the same kind made together.
    p_fdr : float
        p after Benjamini and Hochberg's correction over the same tests: the false discovery rate at which
        it counts as a finding.
    effect : float
        Cramér's V for shares, eta squared for means; both from 0 (none) to 1. Within blocks, the same of the
        deviations from what the blocks let expect: (Q / its largest value)^1/2, and that squared, Q as
        `stratified`.
    smallest : float
        Effective number of rows of the smallest group.
    unit : str
        What is taken as independent: games, subjects, conditions, ...
    question : str
        What a claim on this unit is about, as "in conditions like these".
    permutations : int or None
        How many were made.
    p_wild : float or None
        p of the wild cluster bootstrap of the same statistic, where some group has 5 to 19 clusters: a check,
        which alone rejects too much where groups differ in their correlation.
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
    permutations: int | None = None
    p_wild: float | None = None


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
    permutations: int | None,
    rng: np.random.Generator,
    blocks: NDArray[np.intp] | None = None,
    also: NDArray[np.intp] | None = None,
    seed: int | None = None,
    alpha: float = ALPHA,
) -> list[Hypothesis]:
    """Whether the shares of outcomes differ between groups.

    Chi-square takes rows as independent and needs whole counts; it is left out where a row counts for
    several outcomes in parts. The permutation of clusters holds for both, and where clusters of one group are
    more alike within, or vary more, than those of another: its statistic is `robust_statistic`.

    Parameters
    ----------
    factor : str
    weights : (n, k) float, rows sum to one
    codes : (n,) int
        Group of each row.
    clusters : (n,) int
    permutations : int or None
        0 leaves the permutation tests out; None: as many as p needs to be on one side of alpha
        (`sequential_p`).
    rng : Generator
    blocks : (n,) int, optional
        Adds ``permutation_within``: the factor exchanged within equal blocks only (`within_blocks`).
    also : (n,) int, optional
        Second way of clusters, which cannot be permuted: the test is then ``wald`` (`two_way_test`).
    seed : int, optional
        Makes the permutations a function of seed, factor and test, whatever was drawn before; without it
        they come from `rng`.
    alpha : float
        What the number of permutations depends on.

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
    tests = []
    if np.isin(weights, (0.0, 1.0)).all():
        from scipy.special import chdtrc

        df = float((table.shape[0] - 1) * (table.shape[1] - 1))
        p = float(chdtrc(df, statistic))
        tests.append(Hypothesis(factor, "chi_square", statistic, df, p, p, p, effect))
    draws = Draws(permutations, rng, seed, alpha)
    tests += _of_clusters(factor, weights, codes, clusters, blocks, also, draws, effect)
    return tests


def mean_tests(
    factor: str,
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    *,
    permutations: int | None,
    rng: np.random.Generator,
    blocks: NDArray[np.intp] | None = None,
    also: NDArray[np.intp] | None = None,
    seed: int | None = None,
    alpha: float = ALPHA,
) -> list[Hypothesis]:
    """Whether the mean of a number differs between groups: one-way analysis of variance, and a permutation.

    The analysis of variance takes rows as independent and variances as equal; the permutation of
    clusters needs neither normal errors, nor independent rows, nor equal variances (`robust_statistic`).

    Parameters
    ----------
    factor : str
    values : (n,) float
    codes, clusters : (n,) int
    permutations, rng, blocks, also, seed, alpha
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
    tests = [Hypothesis(factor, "anova", statistic, df, p, p, p, effect)]
    draws = Draws(permutations, rng, seed, alpha)
    tests += _of_clusters(factor, centred[:, None], codes, clusters, blocks, also, draws, effect)
    return tests


@dataclass(frozen=True, eq=False)
class Draws:
    """How permutations are drawn.

    Parameters
    ----------
    permutations : int or None
    rng : Generator
    seed : int, optional
    alpha : float
    """

    permutations: int | None
    rng: np.random.Generator
    seed: int | None = None
    alpha: float = ALPHA

    def stream(self, *names: str) -> np.random.Generator:
        """Generator of the test of this name."""
        return self.rng if self.seed is None else named_stream(self.seed, *names)


def _of_clusters(
    factor: str,
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    blocks: NDArray[np.intp] | None,
    also: NDArray[np.intp] | None,
    draws: Draws,
    effect: float,
) -> list[Hypothesis]:
    """The tests that keep clusters whole: in all rows, and within blocks."""
    if draws.permutations == 0:
        return []
    if also is not None:
        two = two_way_test(factor, values, codes, clusters, also, effect)
        return [two] if two is not None else []
    tests = []
    if exchangeable(codes, clusters):
        robust = robust_statistic(values, codes, clusters)
        if robust is not None:
            tests.append(_permuted(factor, "permutation", robust, effect, draws))
    within = within_blocks(factor, values, codes, clusters, blocks, draws)
    if within is not None:
        number = values.shape[1] == 1
        tests.append(within if number else replace(within, effect=float(within.effect**0.5)))
    return tests


def _permuted(factor: str, test: str, robust: Robust, effect: float, draws: Draws) -> Hypothesis:
    statistic = robust.statistic()
    rng = draws.stream(factor, test)
    p, done = sequential_p(
        statistic,
        lambda size: robust.permuted(size, rng),
        alpha=draws.alpha,
        permutations=draws.permutations,
    )
    wild = None
    if FEWEST <= robust.fewest() < FEW:
        wild = robust.wild_p(_WILD, draws.stream(factor, test, "wild"))
    return Hypothesis(factor, test, statistic, None, p, p, p, effect, permutations=done, p_wild=wild)


def within_blocks(
    factor: str,
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    blocks: NDArray[np.intp] | None,
    draws: Draws,
) -> Hypothesis | None:
    """Whether groups differ where the blocks are equal: differences pooled over blocks, permuted.

    The statistic is `robust_statistic`; games stay whole. The effect is Cochran, Mantel and Haenszel's Q over
    the largest that it can be.

    Parameters
    ----------
    factor : str
    values : (n, k) float
    codes, clusters : (n,) int
    blocks : (n,) int, or None
    draws : Draws

    Returns
    -------
    Hypothesis or None
        None without blocks or permutations, where no block holds two levels, or nothing varies within them.
    """
    if blocks is None or draws.permutations == 0 or not exchangeable(codes, clusters, blocks):
        return None
    form = stratified(values, codes, blocks)
    robust = robust_statistic(values, codes, clusters, blocks) if form.df else None
    if robust is None:
        return None
    effect = min(1.0, float(form.statistic(_sums_by_group(form.centred, codes))) / form.scale)
    return _permuted(factor, "permutation_within", robust, effect, draws)


def two_way_test(
    factor: str,
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    also: NDArray[np.intp],
    effect: float = float("nan"),
) -> Hypothesis | None:
    """Wald's test of equal means of groups whose rows are clustered in two ways, as subjects and games.

    F = d' (L V L')^- d / q for the differences d from the first group, with the covariance V_1 + V_2 - V_12
    and q its rank, times Hotelling's (C - q) / (C - 1), on q and C - q degrees of freedom, C = min(C_1, C_2):
    of one difference C - 1.

    Parameters
    ----------
    factor : str
    values : (n, k) float
    codes : (n,) int, 0 to G - 1, each of which occurs
    clusters, also : (n,) int
    effect : float

    Returns
    -------
    Hypothesis or None
        None where there are too few clusters for so many differences, or nothing varies.

    References
    ----------
    Cameron, Gelbach & Miller (2011), Journal of Business & Economic Statistics 29:238.
    """
    from scipy.special import fdtrc

    groups, n = int(codes.max()) + 1, np.bincount(codes)
    scaled = values - values.mean(axis=0)
    variances, vectors = np.linalg.eigh(scaled.T @ scaled / len(values))
    positive = variances > 1e-10 * max(float(variances.max()), 1e-300)
    z = scaled @ (vectors[:, positive] / np.sqrt(variances[positive]))
    r = z.shape[1]
    means = np.stack([np.bincount(codes, weights=v) / n for v in z.T], axis=1)
    influence = np.zeros((len(z), groups, r))
    influence[np.arange(len(z)), codes] = (z - means[codes]) / n[codes][:, None]
    contrasts = (influence[:, 1:] - influence[:, :1]).reshape(len(z), -1)
    fewest = min(len(np.unique(clusters)), len(np.unique(also)))
    covariance = cluster_covariance(contrasts, clusters, also) * fewest / max(fewest - 1, 1)
    rank = int(np.linalg.matrix_rank(covariance, hermitian=True)) if contrasts.size else 0
    free = fewest - rank
    if not rank or free < 1:
        return None
    d = (means[1:] - means[:1]).ravel()
    wald = float(d @ np.linalg.pinv(covariance, hermitian=True) @ d) / rank
    statistic = wald * free / (fewest - 1)
    p = float(fdtrc(rank, free, statistic))
    return Hypothesis(factor, "wald", statistic, (float(rank), float(free)), p, p, p, effect)


def with_holm(tests: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
    """The tests with `p_adjusted` and `p_fdr` over those of the same kind.

    Chi-square and permutation ask the same question of the same groups: counting both as one family would
    double the correction and make no hypothesis safer.
    """
    corrected = list(tests)
    for kind in {(test.test, test.question) for test in tests}:
        family = [i for i, test in enumerate(tests) if (test.test, test.question) == kind]
        p = [tests[i].p for i in family]
        for i, strict, discovery in zip(family, holm(p), benjamini_hochberg(p), strict=True):
            corrected[i] = replace(tests[i], p_adjusted=strict, p_fdr=discovery)
    return tuple(corrected)


def _between(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """(...) sum of squares between groups, from (..., groups, 2) numbers of rows and centred sums."""
    return np.asarray((sums[..., 1] ** 2 / sums[..., 0]).sum(axis=-1))


def _sums_by_group(values: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """(groups, k) sums of the (n, k) values."""
    return np.stack([np.bincount(codes, weights=column) for column in values.T], axis=1).astype(float)


DECIDING = ("permutation_within", "permutation", "wald", "likelihood_ratio", "chi_square", "anova")
"""Tests in the order in which a verdict follows them."""


def deciding(tests: Sequence[Hypothesis]) -> Hypothesis:
    """The test that a verdict follows: within blocks, else of clusters, else the one of independent rows."""
    return min(tests, key=lambda test: DECIDING.index(test.test))
