"""Comparisons as text: a table with groups as rows, and the tests as sentences.

Further tables of a comparison: human baselines, regression, sensitivity, indices.

Tables for a paper in LaTeX: booktabs, every cell escaped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from intent.base.statistics.intervals import Interval
from intent.base.wording import digits_of_p, in_percent, p_is
from intent.behaviour.indices import Index
from intent.comparison.coefficients import MeanModel, ShareModel
from intent.comparison.differences import SeatEffects
from intent.comparison.groups import Comparison, Group
from intent.comparison.sensitivity import SensitivityRow
from intent.comparison.tests import DECIDING, Hypothesis

__all__ = [
    "comparison_rows",
    "deciding_tests",
    "differs",
    "escaped",
    "index_rows",
    "latex_table",
    "margin_rows",
    "narrow_tests",
    "number",
    "pair_rows",
    "percent",
    "seat_rows",
    "sensitivity_rows",
    "sentences",
    "term_rows",
    "with_baselines",
]


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


def term_rows(model: ShareModel | MeanModel) -> Rows:
    """Whether each factor and interaction matters, the others held equal."""
    rows: list[list[object]] = []
    for term in model.terms:
        df = "–" if term.df is None else f"{term.df[0]:g}, {round(term.df[1], 1):g}"
        rows.append([term.term, _plain(term.statistic, 2), df, digits_of_p(term.p)])
    return ["term", "F", "df", "p"], rows


def margin_rows(model: ShareModel | MeanModel) -> Rows:
    """Adjusted share (or mean) at each level, and its difference to the first level."""
    shares = isinstance(model, ShareModel)
    scale = 100 if shares else 1
    digits = 1 if shares else 3
    header = ["factor", "level", *(["outcome"] if shares else []), "adjusted", "±", "effect", "± ", "p"]
    rows: list[list[object]] = []
    for one in model.margins:
        cells: list[object] = [one.factor, str(one.level), *([one.outcome] if shares else [])]
        cells += [_plain(one.estimate * scale, digits), _plain(one.se * scale, digits)]
        first = math.isnan(one.p)
        cells += (
            ["–", "–", "–"]
            if first
            else [
                f"{one.effect * scale:+.{digits}f}",
                _plain(one.effect_se * scale, digits),
                digits_of_p(one.p),
            ]
        )
        rows.append(cells)
    return header, rows


def sensitivity_rows(table: Sequence[SensitivityRow]) -> Rows:
    """One row per choice: shares, largest change in a group, p of each factor, verdicts that turn."""
    outcomes = list(dict.fromkeys(name for row in table for name, share in row.shares.items() if share > 0))
    factors = list(table[0].p) if table else []
    header = ["setting", "value", *outcomes, "max change", "of", *(f"p {f}" for f in factors)]
    header += ["verdict turns"] if factors else []
    rows: list[list[object]] = []
    for row in table:
        cells: list[object] = [row.setting or "as chosen", row.value]
        cells += [in_percent(row.shares.get(name)) for name in outcomes]
        cells += [f"{row.max_change * 100:.1f}", row.change_of]
        cells += [digits_of_p(row.p[f]) for f in factors]
        rows.append([*cells, *([", ".join(row.changed) or "no"] if factors else [])])
    return header, rows


def seat_rows(seats: SeatEffects) -> Rows:
    """One row per outcome: share or mean in each seat, difference with interval, p of sign flips."""
    rows: list[list[object]] = []
    parts = zip(seats.names, seats.first, seats.second, seats.differences, seats.p_each, strict=True)
    for name, first, second, difference, p in parts:
        if first or second:
            ends = f"{difference.low:+.3f} to {difference.high:+.3f}"
            cells = [f"{first:.3f}", f"{second:.3f}", f"{difference.estimate:+.3f}"]
            rows.append([name, *cells, "–" if math.isnan(difference.low) else ends, digits_of_p(p)])
    rows.append(["all together", "", "", "", "", digits_of_p(seats.p)])
    return ["outcome", "seat 1", "seat 2", "difference", "interval", "p"], rows


def index_rows(indices: Sequence[Index]) -> Rows:
    """One row per game, model and index."""
    rows: list[list[object]] = []
    for one in indices:
        ends = "–" if math.isnan(one.low) else f"{one.low:.3f} to {one.high:.3f}"
        chance = "–" if math.isnan(one.chance) else f"{one.chance:.3f}"
        rows.append(
            [one.game, one.model, one.index, one.name, f"{one.estimate:.3f}", ends, chance, one.n_cells]
        )
    return ["game", "group", "index", "name", "value", "interval", "chance", "cells"], rows


def _plain(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "—": "---",
    "×": r"$\times$",
    "²": r"$^2$",
    "η": r"$\eta$",
    "χ": r"$\chi$",
    "≈": r"$\approx$",
    "−": "$-$",
}
_FITTED = (
    r"\resizebox*{!}{\ifdim\totalheight>0.8\textheight 0.8\textheight\else\totalheight\fi}{%",
    r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
)
"""Shrink what follows to the page's text where it is longer or wider."""

_PATTERN = re.compile("|".join(map(re.escape, _SPECIAL)))
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


def escaped(text: object) -> str:
    r"""Text as LaTeX shows it; control characters and marks of direction become spaces.

    Parameters
    ----------
    text : object

    Examples
    --------
    >>> escaped("p_ALLC & 5 %")
    'p\\_ALLC \\& 5 \\%'
    """
    plain = _HIDDEN.sub(" ", str(text))
    return _PATTERN.sub(lambda match: _SPECIAL[match.group()], plain)


def latex_table(
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    caption: str = "",
    label: str = "",
    notes: Sequence[str] = (),
) -> str:
    """A floating table, columns of text to the left and of numbers to the right, no larger than the page.

    Parameters
    ----------
    header : names of columns
    rows : cells
    caption : str
    label : str
        For references: letters, digits, colons and hyphens are kept.
    notes : sequence of str
        Small print below the table.
    """
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    kinds = "".join("r" if _numeric(row[i] for row in cells) else "l" for i in range(len(header)))
    lines = [r"\begin{table}", r"\centering"]
    lines += [rf"\caption{{{escaped(caption)}}}"] if caption else []
    lines += [rf"\label{{{re.sub(r'[^A-Za-z0-9:-]+', '-', label)}}}"] if label else []
    lines += [*_FITTED, rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    lines += [" & ".join(map(escaped, header)) + r" \\", r"\midrule"]
    lines += [" & ".join(map(escaped, row)) + r" \\" for row in cells]
    lines += [r"\bottomrule", r"\end{tabular}}}"]
    if notes:
        small = " ".join(map(escaped, notes))
        lines.append(rf"\par\smallskip\begin{{minipage}}{{\linewidth}}\footnotesize {small}\end{{minipage}}")
    return "\n".join(["% \\usepackage{booktabs,graphicx}", *lines, r"\end{table}", ""])


def _numeric(cells: Iterable[str]) -> bool:
    """Whether the cells begin with numbers, as ``31.2 (28–34)``."""
    known = [cell for cell in cells if cell not in ("", "–")]
    return bool(known) and all(re.match(r"^[-−<]?\s*[\d.,]+", cell) for cell in known)
