"""Comparison of groups: shares of outcomes or means of a number, with intervals and tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.bootstrap import Interval, n_effective
from intent.analysis.cautions import few_clusters, few_permutations, small_counts
from intent.analysis.comparison import Comparison, Group, group_name
from intent.analysis.groups import Grouping, grouping
from intent.analysis.hypothesis import Hypothesis, mean_tests, share_tests, with_holm
from intent.analysis.means import Intervals, mean_interval
from intent.analysis.score_interval import share_intervals
from intent.analysis.shares import Outcomes

__all__ = ["Settings", "compare_means", "compare_shares"]


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


def compare_shares(
    table: pd.DataFrame,
    by: Sequence[str],
    outcomes: Outcomes,
    clusters: NDArray[np.intp],
    *,
    count: str,
    settings: Settings,
    rng: np.random.Generator,
    blocks: Mapping[str, NDArray[np.intp]] | None = None,
    also: NDArray[np.intp] | None = None,
    seed: int | None = None,
) -> Comparison:
    """Shares of outcomes in every group, and whether they differ between groups.

    Parameters
    ----------
    table : DataFrame
        n rows with the columns of `by`.
    by : sequence of str
        Factors; the groups are their joint values. Each factor is tested, and all together.
    outcomes : Outcomes
        (n, k) weights.
    clusters : (n,) int
        Rows that are no independent observations, as both seats of a game.
    count : str
        How `outcomes` were counted; passed on to the result.
    settings : Settings
    rng : Generator
    blocks : mapping of factor -> (n,) int, optional
        Rows that are alike in all else: adds a test of the factor within them.
    also : (n,) int, optional
        Second way of clusters (`Unit.also`): intervals and tests are by the covariance of both, and nothing
        is permuted.
    seed : int, optional
        Makes each permutation test a function of seed, factor and test alone: the same wherever it is shown.
    """
    _, for_tests = rng.spawn(2)
    weights = outcomes.weights

    def describe(rows: NDArray[np.intp]) -> tuple[list[Interval], float | None]:
        other = None if also is None else also[rows]
        return share_intervals(weights[rows], clusters[rows], level=settings.level, also=other), None

    def test(factor: str, codes: NDArray[np.intp], rows: NDArray[np.intp]) -> list[Hypothesis]:
        own = (blocks or {}).get(factor)
        return share_tests(
            factor,
            weights[rows],
            codes[rows],
            clusters[rows],
            permutations=settings.permutations,
            rng=for_tests,
            blocks=None if own is None else own[rows],
            also=None if also is None else also[rows],
            seed=seed,
            alpha=1 - settings.level,
        )

    joint, factors = grouping(table, by), _factors(table, by)
    groups = _groups(joint, weights, clusters, describe)
    tests = _tests(joint, factors, groups, weights, clusters, test, settings)
    notes: list[str | None] = []
    if outcomes.fractional and by:
        notes.append(
            f"chi-square needs whole counts, --count {count} makes fractions: permutation tests only"
        )
    elif by:
        notes += [small_counts(f.sums(weights), ",".join(f.columns)) for f in factors]
    return Comparison(
        by=tuple(by),
        count=count,
        metric=None,
        level=settings.level,
        outcomes=outcomes.names,
        groups=groups,
        tests=tests,
        unit=settings.unit,
        n_clusters=len(np.unique(clusters)),
        n_effective=n_effective(weights, clusters),
        notes=_notes(groups, tests, settings, notes),
    )


def compare_means(
    table: pd.DataFrame,
    by: Sequence[str],
    values: NDArray[np.float64],
    clusters: NDArray[np.intp],
    *,
    metric: str,
    settings: Settings,
    rng: np.random.Generator,
    blocks: Mapping[str, NDArray[np.intp]] | None = None,
    also: NDArray[np.intp] | None = None,
    seed: int | None = None,
) -> Comparison:
    """Mean and standard deviation of a number in every group, and whether the means differ.

    Parameters
    ----------
    table, by, clusters, settings, rng, blocks, also, seed
        As in `compare_shares`.
    values : (n,) float
        No NaN among them. Where all lie in [0, 1], intervals are those of shares, and stay within.
    metric : str
        Name of the number.
    """
    for_intervals, for_tests = rng.spawn(2)
    column = values[:, None]
    intervals = Intervals(settings.bootstrap, settings.level)
    bounds = (0.0, 1.0) if values.min() >= 0 and values.max() <= 1 else None

    def describe(rows: NDArray[np.intp]) -> tuple[list[Interval], float | None]:
        other = None if also is None else also[rows]
        found = mean_interval(
            values[rows], clusters[rows], rng=for_intervals, intervals=intervals, bounds=bounds, also=other
        )
        return [found], float(values[rows].std(ddof=1)) if len(rows) > 1 else float("nan")

    def test(factor: str, codes: NDArray[np.intp], rows: NDArray[np.intp]) -> list[Hypothesis]:
        own = (blocks or {}).get(factor)
        return mean_tests(
            factor,
            values[rows],
            codes[rows],
            clusters[rows],
            permutations=settings.permutations,
            rng=for_tests,
            blocks=None if own is None else own[rows],
            also=None if also is None else also[rows],
            seed=seed,
            alpha=1 - settings.level,
        )

    joint, factors = grouping(table, by), _factors(table, by)
    groups = _groups(joint, column, clusters, describe)
    tests = _tests(joint, factors, groups, column, clusters, test, settings)
    return Comparison(
        by=tuple(by),
        count=None,
        metric=metric,
        level=settings.level,
        outcomes=(metric,),
        groups=groups,
        tests=tests,
        unit=settings.unit,
        n_clusters=len(np.unique(clusters)),
        n_effective=n_effective(column, clusters),
        bounded=bounds is not None,
        notes=_notes(groups, tests, settings, []),
    )


def _factors(table: pd.DataFrame, by: Sequence[str]) -> list[Grouping]:
    """One grouping per factor and, where there are several, the joint one."""
    single = [grouping(table, [column]) for column in by]
    return [*single, grouping(table, by)] if len(by) > 1 else single


def _groups(
    joint: Grouping,
    values: NDArray[np.float64],
    clusters: NDArray[np.intp],
    describe: Callable[[NDArray[np.intp]], tuple[list[Interval], float | None]],
) -> tuple[Group, ...]:
    found = []
    for code, value in enumerate(joint.values):
        rows = np.flatnonzero(joint.codes == code)
        intervals, sd = describe(rows)
        found.append(
            Group(
                values=value,
                n=len(rows),
                n_clusters=len(np.unique(clusters[rows])),
                n_effective=n_effective(values[rows], clusters[rows]),
                intervals=tuple(intervals),
                sd=sd,
            )
        )
    return tuple(found)


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
    found = []
    for factor in factors:
        smallest = _smallest(factor, values, clusters)
        tests = test(",".join(factor.columns), factor.codes, everything)
        found += [replace(h, smallest=smallest) for h in tests]
    if settings.pairwise and len(joint) > 2:
        for a, b in combinations(range(len(joint)), 2):
            rows = np.flatnonzero((joint.codes == a) | (joint.codes == b))
            name = f"{group_name(joint.values[a])} vs {group_name(joint.values[b])}"
            smallest = min(groups[a].n_effective, groups[b].n_effective)
            tests = test(f"{','.join(joint.columns)}: {name}", joint.codes, rows)
            found += [replace(h, smallest=smallest) for h in tests]
    return with_holm(found)


def _smallest(factor: Grouping, values: NDArray[np.float64], clusters: NDArray[np.intp]) -> float:
    """Effective number of rows of the smallest group."""
    rows = [factor.codes == code for code in range(len(factor))]
    return min(n_effective(values[r], clusters[r]) for r in rows)


def _notes(
    groups: Sequence[Group], tests: Sequence[Hypothesis], settings: Settings, others: Sequence[str | None]
) -> tuple[str, ...]:
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
    return tuple(n for n in (*others, clusters, few, *wild) if n)
