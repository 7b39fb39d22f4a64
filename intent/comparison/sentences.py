"""Comparisons in sentences: for a paper, for a newcomer, and for the methods section, with the works cited.

A paper is told what differs, how much, on how much evidence and by which test; a newcomer the direction, in
percentage points. Long sentences and works are in ``sentences.toml``.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intent.base.errors import shorten
from intent.base.wording import in_words, listed, works
from intent.comparison.effects import Effect, widest_pair
from intent.comparison.findings import LEAST, Finding, Findings, SimpleEffect
from intent.comparison.groups import (
    Comparison,
    Group,
    Hypothesis,
    Within,
    deciding_tests,
    differs,
    narrow_tests,
)
from intent.comparison.shares import Furthest

__all__ = [
    "Headline",
    "about",
    "bibliography",
    "finding_sentence",
    "headline",
    "methods_text",
    "open_sentence",
    "overall_sentence",
    "points",
    "remarks",
    "silent_sentence",
]


@dataclass(frozen=True)
class Headline:
    """What is said of one factor.

    Parameters
    ----------
    p, p_adjusted : float
        Of the test that the sentence follows; after Holm's correction over the factors.
    unit : str
        What that test takes as independent.
    question : str
        What its claim is about, as "in conditions like these".
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


@dataclass(frozen=True)
class NarrowClaim:
    """A test on the narrower unit."""

    p: float
    p_adjusted: float
    test: str
    unit: str
    question: str


_APART = "That interval excludes 0; the test, which is of all of them together, shows no difference."


def headline(
    comparison: Comparison,
    *,
    widest: Effect | None = None,
    furthest: Furthest | None = None,
    within_blocks: float | None = None,
    counted: str | None = None,
    bounded: bool = False,
) -> list[Headline]:
    """One or two sentences per factor: the claim on the unit of the design, the narrower one, the range.

    A factor's largest difference is named between the two of its groups, which are those of the comparison
    where it has one factor alone.

    Parameters
    ----------
    widest : Effect, optional
        Difference of the two groups that are furthest apart, with its interval.
    furthest : Furthest, optional
        The same, of estimated shares.
    within_blocks : float, optional
        The same difference where all else is equal.
    counted : str, optional
        Units in words: ``266 subjects in 2,604 games``.
    bounded : bool
        Whether units were too few for the wider claim: the sentence says what it is about.
    """
    within = {one.factor: one for one in comparison.within}
    narrow = narrow_tests(comparison)
    headlines = []
    for factor, test in deciding_tests(comparison).items():
        beside = narrow.get(factor)
        about = f" {test.question}" if test.question and (bounded or beside is not None) else ""
        sentence = _verdict(comparison, factor, about, test, within.get(factor), beside, counted)
        if len(comparison.by) == 1:
            if furthest is not None:
                largest = _furthest(comparison, furthest)
            else:
                largest = _largest(comparison, widest, within_blocks)
            lowest = furthest.low if furthest is not None else widest.low if widest is not None else math.nan
            apart = _APART if largest and lowest > 0 and not differs(comparison, test) else ""
            sentence = f"{sentence} {largest} {apart}".strip()
        claim = None
        if beside is not None:
            claim = NarrowClaim(beside.p, beside.p_adjusted, beside.test, beside.unit, beside.question)
        unit, question = test.unit or comparison.unit, test.question
        headlines.append(
            Headline(factor, test.p, test.p_adjusted, test.test, unit, question, sentence, claim)
        )
    return headlines


def _verdict(
    comparison: Comparison,
    factor: str,
    about: str,
    test: Hypothesis,
    within: Within | None,
    beside: Hypothesis | None,
    counted: str | None,
) -> str:
    differ = differs(comparison, test)
    what = _subject(comparison)
    verb = "differs" if comparison.metric else "differ"
    by = factor.replace(",", " and ")
    head = f"{what} {verb} by {by}{about}"
    if not differ:
        head = f"We found no evidence that {_lower(what)} {verb} by {by}{about}"
    parts = [*_effect(comparison, test), _numbers(comparison, counted), _tested(comparison, test, within)]
    if sum((t.test, t.question) == (test.test, test.question) for t in comparison.tests) > 1:
        parts += [f"Holm-corrected {_p(test.p_adjusted)}", f"false discovery rate {_p(test.p_fdr)}"]
    sentence = f"{head} ({'; '.join(parts)})."
    if beside is None:
        return sentence
    too = differs(comparison, beside)
    do = "does" if comparison.metric else "do"
    it = "it" if comparison.metric else "they"
    where = _upper(beside.question)
    claim = f"{where} {it} {do}" if too else f"{where}, too, there is no evidence that {it} {do}"
    if differ and too:
        claim = f"{where} {it} {do}, too"
    if differ and not too:
        claim = f"{where} the test does not show it"
    return f"{sentence} {claim} ({beside.unit} as units, {_p(beside.p_adjusted)})."


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
    return f"p {_digits(p)}"


def _digits(p: float) -> str:
    return "< .001" if p < 0.001 else "= " + f"{p:.3f}".removeprefix("0")


_BACKGROUND = "RANDOM"
_NAMED = 4
"""Levels that a sentence names."""

_LETTERS = 60
"""Of a level's name, which a log may make as long as it likes."""

_WHAT = {"rate": "cooperation", "share": "shares of strategies"}


def finding_sentence(finding: Finding, *, game: bool = False) -> str:
    """What differs, between which levels, in which direction and by how much; `game`: in which game."""
    if finding.kind == "interaction":
        text = _reversal(finding) if finding.reverses else _interaction(finding)
    elif finding.kind == "rate":
        text = _range(finding, "cooperates more often", "cooperation is more frequent", "moves")
    elif finding.outcome == (_BACKGROUND,):
        text = _unexplained(finding)
    else:
        name = " or ".join(finding.outcome)
        apart = " (which this play does not tell apart)" if len(finding.outcome) > 1 else ""
        text = _range(
            finding, f"plays {name}{apart} more often", f"{name}{apart} is played more often", "play"
        )
    if game and finding.game:
        text = f"in {finding.game.replace('_', ' ')}, {text}"
    return text[0].upper() + text[1:]


def about(finding: Finding, n_questions: int, *, level: float = 0.95) -> str:
    """On how much evidence, on which unit, with which corrections."""
    many = f", corrected for {n_questions} questions" if n_questions > 1 else ""
    holds = f"{level:.0%} interval"
    if finding.n_compared > 1:
        holds += f" that allows for the choice among {finding.n_compared:,} differences"
    claim = f"claim about what happens {finding.question}" if finding.question else "claim"
    return f"p {_digits(finding.p_adjusted)}{many}; {holds}; {claim} ({finding.counted})."


def remarks(finding: Finding, shown: Sequence[Finding]) -> str:
    """That a main effect reverses with another factor, where that is a finding too; else nothing."""
    if finding.kind != "rate":
        return ""
    for other in shown:
        turned = other.kind == "interaction" and other.reverses and other.game == finding.game
        if turned and other.factors[1] == finding.factors[0]:
            return f"This is an average over {in_words(other.factors[0])}, which turns it round (see above)."
    return ""


def silent_sentence(findings: Findings, *, several_games: bool = False) -> str:
    """All questions without a finding in one sentence; nothing where each has one."""
    parts = []
    for kind in ("rate", "share"):
        own = [f for f in findings.silent if f.kind == kind]
        if own:
            parts.append(f"{_WHAT[kind]} by {_by(own, several_games)}")
    double = [f for f in findings.silent if f.kind == "interaction"]
    if double:
        n_questions = sum(
            f.kind == "interaction" for f in (*findings.shown, *findings.open, *findings.silent)
        )
        parts.append(f"{len(double)} of {n_questions} interactions of two factors on cooperation")
    if not parts:
        return ""
    return (
        f"Not shown to differ by {100 * LEAST:.0f} points or more: {'; '.join(parts)}. What is not shown may "
        "still be there."
    )


def open_sentence(findings: Findings) -> str:
    """Differences that are shown as a whole, but of no single contrast; nothing where there are none."""
    if not findings.open:
        return ""
    parts = [f"{_question(f)} (p {_digits(f.p_adjusted)})" for f in findings.open]
    return f"A difference is shown, but not which one: {'; '.join(parts)}."


def _by(own: Sequence[Finding], several_games: bool) -> str:
    if not several_games:
        return listed([in_words(f.factors[0]) for f in own])
    by_factor: dict[str, list[str]] = {}
    for one in own:
        by_factor.setdefault(in_words(one.factors[0]), []).append(one.game.replace("_", " "))
    return ", ".join(f"{factor} ({', '.join(filter(None, games))})" for factor, games in by_factor.items())


def _question(finding: Finding) -> str:
    game = f" in {finding.game.replace('_', ' ')}" if finding.game else ""
    if finding.kind == "interaction":
        return f"how {in_words(finding.factors[1])} and {in_words(finding.factors[0])} act together{game}"
    return f"{_WHAT[finding.kind]} by {in_words(finding.factors[0])}{game}"


def _range(finding: Finding, active: str, passive: str, of: str) -> str:
    """Highest against lowest level of one factor."""
    factor, (high, low) = finding.factors[0], finding.levels
    ends = f": {_rate(finding, high)} against {_rate(finding, low)} of {of}, {_difference(finding)}."
    if factor == "model":
        return f"{level_words(factor, high)} {active} than {level_words(factor, low)}{ends}"
    return f"{passive} with {level_words(factor, high)} than with {level_words(factor, low)}{ends}"


def _unexplained(finding: Finding) -> str:
    factor, (high, low) = finding.factors[0], finding.levels
    ends = f": {_rate(finding, high)} against {_rate(finding, low)}, {_difference(finding)}."
    join = "of" if factor == "model" else "with"
    return (
        f"more play {join} {level_words(factor, high)} than {join} {level_words(factor, low)} follows no "
        f"strategy of the set (RANDOM){ends}"
    )


def _reversal(finding: Finding) -> str:
    """The levels at which an effect is the other way round, the fewer first."""
    moderator, factor = finding.factors
    above = [e for e in finding.effects if e.low > 0]
    below = [e for e in finding.effects if e.high < 0]
    unclear = [e for e in finding.effects if e.low <= 0 <= e.high]
    first, rest, word, other = below, above, "less", "more"
    if len(above) < len(below):
        first, rest, word, other = above, below, "more", "less"
    a, b = (level_words(factor, level) for level in finding.levels)
    b = str(finding.levels[1]) if b.startswith(f"{in_words(factor)} ") and _says(finding.levels[1]) else b
    lead = (
        f"{listed([level_words(moderator, e.level) for e in first])} "
        f"cooperate{'s' * (len(first) == 1)} {word} with {a} than with {b} ({_ends(first)})"
        if moderator == "model"
        else f"with {listed([level_words(moderator, e.level) for e in first])}, cooperation is {word} "
        f"frequent with {a} than with {b} ({_ends(first)})"
    )
    if moderator != "model":
        lead = lead.replace("less frequent", "rarer")
    who = "the others " if len(rest) > 1 and not unclear else ""
    text = (
        f"{lead}; {who}{other}: {_each(moderator, rest)}"
        if who
        else f"{lead}, {_each(moderator, rest)} {other}"
    )
    if unclear:
        text += f"; no clear difference: {_each(moderator, unclear)}"
    return f"{text}."


def _interaction(finding: Finding) -> str:
    moderator, factor = finding.factors
    a, b = (level_words(factor, level) for level in finding.levels)
    b = str(finding.levels[1]) if b.startswith(f"{in_words(factor)} ") and _says(finding.levels[1]) else b
    order = sorted(finding.effects, key=lambda e: -abs(e.estimate))
    join = "for" if moderator == "model" else "with"
    strongest = order[0]
    larger = "a larger" if all(e.estimate * strongest.estimate >= 0 for e in order) else "another"
    return (
        f"{a} rather than {b} goes with {larger} difference in cooperation {join} "
        f"{level_words(moderator, strongest.level)} ({_signed(strongest)}) than {join} "
        f"{_each(moderator, order[1:])}."
    )


def _each(factor: str, effects: Sequence[SimpleEffect]) -> str:
    named = [f"{level_words(factor, e.level)} ({_signed(e, unit='')})" for e in effects[:_NAMED]]
    if len(effects) > _NAMED:
        named.append(f"{len(effects) - _NAMED} more")
    return listed(named)


def _ends(effects: Sequence[SimpleEffect]) -> str:
    return "; ".join(_signed(e) for e in effects[:_NAMED])


def _signed(effect: SimpleEffect, unit: str = " points") -> str:
    ends = "" if math.isnan(effect.low) else f" [{points(effect.low)}, {points(effect.high)}]"
    return f"{100 * effect.estimate:+.0f}{unit}{ends}"


def _difference(finding: Finding) -> str:
    ends = "" if math.isnan(finding.low) else f" [{points(finding.low)}, {points(finding.high)}]"
    return f"{points(finding.estimate)} points{ends}"


def points(share: float) -> str:
    """A difference of shares in whole percentage points, never beyond 100."""
    text = f"{100 * min(max(share, -1.0), 1.0):.0f}"
    return "0" if text == "-0" else text


def _rate(finding: Finding, level: Any) -> str:
    cell = next(c for c in finding.cells if c.values[0] == level)
    return f"{100 * cell.estimate:.0f} %"


def level_words(factor: str, level: Any) -> str:
    """A level of a factor: a model by its name, of any other factor with the name of the factor."""
    text = shorten(str(level), _LETTERS)
    return text if factor == "model" and _says(level) else f"{in_words(factor)} {text}"


def _level(factor: str, value: Any) -> str:
    """A value; one that alone says nothing stands behind its factor's name."""
    return str(value) if _says(value) else f"{factor} {value}"


def _says(level: Any) -> bool:
    """Whether a value alone says something, as a name does and 2 or True do not."""
    text = str(level)
    return text.upper().isupper() and text.lower() not in ("true", "false", "nan", "none")


_FILE: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def methods_text(comparison: Comparison, config: Mapping[str, Any], kinds: Collection[str]) -> str:
    """How a comparison was made, as a paragraph with works named by author and year.

    Parameters
    ----------
    config : settings of the result
    kinds : names of the tests and options that were used
    """
    return _Methods(comparison, config, kinds).text


def bibliography(comparison: Comparison, config: Mapping[str, Any], kinds: Collection[str]) -> list[str]:
    """BibTeX of the works that `methods_text` cites, in their order."""
    return [works()[key].bibtex for key in _Methods(comparison, config, kinds).cited]


class _Methods:
    """The paragraph, and the works that it cites, in their order."""

    def __init__(self, comparison: Comparison, config: Mapping[str, Any], kinds: Collection[str]) -> None:
        self.cited: dict[str, None] = {}
        self._names = {key: work.named for key, work in works().items()} | {"unit": comparison.unit}
        lines = [self._measured(comparison, config), self._intervals(comparison, config, kinds)]
        lines += [*self._tests(comparison, kinds), *self._further(comparison, kinds)]
        version = config.get("version")
        lines.append(self._sentence("version", version=f" {version}" if version else ""))
        self.text = " ".join(lines)

    def _sentence(self, name: str, **fields: object) -> str:
        sentence = _FILE["methods"][name]
        self.cited |= dict.fromkeys(sentence.get("cites", ()))
        text: str = sentence["text"].format(**self._names, **fields)
        return text

    def _measured(self, comparison: Comparison, config: Mapping[str, Any]) -> str:
        if comparison.metric is not None:
            return self._sentence("mean", metric=comparison.metric)
        labels = config.get("labels") or {}
        classes = ", ".join(map(str, config.get("strategies") or labels.get("classes", ())))
        of = f" among {classes}" if classes else ""
        if comparison.count == "estimate":
            return self._sentence("estimate", of=of)
        eps, threshold, alpha = (labels.get(name) for name in ("eps", "threshold", "alpha"))
        noise = self._sentence("noise", eps=eps) if isinstance(eps, int | float) else ""
        noise = self._sentence("noise_integrated") if eps == "integrate" else noise
        sure = ""
        if isinstance(threshold, int | float) and isinstance(alpha, int | float):
            sure = self._sentence("sure", threshold=threshold, alpha=alpha)
        how = self._sentence("labelled", of=of, noise=noise, sure=sure) if labels else ""
        return how + self._sentence(str(comparison.count))

    def _intervals(self, comparison: Comparison, config: Mapping[str, Any], kinds: Collection[str]) -> str:
        fields = {"level": f"{comparison.level * 100:g} %", "kept": ""}
        if config.get("kept"):
            fields["kept"] = self._sentence("kept", rows="; ".join(config["kept"]))
        if comparison.count == "estimate":
            return self._sentence("intervals_of_estimates", **fields)
        if comparison.metric is not None and not comparison.bounded:
            return self._sentence("intervals_of_means", bootstrap=config["bootstrap"], **fields)
        which = "shares" if comparison.metric is None else "means"
        what = which if comparison.metric is None else "means, which lie between 0 and 1,"
        text = self._sentence("intervals_of_shares", what=what, which=which, widest="{widest}", **fields)
        return text.replace("{widest}", self._sentence("widest") if "widest" in kinds else "")

    def _tests(self, comparison: Comparison, kinds: Collection[str]) -> Iterator[str]:
        done = [test.permutations for test in comparison.tests if test.permutations]
        n = f"{max(done, default=0):,}"
        if len(set(done)) > 1:
            n = f"{min(done):,} to {n}"
        equal = "; ".join(
            f"{one.factor.replace(',', ' and ')} at equal {', '.join(one.columns)}"
            for one in comparison.within
        )
        of_labels = ("permutation",) if comparison.count != "estimate" else ()
        for kind in ("permutation_within", *of_labels, "wald", "likelihood_ratio"):
            if kind in kinds:
                yield self._sentence(kind, n=n, equal=equal)
                break
        if len({test.factor for test in comparison.tests}) > 1:
            yield self._sentence("corrected")

    def _further(self, comparison: Comparison, kinds: Collection[str]) -> Iterator[str]:
        if "model" in kinds and comparison.metric is None:
            outcome = "class membership" if comparison.count == "estimate" else "labels"
            yield self._sentence("logit", outcome=outcome)
        elif "model" in kinds:
            yield self._sentence("least_squares")
        if "seats" in kinds:
            text = self._sentence("seats", pairs="{pairs}")
            yield text.replace("{pairs}", self._sentence("pairs") if comparison.count else "")
        if "sensitivity" in kinds:
            yield self._sentence("sensitivity")
