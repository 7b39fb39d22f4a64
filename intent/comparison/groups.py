"""What a comparison holds: how labels are counted, groups with intervals, and the tests between them.

Labels are counted from one row per trajectory to a weight on every outcome. p of several tests are corrected
by Holm, and by Benjamini and Hochberg. Comparisons are shown as rows and in sentences.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import DataError, UnknownNameError, shorten
from intent.base.statistics import Interval, group_name
from intent.base.tables import strategy_classes
from intent.base.wording import digits_of_p, in_percent, p_is

__all__ = [
    "ABSTENTIONS",
    "DECIDING",
    "Comparison",
    "Count",
    "ErrorInterval",
    "Gate",
    "Group",
    "Hypothesis",
    "Outcomes",
    "Quality",
    "Within",
    "benjamini_hochberg",
    "comparison_rows",
    "deciding",
    "deciding_tests",
    "differs",
    "gate_rows",
    "holm",
    "narrow_tests",
    "number",
    "outcomes",
    "pair_rows",
    "percent",
    "sentences",
    "share_label",
    "with_baselines",
    "with_holm",
]


Count = Literal["status", "posterior", "split", "best"]
Gate = Literal["game", "trajectory"]

ABSTENTIONS = ("ambiguous", "low_confidence", "no_fit")
"""Statuses that count as outcomes of their own, beside the strategies."""

_NEEDED = {"status": ("status", "label"), "posterior": (), "split": ("best", "tied_with"), "best": ("best",)}


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What each row counts for.

    Parameters
    ----------
    names : tuple of str
        The k outcomes, strategies in the order of the recogniser.
    weights : (n, k) float, rows sum to one
    """

    names: tuple[str, ...]
    weights: NDArray[np.float64]

    @property
    def fractional(self) -> bool:
        """Whether some row counts for several outcomes in parts."""
        return bool(((self.weights > 0) & (self.weights < 1)).any())


def outcomes(
    labels: pd.DataFrame, count: Count = "status", *, classes: Sequence[str] | None = None
) -> Outcomes:
    """Weight of every outcome in every row of a table of labels.

    ``status``
        The strategy where the label is confident, else its status: ambiguous, low_confidence or no_fit.
    ``posterior``
        The posterior probability of each strategy.
    ``split``
        Equal parts for the most probable strategy and those that tie with it.
    ``best``
        The most probable strategy, ties going to the first in catalogue order.

    Parameters
    ----------
    labels : DataFrame
        Columns as `codebook.LABELS`, and ``p_<STRATEGY>`` per class.
    classes : sequence of str, optional
        Strategies that the recogniser knows; default `strategy_classes`.

    Raises
    ------
    DataError
        The table has not the columns of labels, or values that labels cannot have.
    UnknownNameError
        No such way to count.
    """
    if count not in get_args(Count):
        raise UnknownNameError("count", count, get_args(Count))
    missing = [c for c in _NEEDED[count] if c not in labels.columns]
    prefix = codebook.PROBABILITY_PREFIX
    names = tuple(strategy_classes(labels) if classes is None else classes)
    if missing or not names:
        raise DataError(
            f"no column {missing[0] if missing else prefix + '<STRATEGY>'!r}, which --count {count} needs; "
            "expected a table made by `intent label`, or --metric NAME for any numeric column"
        )
    if count == "posterior":
        return Outcomes(names, _posterior(labels, [prefix + name for name in names]))
    if count == "best":
        return Outcomes(names, _one_hot(labels["best"], names, "best"))
    if count == "split":
        return Outcomes(names, _split(labels, names))
    shown = (
        labels["label"].astype(object).where(labels["status"] == "confident", labels["status"].astype(object))
    )
    return Outcomes((*names, *ABSTENTIONS), _one_hot(shown, (*names, *ABSTENTIONS), "status"))


def gate_rows(
    labels: pd.DataFrame, gate: Gate | None, scripted: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """(n,), rows that pass: confident ones, or those of games whose subjects' labels all are confident.

    The gate on games is that of the published study, which keeps a game where both agents' most
    probable strategy has a probability above the threshold; both agents are models there.

    Parameters
    ----------
    scripted : (n,) bool, optional
        Rows of seats that a strategy plays, which say nothing about the labels of others in their games.

    Raises
    ------
    DataError
        The table has no column status (or game_id, for the gate on games).
    UnknownNameError
        No such gate.
    """
    if gate is None:
        return np.ones(len(labels), dtype=bool)
    if gate not in get_args(Gate):
        raise UnknownNameError("gate", gate, get_args(Gate))
    for column in ("status", "game_id") if gate == "game" else ("status",):
        if column not in labels.columns:
            raise DataError(f"no column {column!r}, which --gate {gate} needs; expected a table of labels")
    confident = (labels["status"] == "confident").to_numpy(dtype=bool, na_value=False)
    if gate == "trajectory":
        return confident
    games = pd.factorize(labels["game_id"])[0]
    if (games < 0).any():
        raise DataError("column 'game_id' has nulls, expected a value in every row")
    if scripted is not None:
        games = 2 * games + scripted
    failed = np.bincount(games, weights=~confident) > 0
    return np.asarray(~failed[games], dtype=bool)


def _one_hot(values: pd.Series[Any], names: Sequence[str], column: str) -> NDArray[np.float64]:
    codes = pd.Index(names).get_indexer(pd.Index(values.astype(object)))
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0])
        got = values.iloc[row]
        raise DataError(f"row {row + 1}: {column} is {shorten(got)!r}, expected one of {', '.join(names)}")
    return np.eye(len(names))[codes]


def _posterior(labels: pd.DataFrame, columns: Sequence[str]) -> NDArray[np.float64]:
    try:
        weights = labels[list(columns)].to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise DataError(f"columns {', '.join(columns)} are no probabilities: {shorten(error)}") from None
    sums = weights.sum(axis=1)
    wrong = ~((np.abs(sums - 1) < 1e-3) & (weights >= 0).all(axis=1))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise DataError(f"row {row + 1}: probabilities {', '.join(columns)} sum to {sums[row]:g}, expected 1")
    return np.asarray(weights / sums[:, None])


def _split(labels: pd.DataFrame, names: Sequence[str]) -> NDArray[np.float64]:
    weights = _one_hot(labels["best"], names, "best")
    place = {name: k for k, name in enumerate(names)}
    for row, tied in enumerate(labels["tied_with"]):
        for name in _listed(tied):
            if name not in place:
                raise DataError(
                    f"row {row + 1}: tied_with names {shorten(name)!r}, expected one of {', '.join(names)}"
                )
            weights[row, place[name]] = 1.0
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _listed(cell: object) -> list[str]:
    """The names in a cell: a list, or (as CSV holds it) text joined by ``|``; null is none."""
    if isinstance(cell, str):
        return [name for name in cell.split("|") if name]
    if isinstance(cell, list | tuple | np.ndarray):
        return [str(name) for name in cell]
    return []


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


@dataclass(frozen=True)
class Within:
    """What a factor is compared at equal values of.

    Parameters
    ----------
    columns : tuple of str
        Rows that are alike in them make a block.
    n_informative : int
        Rows of blocks in which the factor has two values or more.
    """

    factor: str
    columns: tuple[str, ...]
    n_blocks: int
    n_informative: int


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


DECIDING = ("permutation_within", "permutation", "wald", "likelihood_ratio", "chi_square", "anova")
"""Tests in the order in which a verdict follows them."""


def deciding(tests: Sequence[Hypothesis]) -> Hypothesis:
    """The test that a verdict follows: within blocks, else of clusters, else the one of independent rows."""
    return min(tests, key=lambda test: DECIDING.index(test.test))


_SIZES = ((0.1, "negligible"), (0.3, "small"), (0.5, "medium"), (math.inf, "large"))


_ENOUGH = 20
"""Effective rows in the smallest group below which an effect has no word for its size."""


def comparison_rows(comparison: Comparison) -> tuple[list[str], list[list[object]]]:
    """Header and rows: the factors, n, effective n, then shares in per cent, or mean and sd."""
    shares = comparison.metric is None
    shown = comparison.occurring if shares else [0]
    names = [comparison.outcomes[k] for k in shown] if shares else [f"mean {comparison.metric}", "sd"]
    moves = _bad_moves(comparison)
    header = [*comparison.by, "n", "n_eff", *(f"{name} %" for name in moves), *names]
    rows: list[list[object]] = []
    for group in comparison.groups:
        cells: list[object] = [*map(str, group.values), group.n, round(group.n_effective)]
        cells += [_of_moves(group, name) for name in moves]
        if shares:
            cells += [percent(group.intervals[k]) for k in shown]
        else:
            sd = float("nan") if group.sd is None else group.sd
            cells += [number(group.intervals[0]), "–" if math.isnan(sd) else f"{sd:.3g}"]
        rows.append(cells)
    return header, rows


_BOUND = 1e-6


def percent(interval: Interval) -> str:
    """``31.2 (28–34)``, ``0.1 (0.0–0.4)``; no ends where the data give none.

    A share of none or all whose interval has no width, or is from 0 to 100, is said to be at its bound: there
    the usual intervals mean nothing.
    """
    if math.isnan(interval.low):
        return f"{interval.estimate * 100:.1f}"
    width = interval.high - interval.low
    if min(interval.estimate, 1 - interval.estimate) < _BOUND and not _BOUND < width < 1 - _BOUND:
        return f"{interval.estimate * 100:.1f} (at its bound)"
    low, high = interval.low * 100, interval.high * 100
    digits = int(f"{low:.0f}" == f"{high:.0f}")
    return f"{interval.estimate * 100:.1f} ({low:.{digits}f}–{high:.{digits}f})"


def number(interval: Interval) -> str:
    """``0.312 (0.280 to 0.341)``; no ends where the data give none."""
    ends = "" if math.isnan(interval.low) else f" ({interval.low:.3g} to {interval.high:.3g})"
    return f"{interval.estimate:.4g}{ends}"


def sentences(comparison: Comparison, *, brief: bool = False) -> list[str]:
    """What the tests of the factors say, one line each; pairs of groups are in `pair_rows`.

    The verdict is that of the permutation of clusters within blocks where there is one, else of the
    permutation of all clusters, else of the test of independent rows; after Holm's correction.

    Parameters
    ----------
    brief : bool
        Only the deciding test of each factor: for captions.
    """
    lines, narrow = [], narrow_tests(comparison)
    for factor, tests in _by_factor(comparison, pairs=False).items():
        shown = "; ".join(_test(t, comparison.unit) for t in (tests[:1] if brief else tests))
        by = factor.replace(",", " × ")
        line = f"{_verdict(comparison, tests[0])} by {by}: {shown}; {_effect(comparison, tests[0])}"
        beside = narrow.get(factor)
        if beside is not None and not brief:
            line += f"; {beside.question} {_test(beside, beside.unit)}"
        lines.append(line)
    return lines


def pair_rows(comparison: Comparison) -> tuple[list[str], list[list[object]]]:
    """Header and rows of the tests between every two groups: the deciding test of each pair."""
    estimated = comparison.count == "estimate"
    name = "eta squared" if comparison.metric else "Cramér's V"
    statistic = "chi-square" if comparison.metric is None else "F"
    if estimated:
        name, statistic = "largest difference (points)", "likelihood ratio"
    header = ["pair", "test", statistic, "p", "p Holm", name, "size"]
    prefix, rows = f"{','.join(comparison.by)}: ", []
    for factor, (test, *_) in _by_factor(comparison, pairs=True).items():
        cells: list[object] = [factor.removeprefix(prefix), test.test.replace("_", "-")]
        cells += [
            f"{test.statistic:.4g}",
            digits_of_p(test.p),
            digits_of_p(test.p_adjusted),
            f"{test.effect * 100:.1f}" if estimated else f"{test.effect:.3f}",
        ]
        rows.append([*cells, _size(comparison, test)])
    if not any(row[-1] for row in rows):
        return header[:-1], [row[:-1] for row in rows]
    return header, rows


def narrow_tests(comparison: Comparison) -> dict[str, Hypothesis]:
    """The test of each factor on the narrower unit, where there is one."""
    wide = {test.question for test in deciding_tests(comparison).values()}
    return {test.factor: test for test in comparison.tests if test.question and test.question not in wide}


def _by_factor(comparison: Comparison, *, pairs: bool) -> dict[str, list[Hypothesis]]:
    """Tests of each factor, or of each pair of groups, the deciding one first."""
    factors = (*comparison.by, ",".join(comparison.by))
    grouped: dict[str, list[Hypothesis]] = {}
    own = [test for test in comparison.tests if test.unit in ("", comparison.unit)]
    for test in sorted(own, key=lambda t: DECIDING.index(t.test)):
        if pairs != (test.factor in factors):
            grouped.setdefault(test.factor, []).append(test)
    order = list(dict.fromkeys(test.factor for test in comparison.tests if test.factor in grouped))
    return {factor: grouped[factor] for factor in order}


def deciding_tests(comparison: Comparison) -> dict[str, Hypothesis]:
    """The test that the verdict on each factor follows."""
    return {factor: tests[0] for factor, tests in _by_factor(comparison, pairs=False).items()}


def differs(comparison: Comparison, test: Hypothesis) -> bool:
    """Whether the corrected test says so, at the level of the comparison."""
    return test.p_adjusted <= 1 - comparison.level + 1e-12


def _verdict(comparison: Comparison, test: Hypothesis) -> str:
    differ = differs(comparison, test)
    if comparison.metric is None:
        return "Shares differ" if differ else "No evidence that shares differ"
    return (
        f"Mean {comparison.metric} differs"
        if differ
        else f"No evidence that mean {comparison.metric} differs"
    )


def _test(test: Hypothesis, unit: str) -> str:
    if test.test in ("permutation", "permutation_within"):
        within = " within blocks" if test.test == "permutation_within" else ""
        return f"permutation of {unit}{within} {p_is(test.p)} (Holm {p_is(test.p_adjusted)})"
    if test.test == "likelihood_ratio":
        held = f"{test.df:g} differences of shares, {unit} as units"
        return f"likelihood ratio {test.statistic:.4g}, {p_is(test.p)} (Holm {p_is(test.p_adjusted)}; {held})"
    if isinstance(test.df, tuple):
        head = f"F({test.df[0]:g}, {test.df[1]:g}) = {test.statistic:.4g}"
    else:
        head = f"chi-square({test.df:g}) = {test.statistic:.4g}"
    return f"{head}, {p_is(test.p)} (Holm {p_is(test.p_adjusted)}; rows taken as independent)"


def _effect(comparison: Comparison, test: Hypothesis) -> str:
    name = "eta squared" if comparison.metric else "Cramér's V"
    if test.test == "likelihood_ratio":
        return f"largest difference {test.effect * 100:.1f} points"
    if math.isnan(test.effect):
        return f"{len(comparison.groups)} groups"
    size = _size(comparison, test)
    return f"{name} = {test.effect:.3f}" + (f" ({size})" if size else "")


def _size(comparison: Comparison, test: Hypothesis) -> str:
    """The effect in a word; none without evidence that there is one, nor for eta squared or points."""
    if test.test == "likelihood_ratio":
        return ""
    if test.smallest < _ENOUGH:
        return "too few to judge the size"
    if comparison.metric is not None or not differs(comparison, test):
        return ""
    return next(word for bound, word in _SIZES if test.effect < bound)


def _bad_moves(comparison: Comparison) -> list[str]:
    """Kinds of bad moves whose share is known for some group."""
    known = [group.quality for group in comparison.groups if group.quality]
    refused = any(quality.refused is not None for quality in known)
    return [*(("defaulted", "missing") if known else ()), *(("refused",) if refused else ())]


def _of_moves(group: Group, name: str) -> str:
    share = None if group.quality is None else getattr(group.quality, name)
    return "–" if share is None else f"{share * 100:.2f}"


Rows = tuple[list[str], list[list[object]]]


_FIRST_SHARE = ("n_eff", "defaulted %", "missing %", "refused %")


def with_baselines(table: Rows, by: Sequence[str], humans: Sequence[tuple[str, Mapping[str, float]]]) -> Rows:
    """The table of shares with a row for each published study below the groups.

    A strategy that did not compete there has a dash.

    Parameters
    ----------
    table : header and rows, as `comparison_rows` gives them
    by : columns that make the groups
    humans : name of a study, and the share of each strategy
    """
    header, rows = table
    shares = max((i for i, name in enumerate(header) if name in _FIRST_SHARE), default=1) + 1
    names = list(dict.fromkeys(name for _, own in humans for name, share in own.items() if share > 0))
    added = [name for name in names if name not in header[shares:]]
    below: list[list[object]] = []
    for name, own in humans:
        lead: list[object] = [f"humans: {name}", *["" for _ in by[1:]]] if by else []
        if not by:
            lead = []
        blank: list[object] = ["–"] * (shares - len(by))
        cells: list[object] = [in_percent(own.get(column)) for column in [*header[shares:], *added]]
        below.append([*lead, *blank, *cells])
    if humans and not by:
        header = ["group", *header]
        rows = [["all", *row] for row in rows]
        below = [[f"humans: {name}", *row] for (name, _), row in zip(humans, below, strict=True)]
    return [*header, *added], [*([*row, *["–"] * len(added)] for row in rows), *below]
