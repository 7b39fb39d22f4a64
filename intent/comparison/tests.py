"""Groups of counted labels or of numbers compared: intervals, and whether groups differ.

Chi-square for shares, analysis of variance for means, cluster permutation for both. A factor is exchanged
between whole games, so that games stay as they were played; with blocks (same model, persona, game, …) only
between what is alike in them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.statistics import (
    Grouping,
    Interval,
    cluster_covariance,
    group_name,
    grouping,
    n_effective,
    share_intervals,
)
from intent.behaviour.means import Intervals, mean_interval
from intent.comparison.data import chi_square, cramers_v
from intent.comparison.groups import Comparison, Group, Hypothesis, Outcomes, with_holm
from intent.comparison.permutation import (
    ALPHA,
    Robust,
    exchangeable,
    named_stream,
    robust_statistic,
    sequential_p,
    stratified,
)
from intent.estimate.design_units import few_clusters

__all__ = [
    "Draws",
    "Sample",
    "Settings",
    "compare_means",
    "compare_shares",
    "f_statistic",
    "few_permutations",
    "mean_tests",
    "share_tests",
    "small_counts",
    "two_way_test",
    "within_blocks",
]


FEWEST, FEW = 5, 20
"""Clusters of a group from which on, and up to which, the wild cluster bootstrap stands beside."""
_WILD = 1999


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
    blocks: NDArray[np.intp] | None = None,
    also: NDArray[np.intp] | None = None,
    **draws: Any,
) -> list[Hypothesis]:
    """Whether the shares of outcomes differ between groups.

    Chi-square takes rows as independent and needs whole counts; it is left out where a row counts for
    several outcomes in parts. The permutation of clusters holds for both, and where clusters of one group are
    more alike within, or vary more, than those of another: its statistic is `robust_statistic`.

    Parameters
    ----------
    weights : (n, k) float, rows sum to one
    codes : (n,) int
        Group of each row.
    clusters : (n,) int
    blocks : (n,) int, optional
        Adds ``permutation_within``: the factor exchanged within equal blocks only (`within_blocks`).
    also : (n,) int, optional
        Second way of clusters, which cannot be permuted: the test is then ``wald`` (`two_way_test`).
    **draws
        As `Draws`.

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
    tests += _of_clusters(factor, weights, codes, clusters, blocks, also, Draws(**draws), effect)
    return tests


def mean_tests(
    factor: str,
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    clusters: NDArray[np.intp],
    *,
    blocks: NDArray[np.intp] | None = None,
    also: NDArray[np.intp] | None = None,
    **draws: Any,
) -> list[Hypothesis]:
    """Whether the mean of a number differs between groups: one-way analysis of variance, and a permutation.

    The analysis of variance takes rows as independent and variances as equal; the permutation of
    clusters needs neither normal errors, nor independent rows, nor equal variances (`robust_statistic`).

    Parameters
    ----------
    values : (n,) float
    codes, clusters : (n,) int
    blocks, also, **draws
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
    tests += _of_clusters(factor, centred[:, None], codes, clusters, blocks, also, Draws(**draws), effect)
    return tests


@dataclass(frozen=True, eq=False)
class Draws:
    """How permutations are drawn.

    Parameters
    ----------
    permutations : int or None
        0 leaves the permutation tests out; None: as many as p needs to be on one side of alpha
        (`sequential_p`).
    rng : Generator
    seed : int, optional
        Makes the permutations a function of seed, factor and test, whatever was drawn before; without it
        they come from `rng`.
    alpha : float
        What the number of permutations depends on.
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
    values : (n, k) float
    codes, clusters : (n,) int
    blocks : (n,) int, or None

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
    values : (n, k) float
    codes : (n,) int, 0 to G - 1, each of which occurs
    clusters, also : (n,) int

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


def _between(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """(...) sum of squares between groups, from (..., groups, 2) numbers of rows and centred sums."""
    return np.asarray((sums[..., 1] ** 2 / sums[..., 0]).sum(axis=-1))


def _sums_by_group(values: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """(groups, k) sums of the (n, k) values."""
    return np.stack([np.bincount(codes, weights=column) for column in values.T], axis=1).astype(float)


@dataclass(frozen=True)
class Settings:
    """How intervals and tests are made.

    Parameters
    ----------
    bootstrap : int
        Samples of the cluster bootstrap.
    permutations : int or None
        Permutations of each test; 0 for none; None: as many as p needs to be on one side of 1 - level
        (`sequential_p`).
    level : float in (0, 1)
        Coverage of the intervals.
    pairwise : bool
        Whether every two groups are tested against each other too.
    unit : str
        What a cluster is, in words: games, rows, ...
    """

    bootstrap: int = 2000
    permutations: int | None = None
    level: float = 0.95
    pairwise: bool = False
    unit: str = "games"


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows whose groups are compared, whatever is measured of them.

    Parameters
    ----------
    table : DataFrame
        n rows with the columns of `by`.
    by : sequence of str
        Factors; the groups are their joint values. Each factor is tested, and all together.
    clusters : (n,) int
        Rows that are no independent observations, as both seats of a game.
    blocks : mapping of factor -> (n,) int, optional
        Rows that are alike in all else: adds a test of the factor within them.
    also : (n,) int, optional
        Second way of clusters (`Unit.also`): intervals and tests are by the covariance of both, and nothing
        is permuted.
    seed : int, optional
        Makes each permutation test a function of seed, factor and test alone: the same wherever it is shown.
    """

    table: pd.DataFrame
    by: Sequence[str]
    clusters: NDArray[np.intp]
    blocks: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)
    also: NDArray[np.intp] | None = None
    seed: int | None = None

    def factors(self) -> list[Grouping]:
        """One grouping per factor and, where there are several, the joint one."""
        single = [grouping(self.table, [column]) for column in self.by]
        return [*single, grouping(self.table, self.by)] if len(self.by) > 1 else single


def compare_shares(
    rows: Sample, outcomes: Outcomes, *, count: str, settings: Settings, rng: np.random.Generator
) -> Comparison:
    """Shares of outcomes in every group, and whether they differ between groups.

    Parameters
    ----------
    outcomes : Outcomes
        (n, k) weights.
    count : str
        How `outcomes` were counted; passed on to the result.
    """
    _, for_tests = rng.spawn(2)
    level = settings.level

    def describe(part: NDArray[np.intp]) -> tuple[list[Interval], float | None]:
        other = None if rows.also is None else rows.also[part]
        return share_intervals(outcomes.weights[part], rows.clusters[part], level=level, also=other), None

    comparison = _compared(
        rows, outcomes.weights, describe, partial(share_tests, rng=for_tests), settings,
        count=count, metric=None, outcomes=outcomes.names,
    )  # fmt: skip
    notes: list[str | None] = []
    if outcomes.fractional and rows.by:
        notes.append(
            f"chi-square needs whole counts, --count {count} makes fractions: permutation tests only"
        )
    elif rows.by:
        notes += [small_counts(f.sums(outcomes.weights), ",".join(f.columns)) for f in rows.factors()]
    return replace(comparison, notes=(*filter(None, notes), *comparison.notes))


def compare_means(
    rows: Sample, values: NDArray[np.float64], *, metric: str, settings: Settings, rng: np.random.Generator
) -> Comparison:
    """Mean and standard deviation of a number in every group, and whether the means differ.

    Parameters
    ----------
    values : (n,) float
        No NaN among them. Where all lie in [0, 1], intervals are those of shares, and stay within.
    metric : str
        Name of the number.
    """
    for_intervals, for_tests = rng.spawn(2)
    bounds = (0.0, 1.0) if values.min() >= 0 and values.max() <= 1 else None
    interval = partial(
        mean_interval,
        rng=for_intervals,
        intervals=Intervals(settings.bootstrap, settings.level),
        bounds=bounds,
    )

    def describe(part: NDArray[np.intp]) -> tuple[list[Interval], float | None]:
        other = None if rows.also is None else rows.also[part]
        sd = float(values[part].std(ddof=1)) if len(part) > 1 else float("nan")
        return [interval(values[part], rows.clusters[part], also=other)], sd

    return _compared(
        rows, values, describe, partial(mean_tests, rng=for_tests), settings,
        count=None, metric=metric, outcomes=(metric,), bounded=bounds is not None,
    )  # fmt: skip


def _compared(
    rows: Sample,
    values: NDArray[np.float64],
    describe: Callable[[NDArray[np.intp]], tuple[list[Interval], float | None]],
    test: Callable[..., list[Hypothesis]],
    settings: Settings,
    **facts: Any,
) -> Comparison:
    """Groups as `describe` has them, tested each factor, all together and, where asked, pair by pair."""

    def test_of(factor: str, codes: NDArray[np.intp], part: NDArray[np.intp]) -> list[Hypothesis]:
        own = rows.blocks.get(factor)
        return test(
            factor,
            values[part],
            codes[part],
            rows.clusters[part],
            blocks=None if own is None else own[part],
            also=None if rows.also is None else rows.also[part],
            permutations=settings.permutations,
            seed=rows.seed,
            alpha=1 - settings.level,
        )

    columns = values if values.ndim == 2 else values[:, None]
    joint = grouping(rows.table, rows.by)
    groups = _groups(joint, columns, rows.clusters, describe)
    tests = _tests(joint, rows.factors(), groups, columns, rows.clusters, test_of, settings)
    return Comparison(
        by=tuple(rows.by),
        level=settings.level,
        groups=groups,
        tests=tests,
        unit=settings.unit,
        n_clusters=len(np.unique(rows.clusters)),
        n_effective=n_effective(columns, rows.clusters),
        notes=_notes(groups, tests, settings),
        **facts,
    )


def _groups(
    joint: Grouping,
    values: NDArray[np.float64],
    clusters: NDArray[np.intp],
    describe: Callable[[NDArray[np.intp]], tuple[list[Interval], float | None]],
) -> tuple[Group, ...]:
    groups = []
    for code, value in enumerate(joint.values):
        rows = np.flatnonzero(joint.codes == code)
        intervals, sd = describe(rows)
        groups.append(
            Group(
                values=value,
                n=len(rows),
                n_clusters=len(np.unique(clusters[rows])),
                n_effective=n_effective(values[rows], clusters[rows]),
                intervals=tuple(intervals),
                sd=sd,
            )
        )
    return tuple(groups)


def _tests(
    joint: Grouping,
    factors: Sequence[Grouping],
    groups: Sequence[Group],
    values: NDArray[np.float64],
    clusters: NDArray[np.intp],
    test: Callable[[str, NDArray[np.intp], NDArray[np.intp]], list[Hypothesis]],
    settings: Settings,
) -> tuple[Hypothesis, ...]:
    everything = np.arange(len(joint.codes))
    tests: list[Hypothesis] = []
    for factor in factors:
        smallest = _smallest(factor, values, clusters)
        own = test(",".join(factor.columns), factor.codes, everything)
        tests += [replace(h, smallest=smallest) for h in own]
    if settings.pairwise and len(joint) > 2:
        for a, b in combinations(range(len(joint)), 2):
            rows = np.flatnonzero((joint.codes == a) | (joint.codes == b))
            name = f"{group_name(joint.values[a])} vs {group_name(joint.values[b])}"
            smallest = min(groups[a].n_effective, groups[b].n_effective)
            own = test(f"{','.join(joint.columns)}: {name}", joint.codes, rows)
            tests += [replace(h, smallest=smallest) for h in own]
    return with_holm(tests)


def _smallest(factor: Grouping, values: NDArray[np.float64], clusters: NDArray[np.intp]) -> float:
    """Effective number of rows of the smallest group."""
    rows = [factor.codes == code for code in range(len(factor))]
    return min(n_effective(values[r], clusters[r]) for r in rows)


def _notes(groups: Sequence[Group], tests: Sequence[Hypothesis], settings: Settings) -> tuple[str, ...]:
    clusters = few_clusters(
        [group_name(g.values) for g in groups], [g.n_clusters for g in groups], settings.unit
    )
    kinds = {t.test for t in tests}
    kind = "permutation_within" if "permutation_within" in kinds else "permutation"
    permuted = [t for t in tests if t.test == kind]
    done = min((t.permutations or 0 for t in permuted), default=0)
    few = few_permutations([t.p for t in permuted], done, settings.level) if permuted else None
    alpha = 1 - settings.level + 1e-12
    wild = [
        f"{t.factor}: the wild cluster bootstrap says p = {t.p_wild:.2g}, the permutation p = {t.p:.2g}: "
        f"with so few {settings.unit} neither is sure"
        for t in permuted
        if t.p_wild is not None and (t.p_wild <= alpha) != (t.p <= alpha)
    ]
    return tuple(n for n in (clusters, few, *wild) if n)


def few_permutations(p: Sequence[float], permutations: int, level: float) -> str | None:
    """A caution where the number of permutations, not the data, decides how small p can be.

    The smallest p of B permutations is 1 / (1 + B), and m / (1 + B) after Holm's correction of m tests.

    Parameters
    ----------
    p : sequence of float
        p of the m permutation tests, before correction.
    level : float in (0, 1)
        Tests speak at 1 - level.
    """
    least, alpha = 1 / (1 + permutations), 1 - level + 1e-12
    limit = f"{permutations:,} permutations give no p below {least:.2g}"
    if len(p) * least <= alpha:
        reached = sum(value <= least + 1e-12 for value in p)
        return f"{limit}, which {reached} tests have (see --permutations)" if reached > 1 else None
    enough = math.ceil(len(p) / alpha - 1e-9)
    tests = f", {len(p) * least:.2g} after Holm's correction of {len(p)} tests" if len(p) > 1 else ""
    return f"{limit}{tests}, so that none can fall to {alpha:.2g}: give --permutations {enough} or more"


def small_counts(table: NDArray[np.float64], factor: str) -> str | None:
    """A caution where chi-square's approximation is poor (Cochran's rule).

    Parameters
    ----------
    table : (groups, outcomes) float

    References
    ----------
    Cochran (1954), Biometrics 10:417: at most a fifth of expected counts below 5.
    """
    table = table[:, table.any(axis=0)]
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    share = float((expected < 5).mean())
    if share <= 0.2:
        return None
    return f"{factor}: {share:.0%} of expected counts are below 5: rely on the permutation test"
