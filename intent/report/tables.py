"""Comparisons as text: a table with groups as rows, and the tests as sentences."""

from __future__ import annotations

import math

from intent.analysis.bootstrap import Interval
from intent.analysis.comparison import Comparison
from intent.analysis.hypothesis import Hypothesis

__all__ = ["comparison_rows", "sentences"]

_SIZES = ((0.1, "negligible"), (0.3, "small"), (0.5, "medium"), (math.inf, "large"))


def comparison_rows(comparison: Comparison) -> tuple[list[str], list[list[object]]]:
    """Header and rows: the factors, n, effective n, then shares in per cent, or mean and sd."""
    shares = comparison.metric is None
    kept = [
        k
        for k, _ in enumerate(comparison.outcomes)
        if any(_occurs(g.intervals[k], shares) for g in comparison.groups)
    ]
    names = [comparison.outcomes[k] for k in kept] if shares else [f"mean {comparison.metric}", "sd"]
    header = [*comparison.by, "n", "n_eff", *names]
    rows: list[list[object]] = []
    for group in comparison.groups:
        cells: list[object] = [*map(str, group.values), group.n, f"{group.n_effective:.0f}"]
        if shares:
            cells += [percent(group.intervals[k]) for k in kept]
        else:
            sd = float("nan") if group.sd is None else group.sd
            cells += [number(group.intervals[0]), "–" if math.isnan(sd) else f"{sd:.3g}"]
        rows.append(cells)
    return header, rows


def percent(interval: Interval) -> str:
    """``31.2 (28–34)``."""
    return f"{interval.estimate * 100:.1f} ({interval.low * 100:.0f}–{interval.high * 100:.0f})"


def number(interval: Interval) -> str:
    """``0.312 (0.280 to 0.341)``; no ends where the data give none."""
    ends = "" if math.isnan(interval.low) else f" ({interval.low:.3g} to {interval.high:.3g})"
    return f"{interval.estimate:.4g}{ends}"


def sentences(comparison: Comparison, *, brief: bool = False) -> list[str]:
    """What the tests say, one line per factor (and pair of groups).

    The verdict is that of the permutation of clusters, where there is one, after Holm's correction.

    Parameters
    ----------
    comparison : Comparison
    brief : bool
        Only the deciding test of each factor, and no pairs of groups: for captions.
    """
    grouped: dict[str, list[Hypothesis]] = {}
    for test in comparison.tests:
        grouped.setdefault(test.factor, []).append(test)
    factors = (*comparison.by, ",".join(comparison.by))
    found = []
    for factor, tests in grouped.items():
        tests = sorted(tests, key=lambda t: t.test != "permutation")
        if brief and factor not in factors:
            continue
        shown = "; ".join(_test(t, comparison.unit) for t in (tests[:1] if brief else tests))
        by = f" by {factor.replace(',', ' × ')}" if factor in factors else f", {factor}"
        found.append(f"{_verdict(comparison, tests[0])}{by}: {shown}; {_effect(comparison, tests[0].effect)}")
    return found


def _verdict(comparison: Comparison, test: Hypothesis) -> str:
    differ = test.p_adjusted <= 1 - comparison.level + 1e-12
    if comparison.metric is None:
        return "Shares differ" if differ else "No evidence that shares differ"
    return (
        f"Mean {comparison.metric} differs"
        if differ
        else f"No evidence that mean {comparison.metric} differs"
    )


def _test(test: Hypothesis, unit: str) -> str:
    if test.test == "permutation":
        return f"permutation of {unit} {_p(test.p)} (Holm {_p(test.p_adjusted)})"
    if isinstance(test.df, tuple):
        head = f"F({test.df[0]:g}, {test.df[1]:g}) = {test.statistic:.4g}"
    else:
        head = f"chi-square({test.df:g}) = {test.statistic:.4g}"
    return f"{head}, {_p(test.p)} (Holm {_p(test.p_adjusted)}; rows taken as independent)"


def _effect(comparison: Comparison, size: float) -> str:
    if comparison.metric is not None:
        return f"eta squared = {size:.3f}"
    return f"Cramér's V = {size:.3f} ({next(word for bound, word in _SIZES if size < bound)})"


def _p(p: float) -> str:
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}" if p < 0.1 else f"p = {p:.2f}"


def _occurs(interval: Interval, shares: bool) -> bool:
    return not shares or interval.estimate > 0
