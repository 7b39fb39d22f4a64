"""Comparisons in sentences for a paper: what differs, how much, on how much evidence, by which test."""

from __future__ import annotations

import math
from typing import Any

from intent.analysis.comparison import Comparison, Group, Within
from intent.analysis.effects import Effect
from intent.analysis.hypothesis import Hypothesis
from intent.analysis.widest import widest_pair
from intent.report.tables import deciding_tests
from intent.report.wording import listed

__all__ = ["paper_sentences"]


def paper_sentences(
    comparison: Comparison, widest: Effect | None = None, within_blocks: float | None = None
) -> list[str]:
    """One or two sentences per factor; one on all rows where there are no factors.

    A factor's largest difference is named between the two of its groups, which are those of the comparison
    where it has one factor alone.

    Parameters
    ----------
    comparison : Comparison
    widest : Effect, optional
        Difference of the two groups that are furthest apart, with its interval.
    within_blocks : float, optional
        The same difference where all else is equal.
    """
    if not comparison.by:
        return [_overall(comparison)]
    within = {one.factor: one for one in comparison.within}
    found = []
    for factor, test in deciding_tests(comparison).items():
        found.append(_verdict(comparison, factor, test, within.get(factor)))
        if len(comparison.by) == 1:
            found[-1] = f"{found[-1]} {_largest(comparison, widest, within_blocks)}".strip()
    return found


def _verdict(comparison: Comparison, factor: str, test: Hypothesis, within: Within | None) -> str:
    differ = test.p_adjusted <= 1 - comparison.level + 1e-12
    n = sum(group.n for group in comparison.groups)
    effective = comparison.n_effective or sum(group.n_effective for group in comparison.groups)
    what = f"Mean {comparison.metric}" if comparison.metric else "The shares of strategies"
    verb = "differs" if comparison.metric else "differ"
    by = factor.replace(",", " and ")
    head = f"{what} {verb} by {by}" if differ else f"We found no evidence that {_lower(what)} {verb} by {by}"
    parts = [*_effect(comparison, test), f"N = {n:,} {_rows(comparison)}, effective N = {effective:,.0f}"]
    parts.append(_tested(comparison, test, within))
    corrected = [f"Holm-corrected {_p(test.p_adjusted)}", f"false discovery rate {_p(test.p_fdr)}"]
    several = sum(t.test == test.test for t in comparison.tests) > 1
    return f"{head} ({'; '.join([*parts, *(corrected if several else [])])})."


def _largest(comparison: Comparison, widest: Effect | None, within: float | None) -> str:
    """The outcome and the two groups that are furthest apart, and how far at equal values of all else."""
    pair = widest_pair(comparison)
    if pair is None:
        return ""
    k, low, high = pair
    groups = comparison.groups
    metric = comparison.metric is not None
    span = groups[high].intervals[k].estimate - groups[low].intervals[k].estimate
    subject = "It ranges" if metric else f"The widest range is that of {comparison.outcomes[k]}"
    scale = _number if metric else _percent
    away = f"a difference of {_three(span)}" if metric else f"{span * 100:.1f} percentage points apart"
    if widest is not None and not math.isnan(widest.low):
        ends = (_three(end) if metric else f"{end * 100:.1f}" for end in (widest.low, widest.high))
        away += f" [{', '.join(ends)}]"
    if within is not None:
        same = _three(abs(within)) if metric else f"{abs(within) * 100:.1f}"
        way = (
            "" if within >= 0 else " the other way round: what else differs between them makes the difference"
        )
        away += f"; within blocks {same}{way}"
    (factor,) = comparison.by
    ends = (_of(groups[place], factor, k, scale) for place in (low, high))
    return f"{subject} from {' to '.join(ends)}, {away}."


def _of(group: Group, factor: str, k: int, scale: Any) -> str:
    """A group's estimate; a value that alone says nothing, as 2 or True, stands behind its factor's name."""
    (value,) = map(str, group.values)
    says = value.upper().isupper() and value.lower() not in ("true", "false", "nan", "none")
    return f"{scale(group.intervals[k])} in {value if says else f'{factor} {value}'}"


def _overall(comparison: Comparison) -> str:
    (group,) = comparison.groups
    scale = _number if comparison.metric else _percent
    pairs = zip(comparison.outcomes, group.intervals, strict=True)
    shown = [f"{name} {scale(interval)}" for name, interval in pairs if interval.estimate > 0]
    what = "Mean" if comparison.metric else "Shares of strategies"
    return (
        f"{what}: {', '.join(shown)} (N = {group.n:,} {_rows(comparison)}, "
        f"effective N = {group.n_effective:,.0f}; {comparison.level * 100:g} % intervals)."
    )


def _tested(comparison: Comparison, test: Hypothesis, within: Within | None) -> str:
    if test.test == "permutation_within" and within is not None:
        equal = listed(within.columns)
        return f"permutation of {comparison.unit} within equal {equal}, {_p(test.p)}"
    if test.test == "permutation":
        return f"permutation of {comparison.unit}, {_p(test.p)}"
    if test.test == "wald" and isinstance(test.df, tuple):
        df = f"{test.df[0]:g}, {test.df[1]:g}"
        return f"Wald's test, errors in two ways, F({df}) = {test.statistic:.2f}, {_p(test.p)}"
    if isinstance(test.df, tuple):
        name = f"likelihood ratio clustered by {comparison.unit}, " * (test.test == "likelihood_ratio")
        return f"{name}F({test.df[0]:g}, {test.df[1]:g}) = {test.statistic:.2f}, {_p(test.p)}"
    return f"χ²({test.df:g}) = {test.statistic:.2f}, {_p(test.p)}"


def _effect(comparison: Comparison, test: Hypothesis) -> list[str]:
    if math.isnan(test.effect):
        return []
    name = "η²" if comparison.metric else "Cramér's V"
    inner = " within blocks" if test.test == "permutation_within" else ""
    return [f"{name}{inner} = {test.effect:.2f}"]


def _rows(comparison: Comparison) -> str:
    n = comparison.n_clusters or sum(group.n_clusters for group in comparison.groups)
    if comparison.unit == "rows":
        return "rows"
    return f"trajectories in {n:,} {comparison.unit}" if comparison.unit == "games" else "trajectories"


def _percent(interval: Any) -> str:
    if math.isnan(interval.low):
        return f"{interval.estimate * 100:.1f} %"
    return f"{interval.estimate * 100:.1f} % [{interval.low * 100:.1f}, {interval.high * 100:.1f}]"


def _number(interval: Any) -> str:
    if math.isnan(interval.low):
        return _three(interval.estimate)
    return f"{_three(interval.estimate)} [{_three(interval.low)}, {_three(interval.high)}]"


def _three(number: float) -> str:
    """Three significant figures, closing zeros kept: .1 is 0.100."""
    return f"{number:#.3g}".removesuffix(".")


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _p(p: float) -> str:
    return "p < .001" if p < 0.001 else "p = " + f"{p:.3f}".removeprefix("0")
