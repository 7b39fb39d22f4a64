"""The result of a comparison, as values, as the JSON object that scripts rely on, and as a table.

Quality of the moves behind a result: how many were defaulted, missing, or refused at first.

Comparison of groups: shares of outcomes or means of a number, with intervals and tests.

A comparison read back from the table that was written of it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError, shorten
from intent.base.statistics.groups import NONE, Grouping, group_name, grouping
from intent.base.statistics.intervals import Interval, n_effective, share_intervals
from intent.behaviour.means import Intervals, mean_interval
from intent.comparison.hypothesis import Hypothesis, mean_tests, share_tests, with_holm
from intent.estimate.cautions import few_clusters, few_permutations, small_counts
from intent.estimate.label_weights import Outcomes

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog


__all__ = [
    "Comparison",
    "ErrorInterval",
    "Group",
    "Quality",
    "Settings",
    "Within",
    "compare_means",
    "compare_shares",
    "comparison_of_table",
    "move_quality",
    "quality_of",
    "share_label",
]


_LISTS = ("unread", "refused")
"""Keys of details that list the replies to a move that could not be read; the second in logs of tables of
models before the first was written for every architecture."""

_COUNTS = ["n_moves", "defaulted", "missing", "refused"]


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


def move_quality(log: GameLog) -> pd.DataFrame:
    """Moves of every seat, and how many of them are not as the player gave them at once.

    Parameters
    ----------
    log : GameLog

    Returns
    -------
    DataFrame
        One row per game_id and seat: n_moves, defaulted, missing, refused (float, NaN where no move of the
        seat's record tells; a move counts once, however many replies were refused).
    """
    moves = log.moves
    status = moves["status"].astype(object)
    table = pd.DataFrame(
        {
            "game_id": moves["game_id"].astype(object).map(str),
            "seat": moves["seat"].to_numpy(dtype=np.int64),
            "n_moves": 1,
            "defaulted": (status == "defaulted").to_numpy(dtype=np.int64),
            "missing": (status == "missing").to_numpy(dtype=np.int64),
            "refused": _refused(moves),
        }
    )
    grouped = table.groupby(["game_id", "seat"], sort=False)
    counts = grouped[_COUNTS[:3]].sum()
    counts["refused"] = grouped["refused"].sum(min_count=1).astype(float)
    return counts.reset_index()


def quality_of(quality: pd.DataFrame) -> Quality | None:
    """Shares over some rows of `move_quality`; None without moves.

    A share of refused moves is over the seats whose record tells.
    """
    n = int(quality["n_moves"].sum())
    if not n:
        return None
    told = quality["refused"].notna()
    of_told = int(quality.loc[told, "n_moves"].sum())
    return Quality(
        float(quality["defaulted"].sum()) / n,
        float(quality["missing"].sum()) / n,
        float(quality.loc[told, "refused"].sum()) / of_told if of_told else None,
        n,
    )


def _refused(moves: pd.DataFrame) -> Any:
    """(n,) float: 1 where details list unread replies, 0 where they list none, NaN where they do not say.

    A log that lists refusals and never an empty list writes down those that were: there a move with a reply
    that lists none had none.
    """
    if "details" not in moves.columns:
        return np.full(len(moves), np.nan)
    codes, texts = pd.factorize(moves["details"].astype(object))
    told = np.array([*(_refusals(text) for text in texts), np.nan])
    found = told[codes]
    if "reply" in moves.columns and (told == 1).any() and not (told == 0).any():
        found[np.isnan(found) & moves["reply"].notna().to_numpy()] = 0.0
    return found


def _refusals(text: object) -> float:
    try:
        found = json.loads(str(text))
    except (ValueError, RecursionError):
        return float("nan")
    if not isinstance(found, dict):
        return float("nan")
    listed = [value for value in map(found.get, _LISTS) if isinstance(value, list)]
    return float(any(listed)) if listed else float("nan")


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
class Within:
    """What a factor is compared at equal values of.

    Parameters
    ----------
    factor : str
    columns : tuple of str
        Rows that are alike in them make a block.
    n_blocks : int
    n_informative : int
        Rows of blocks in which the factor has two values or more.
    """

    factor: str
    columns: tuple[str, ...]
    n_blocks: int
    n_informative: int


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
        found = tuple(_interval(part, name) for name in outcomes)
        sd = float(part["sd"].iloc[0]) if "sd" in part.columns else None
        groups.append(Group(value, n, n, effective, found, sd))
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
        said = ", ".join(f"{name} {shorten(rows[name].iloc[row])!r}" for name in keys)
        raise DataError(f"row {row + 1} is the second of {said}, expected one")
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
