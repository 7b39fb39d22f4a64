"""Comparisons in sentences for a paper: what differs, how much, on how much evidence, by which test."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from intent.analysis.comparison import Comparison, Group, Within
from intent.analysis.effects import Effect
from intent.analysis.estimated import Furthest
from intent.analysis.hypothesis import Hypothesis
from intent.analysis.widest import widest_pair
from intent.report.tables import deciding_tests, narrow_tests
from intent.report.wording import listed

__all__ = ["Headline", "headline", "overall_sentence"]


@dataclass(frozen=True)
class Headline:
    """What is said of one factor.

    Parameters
    ----------
    factor : str
    p, p_adjusted : float
        Of the test that the sentence follows; after Holm's correction over the factors.
    test : str
    unit : str
        What that test takes as independent.
    question : str
        What its claim is about, as "in conditions like these".
    sentence : str
    narrower : NarrowClaim, optional
        The claim about these very conditions (or sessions) alone, beside it.
    """

    factor: str
    p: float
    p_adjusted: float
    test: str
    unit: str
    question: str
    sentence: str
    narrower: NarrowClaim | None = None

    def to_dict(self) -> dict[str, Any]:
        """An entry of ``headline`` of ``intent compare --json``."""
        return asdict(self)


@dataclass(frozen=True)
class NarrowClaim:
    """A test on the narrower unit.

    Parameters
    ----------
    p, p_adjusted : float
    test, unit, question : str
    """

    p: float
    p_adjusted: float
    test: str
    unit: str
    question: str


def headline(
    comparison: Comparison,
    *,
    widest: Effect | None = None,
    furthest: Furthest | None = None,
    within_blocks: float | None = None,
    counted: str | None = None,
) -> list[Headline]:
    """One or two sentences per factor: the claim on the unit of the design, the narrower one, the range.

    A factor's largest difference is named between the two of its groups, which are those of the comparison
    where it has one factor alone.

    Parameters
    ----------
    comparison : Comparison
    widest : Effect, optional
        Difference of the two groups that are furthest apart, with its interval.
    furthest : Furthest, optional
        The same, of estimated shares.
    within_blocks : float, optional
        The same difference where all else is equal.
    counted : str, optional
        Units in words: ``266 subjects in 2,604 games``.
    """
    within = {one.factor: one for one in comparison.within}
    narrow = narrow_tests(comparison)
    found = []
    for factor, test in deciding_tests(comparison).items():
        beside = narrow.get(factor)
        sentence = _verdict(comparison, factor, test, within.get(factor), beside, counted)
        if len(comparison.by) == 1:
            if furthest is not None:
                largest = _furthest(comparison, furthest)
            else:
                largest = _largest(comparison, widest, within_blocks)
            sentence = f"{sentence} {largest}".strip()
        claim = None
        if beside is not None:
            claim = NarrowClaim(beside.p, beside.p_adjusted, beside.test, beside.unit, beside.question)
        unit, question = test.unit or comparison.unit, test.question
        found.append(Headline(factor, test.p, test.p_adjusted, test.test, unit, question, sentence, claim))
    return found


def _verdict(
    comparison: Comparison,
    factor: str,
    test: Hypothesis,
    within: Within | None,
    beside: Hypothesis | None,
    counted: str | None,
) -> str:
    differ = _significant(comparison, test)
    what = _subject(comparison)
    verb = "differs" if comparison.metric else "differ"
    by = factor.replace(",", " and ")
    about = f" {test.question}" if test.question and beside is not None else ""
    head = f"{what} {verb} by {by}{about}"
    if not differ:
        head = f"We found no evidence that {_lower(what)} {verb} by {by}{about}"
    parts = [*_effect(comparison, test), _numbers(comparison, counted), _tested(comparison, test, within)]
    if sum((t.test, t.question) == (test.test, test.question) for t in comparison.tests) > 1:
        parts += [f"Holm-corrected {_p(test.p_adjusted)}", f"false discovery rate {_p(test.p_fdr)}"]
    sentence = f"{head} ({'; '.join(parts)})."
    if beside is None:
        return sentence
    too = _significant(comparison, beside)
    do = "does" if comparison.metric else "do"
    it = "it" if comparison.metric else "they"
    where = _upper(beside.question)
    told = f"{where} {it} {do}" if too else f"{where}, too, there is no evidence that {it} {do}"
    if differ and too:
        told = f"{where} {it} {do}, too"
    if differ and not too:
        told = f"{where} the test does not show it"
    return f"{sentence} {told} ({beside.unit} as units, {_p(beside.p_adjusted)})."


def _significant(comparison: Comparison, test: Hypothesis) -> bool:
    return test.p_adjusted <= 1 - comparison.level + 1e-12


def _subject(comparison: Comparison) -> str:
    if comparison.metric:
        return f"Mean {comparison.metric}"
    return "The shares of strategies" if comparison.count == "estimate" else "The shares of labels"


def _numbers(comparison: Comparison, counted: str | None) -> str:
    n = sum(group.n for group in comparison.groups)
    effective = comparison.n_effective or sum(group.n_effective for group in comparison.groups)
    rows = f"N = {n:,} {_rows(comparison)}" if counted is None else counted
    return f"{rows}, effective N = {effective:,.0f}"


def _furthest(comparison: Comparison, furthest: Furthest) -> str:
    """The strategy whose share ranges most, with the simultaneous interval of the difference."""
    (low_group, low), (high_group, high) = furthest.lowest, furthest.highest
    (factor,) = comparison.by
    name = " or ".join(furthest.names)
    apart = " (which this play does not tell apart)" if len(furthest.names) > 1 else ""
    ends = ""
    if not math.isnan(furthest.low):
        ends = f" [{furthest.low * 100:.1f}, {furthest.high * 100:.1f}]"
    lowest, highest = (_level(factor, group[0]) for group in (low_group, high_group))
    return (
        f"The widest range is that of {name}{apart}, from {low * 100:.1f} % in {lowest} to "
        f"{high * 100:.1f} % in {highest}, {(high - low) * 100:.1f} percentage points apart{ends}."
    )


def _level(factor: str, value: Any) -> str:
    """A value; one that alone says nothing, as 2 or True, stands behind its factor's name."""
    text = str(value)
    says = text.upper().isupper() and text.lower() not in ("true", "false", "nan", "none")
    return text if says else f"{factor} {text}"


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
    return f"{scale(group.intervals[k])} in {_level(factor, group.values[0])}"


def overall_sentence(comparison: Comparison, counted: str | None = None) -> str:
    """The shares, or the mean, of all rows."""
    (group,) = comparison.groups
    scale = _number if comparison.metric else _percent
    pairs = zip(comparison.outcomes, group.intervals, strict=True)
    shown = [f"{name} {scale(interval)}" for name, interval in pairs if interval.estimate > 0]
    what = "Mean" if comparison.metric else _subject(comparison).removeprefix("The ").capitalize()
    level = f"{comparison.level * 100:g} % intervals"
    return f"{what}: {', '.join(shown)} ({_numbers(comparison, counted)}; {level})."


def _tested(comparison: Comparison, test: Hypothesis, within: Within | None) -> str:
    if test.test == "permutation_within" and within is not None:
        equal = listed(within.columns)
        return f"permutation of {comparison.unit} within equal {equal}, {_p(test.p)}"
    if test.test == "permutation":
        return f"permutation of {comparison.unit}, {_p(test.p)}"
    if test.test == "likelihood_ratio":
        return f"likelihood ratio {test.statistic:.1f} with {comparison.unit} as units, {_p(test.p)}"
    if test.test == "wald" and isinstance(test.df, tuple):
        df = f"{test.df[0]:g}, {test.df[1]:g}"
        return f"Wald's test, errors in two ways, F({df}) = {test.statistic:.2f}, {_p(test.p)}"
    if isinstance(test.df, tuple):
        return f"F({test.df[0]:g}, {test.df[1]:g}) = {test.statistic:.2f}, {_p(test.p)}"
    return f"χ²({test.df:g}) = {test.statistic:.2f}, {_p(test.p)}"


def _effect(comparison: Comparison, test: Hypothesis) -> list[str]:
    if math.isnan(test.effect) or test.test == "likelihood_ratio":
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


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _p(p: float) -> str:
    return "p < .001" if p < 0.001 else "p = " + f"{p:.3f}".removeprefix("0")
