"""Groups compared: shares of outcomes or means of a number, with intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError, shorten
from intent.base.statistics.groups import NONE, Grouping, group_name, grouping
from intent.base.statistics.intervals import Interval, n_effective, share_intervals
from intent.behaviour.means import Intervals, mean_interval
from intent.comparison.design import Within
from intent.comparison.tests import Hypothesis, mean_tests, share_tests, with_holm
from intent.estimate.cautions import few_clusters, few_permutations, small_counts
from intent.estimate.label_weights import Outcomes

__all__ = [
    "Comparison",
    "ErrorInterval",
    "Group",
    "Quality",
    "Settings",
    "compare_means",
    "compare_shares",
    "comparison_of_table",
    "share_label",
]

_SHOWN = 4
"""Groups that are named in a summary."""


@dataclass(frozen=True)
class ErrorInterval(Interval):
    """An estimate with its standard error, where the method gives one."""

    se: float | None = None


@dataclass(frozen=True)
class Group:
    """One group of rows.

    Parameters
    ----------
    values : tuple
        Value of every factor.
    n : int
        Rows.
    n_clusters : int
        Clusters they come from, as games.
    n_effective : float
        Independent rows that would be worth as much, at most `n`.
    intervals : tuple of Interval
        One per outcome, or the one mean.
    sd : float or None
        Standard deviation of the metric over rows (n - 1), None for shares.
    quality : Quality or None
        Of the moves behind the rows; None where the log is not at hand.
    """

    values: tuple[Any, ...]
    n: int
    n_clusters: int
    n_effective: float
    intervals: tuple[Interval, ...]
    sd: float | None = None
    quality: Quality | None = None


@dataclass(frozen=True)
class Comparison:
    """Groups, their shares or means, and the tests between them.

    Parameters
    ----------
    by : tuple of str
        Columns that make the groups.
    count : str or None
        How labels were counted (None for a metric).
    metric : str or None
        The numeric column (None for shares).
    level : float
        Coverage of the intervals.
    outcomes : tuple of str
        What `Group.intervals` are of, in order.
    groups : tuple of Group
    tests : tuple of Hypothesis
    unit : str
        What intervals resample and permutations exchange: games, rows, or clusters.
    notes : tuple of str
        What a reader should be warned of.
    within : tuple of Within
        Blocks of the tests within blocks, one for each factor that has some.
    n_clusters : int or None
        Clusters of all groups together: one may have rows in several groups.
    n_effective : float or None
        Independent rows that all rows would be worth.
    bounded : bool
        Whether all values of the metric lie in [0, 1], so that intervals are those of shares.
    """

    by: tuple[str, ...]
    count: str | None
    metric: str | None
    level: float
    outcomes: tuple[str, ...]
    groups: tuple[Group, ...]
    tests: tuple[Hypothesis, ...]
    unit: str = "games"
    notes: tuple[str, ...] = ()
    within: tuple[Within, ...] = ()
    n_clusters: int | None = None
    n_effective: float | None = None
    bounded: bool = False

    def __repr__(self) -> str:
        return f"<Comparison: {self.summary()}>"

    @property
    def occurring(self) -> list[int]:
        """Places of the outcomes that some row has."""
        groups = self.groups
        return [k for k in range(len(self.outcomes)) if any(g.intervals[k].estimate > 0 for g in groups)]

    def summary(self) -> str:
        """What was compared, in one line: ``shares (count status) by model: A, B; n = 120``."""
        what = f"mean {self.metric}" if self.metric else f"shares (count {self.count})"
        names = [group_name(group.values) for group in self.groups]
        shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" * (len(names) > _SHOWN))
        groups = f" by {', '.join(self.by)}: {shown}" if self.by else ""
        return f"{what}{groups}; n = {sum(group.n for group in self.groups):,}"

    def to_dict(self) -> dict[str, Any]:
        """The object that ``intent compare --json`` prints, as `codebook.JSON_OBJECTS` describes it."""
        kind = {"count": self.count} if self.metric is None else {"metric": self.metric}
        groups = []
        for group in self.groups:
            item: dict[str, Any] = {
                "group": dict(zip(self.by, group.values, strict=True)),
                "n": group.n,
                "n_effective": group.n_effective,
            }
            intervals = [{k: _finite(v) for k, v in asdict(i).items()} for i in group.intervals]
            if self.metric is None:
                item["shares"] = dict(zip(self.outcomes, intervals, strict=True))
            else:
                item |= {"mean": intervals[0], "sd": _finite(group.sd)}
            item["quality"] = group.quality and _shares_of_moves(group.quality)
            groups.append(item)
        tests = [{k: _finite(v) for k, v in asdict(t).items() if k != "smallest"} for t in self.tests]
        return {"by": list(self.by), **kind, "groups": groups, "tests": tests}

    def table(self) -> pd.DataFrame:
        """One row per group and outcome (per group for a metric): n, n_effective, estimate, low, high.

        Where the log is at hand, the shares of defaulted, missing and refused moves stand after n_effective.
        """
        rows = []
        known = any(group.quality for group in self.groups)
        for group in self.groups:
            base = {
                **dict(zip(self.by, group.values, strict=True)),
                "n": group.n,
                "n_effective": group.n_effective,
                **(_shares_of_moves(group.quality) if known else {}),
            }
            for name, interval in zip(self.outcomes, group.intervals, strict=True):
                if self.metric is None:
                    rows.append({**base, "outcome": name, **asdict(interval)})
                else:
                    rows.append({**base, "metric": name, **asdict(interval), "sd": group.sd})
        return pd.DataFrame(rows)


def _shares_of_moves(quality: Quality | None) -> dict[str, float | None]:
    names = ("defaulted", "missing", "refused")
    return {name: None if quality is None else getattr(quality, name) for name in names}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


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

    def describe(rows: NDArray[np.intp]) -> tuple[list[Interval], float | None]:
        other = None if also is None else also[rows]
        level = settings.level
        return share_intervals(outcomes.weights[rows], clusters[rows], level=level, also=other), None

    test = partial(share_tests, permutations=settings.permutations, rng=for_tests, seed=seed)
    comparison = _compared(
        table, by, outcomes.weights, clusters, describe, test, settings, blocks or {}, also,
        count=count, outcomes=outcomes.names,
    )  # fmt: skip
    notes: list[str | None] = []
    if outcomes.fractional and by:
        notes.append(
            f"chi-square needs whole counts, --count {count} makes fractions: permutation tests only"
        )
    elif by:
        notes += [small_counts(f.sums(outcomes.weights), ",".join(f.columns)) for f in _factors(table, by)]
    return replace(comparison, notes=(*filter(None, notes), *comparison.notes))


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
    intervals = Intervals(settings.bootstrap, settings.level)
    bounds = (0.0, 1.0) if values.min() >= 0 and values.max() <= 1 else None

    def describe(rows: NDArray[np.intp]) -> tuple[list[Interval], float | None]:
        other = None if also is None else also[rows]
        mean = mean_interval(
            values[rows], clusters[rows], rng=for_intervals, intervals=intervals, bounds=bounds, also=other
        )
        return [mean], float(values[rows].std(ddof=1)) if len(rows) > 1 else float("nan")

    test = partial(mean_tests, permutations=settings.permutations, rng=for_tests, seed=seed)
    return _compared(
        table, by, values, clusters, describe, test, settings, blocks or {}, also,
        metric=metric, outcomes=(metric,), bounded=bounds is not None,
    )  # fmt: skip


def _compared(
    table: pd.DataFrame,
    by: Sequence[str],
    values: NDArray[np.float64],
    clusters: NDArray[np.intp],
    describe: Callable[[NDArray[np.intp]], tuple[list[Interval], float | None]],
    test: Callable[..., list[Hypothesis]],
    settings: Settings,
    blocks: Mapping[str, NDArray[np.intp]],
    also: NDArray[np.intp] | None,
    *,
    outcomes: tuple[str, ...],
    count: str | None = None,
    metric: str | None = None,
    bounded: bool = False,
) -> Comparison:
    """Groups as `describe` has them, tested each factor, all together and, where asked, pair by pair."""

    def test_of(factor: str, codes: NDArray[np.intp], rows: NDArray[np.intp]) -> list[Hypothesis]:
        own = blocks.get(factor)
        return test(
            factor,
            values[rows],
            codes[rows],
            clusters[rows],
            blocks=None if own is None else own[rows],
            also=None if also is None else also[rows],
            alpha=1 - settings.level,
        )

    columns = values if values.ndim == 2 else values[:, None]
    joint = grouping(table, by)
    groups = _groups(joint, columns, clusters, describe)
    tests = _tests(joint, _factors(table, by), groups, columns, clusters, test_of, settings)
    return Comparison(
        by=tuple(by),
        count=count,
        metric=metric,
        level=settings.level,
        outcomes=outcomes,
        groups=groups,
        tests=tests,
        unit=settings.unit,
        n_clusters=len(np.unique(clusters)),
        n_effective=n_effective(columns, clusters),
        bounded=bounded,
        notes=_notes(groups, tests, settings),
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


_NAMES = {"strategy": "outcome", "n_subjects": "n"}
"""Columns of a table of estimated shares -> those of a comparison."""


def comparison_of_table(table: pd.DataFrame, facts: Mapping[str, Any]) -> Comparison:
    """The groups of a table of shares or means, with their intervals; tests are in no table.

    Parameters
    ----------
    table : DataFrame
        As `Comparison.table` gives it, or a table of estimated shares (strategy, n_subjects, estimate, …).
    facts : mapping
        Metadata of the file: by, count, level. Without ``by``, all columns before ``n`` make the groups.

    Raises
    ------
    DataError
        Two rows for one outcome of a group, or an estimate that can be none.
    """
    estimated = "outcome" not in table.columns and "strategy" in table.columns
    rows = table.rename(columns=_NAMES) if estimated else table
    of = "metric" if "outcome" not in rows.columns else "outcome"
    by = _comparison_table_factors(rows, facts.get("by"))
    outcomes = tuple(dict.fromkeys(map(str, rows[of])))
    _check(rows, [*by, of], shares=of == "outcome")
    groups = []
    keys = [tuple(_plain(cell) for cell in row) for row in rows[list(by)].itertuples(index=False)]
    codes, values = pd.factorize(pd.Series(keys, dtype=object))
    for code, value in enumerate(values):
        part = rows[codes == code].set_index(of)
        n = int(part["n"].iloc[0])
        effective = float(part["n_effective"].iloc[0]) if "n_effective" in part.columns else float(n)
        intervals = tuple(_interval(part, name) for name in outcomes)
        sd = float(part["sd"].iloc[0]) if "sd" in part.columns else None
        groups.append(Group(value, n, n, effective, intervals, sd))
    count = "estimate" if estimated else str(facts.get("count") or "status")
    metric = outcomes[0] if of == "metric" and outcomes else None
    clusters = facts.get("cluster", ["game_id"])
    unit = "games" if clusters == ["game_id"] else "clusters" if clusters else "rows"
    level = facts.get("level", 0.95)
    level = float(level) if isinstance(level, int | float) and 0 < level < 1 else 0.95
    return Comparison(by, None if metric else count, metric, level, outcomes, tuple(groups), (), unit)


def _comparison_table_factors(rows: pd.DataFrame, declared: object) -> tuple[str, ...]:
    columns = [str(name) for name in rows.columns]
    if isinstance(declared, list | tuple) and set(map(str, declared)) <= set(columns):
        return tuple(map(str, declared))
    return tuple(columns[: columns.index("n")])


def _check(rows: pd.DataFrame, keys: Sequence[str], *, shares: bool) -> None:
    twice = rows.duplicated(list(keys))
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        values = ", ".join(f"{name} {shorten(rows[name].iloc[row])!r}" for name in keys)
        raise DataError(f"row {row + 1} is the second of {values}, expected one")
    estimates = pd.to_numeric(rows["estimate"], errors="coerce").to_numpy(dtype=float)
    wrong = ~np.isfinite(estimates) | (shares & ((estimates < -1e-9) | (estimates > 1 + 1e-9)))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        expected = "a share from 0 to 1" if shares else "a number"
        raise DataError(
            f"row {row + 1}: estimate {shorten(rows['estimate'].iloc[row])!r}, expected {expected}"
        )


def _interval(part: pd.DataFrame, name: str) -> Interval:
    if name not in part.index:
        return Interval(0.0, np.nan, np.nan)
    row = part.loc[name]
    return Interval(
        *(float("nan") if pd.isna(row[c]) else float(row[c]) for c in ("estimate", "low", "high"))
    )


def _plain(cell: Any) -> Any:
    if isinstance(cell, np.generic):
        cell = cell.item()
    return NONE if cell is None or cell is pd.NA or cell != cell else cell


def share_label(comparison: Comparison) -> str:
    """What an axis of shares counts."""
    return f"share of {'subjects' if comparison.count == 'sfem' else 'trajectories'} (%)"


@dataclass(frozen=True)
class Quality:
    """Shares of moves.

    Parameters
    ----------
    defaulted : float
        A default replaced a reply that could not be read.
    missing : float
        No move is known.
    refused : float or None
        Moves of which a reply was refused before one was taken; None where the log does not keep that.
    n_moves : int
        What they are shares of.
    """

    defaulted: float
    missing: float
    refused: float | None
    n_moves: int = 0

    def __str__(self) -> str:
        parts = [f"{self.defaulted:.2%} defaulted", f"{self.missing:.2%} missing"]
        return ", ".join([*parts, *([] if self.refused is None else [f"{self.refused:.2%} refused"])])
