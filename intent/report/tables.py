"""Comparisons as text: a table with groups as rows, and the tests as sentences."""

from __future__ import annotations

import math

from intent.analysis.bootstrap import Interval
from intent.analysis.comparison import Comparison, Group
from intent.analysis.hypothesis import Hypothesis
from intent.report.wording import digits_of_p, p_is

__all__ = [
    "comparison_rows",
    "deciding_tests",
    "narrow_tests",
    "number",
    "pair_rows",
    "percent",
    "sentences",
]

_DECIDING = ("permutation_within", "permutation", "wald", "likelihood_ratio", "chi_square", "anova")
"""Tests in the order in which a verdict follows them."""

_SIZES = ((0.1, "negligible"), (0.3, "small"), (0.5, "medium"), (math.inf, "large"))
_ENOUGH = 20
"""Effective rows in the smallest group below which an effect has no word for its size."""


def comparison_rows(comparison: Comparison) -> tuple[list[str], list[list[object]]]:
    """Header and rows: the factors, n, effective n, then shares in per cent, or mean and sd."""
    shares = comparison.metric is None
    kept = [
        k
        for k, _ in enumerate(comparison.outcomes)
        if any(_occurs(g.intervals[k], shares) for g in comparison.groups)
    ]
    names = [comparison.outcomes[k] for k in kept] if shares else [f"mean {comparison.metric}", "sd"]
    moves = _told(comparison)
    header = [*comparison.by, "n", "n_eff", *(f"{name} %" for name in moves), *names]
    rows: list[list[object]] = []
    for group in comparison.groups:
        cells: list[object] = [*map(str, group.values), group.n, round(group.n_effective)]
        cells += [_of_moves(group, name) for name in moves]
        if shares:
            cells += [percent(group.intervals[k]) for k in kept]
        else:
            sd = float("nan") if group.sd is None else group.sd
            cells += [number(group.intervals[0]), "–" if math.isnan(sd) else f"{sd:.3g}"]
        rows.append(cells)
    return header, rows


def percent(interval: Interval) -> str:
    """``31.2 (28–34)``, ``0.1 (0.0–0.4)``; no ends where the data give none."""
    if math.isnan(interval.low):
        return f"{interval.estimate * 100:.1f}"
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
    comparison : Comparison
    brief : bool
        Only the deciding test of each factor: for captions.
    """
    found, narrow = [], narrow_tests(comparison)
    for factor, tests in _by_factor(comparison, pairs=False).items():
        shown = "; ".join(_test(t, comparison.unit) for t in (tests[:1] if brief else tests))
        by = factor.replace(",", " × ")
        line = f"{_verdict(comparison, tests[0])} by {by}: {shown}; {_effect(comparison, tests[0])}"
        beside = narrow.get(factor)
        if beside is not None and not brief:
            line += f"; {beside.question} {_test(beside, beside.unit)}"
        found.append(line)
    return found


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
    for test in sorted(own, key=lambda t: _DECIDING.index(t.test)):
        if pairs != (test.factor in factors):
            grouped.setdefault(test.factor, []).append(test)
    order = list(dict.fromkeys(test.factor for test in comparison.tests if test.factor in grouped))
    return {factor: grouped[factor] for factor in order}


def deciding_tests(comparison: Comparison) -> dict[str, Hypothesis]:
    """The test that the verdict on each factor follows."""
    return {factor: tests[0] for factor, tests in _by_factor(comparison, pairs=False).items()}


def _differ(comparison: Comparison, test: Hypothesis) -> bool:
    return test.p_adjusted <= 1 - comparison.level + 1e-12


def _verdict(comparison: Comparison, test: Hypothesis) -> str:
    differ = _differ(comparison, test)
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
    if comparison.metric is not None or not _differ(comparison, test):
        return ""
    return next(word for bound, word in _SIZES if test.effect < bound)


def _told(comparison: Comparison) -> list[str]:
    """Kinds of bad moves whose share is known for some group."""
    known = [group.quality for group in comparison.groups if group.quality]
    refused = any(quality.refused is not None for quality in known)
    return [*(("defaulted", "missing") if known else ()), *(("refused",) if refused else ())]


def _of_moves(group: Group, name: str) -> str:
    share = None if group.quality is None else getattr(group.quality, name)
    return "–" if share is None else f"{share * 100:.2f}"


def _occurs(interval: Interval, shares: bool) -> bool:
    return not shares or interval.estimate > 0
