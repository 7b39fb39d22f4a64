"""Comparisons by each factor that varies, with what must be known to read them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from intent.errors import shorten
from intent.workflows.report.factors import in_words

if TYPE_CHECKING:
    from intent.analysis.hypothesis import Hypothesis
    from intent.report.document import Block, Section
    from intent.workflows.compare_result import CompareResult
    from intent.workflows.report.material import Material

__all__ = ["Compared", "caveats_of", "compared", "comparison_section", "corrected"]

_HINT = re.compile(r"[;:]? (?:\((?:see )?|see |consider |give )--[^;:)]*\)?")
_ROWS = re.compile(r"^([\d,]+) rows are")
_LETTERS = 500
"""Of a caveat: names in it may be of any length."""

_MANY = 20
"""Groups up to which a figure is drawn."""

_OF_MOVES = ("defaulted %", "missing %", "refused %")

_SIZES = ((0.1, "negligible"), (0.3, "small"), (0.5, "medium"), (1.1, "large"))
_FEW = 20
_THIN = 0.8


@dataclass(frozen=True, eq=False)
class Compared:
    """Shares compared by one factor.

    Parameters
    ----------
    key : str
        Of the part that it belongs to.
    factor : str
    result : CompareResult
    test : Hypothesis, or None
        The one that decides: of permutations within blocks where there is one, else of permutations.
    within : tuple of str
        Columns at whose equal values that test compares.
    p_adjusted : float, or None
        After Holm's correction over all comparisons of the report.
    family : int
        How many these are.
    """

    key: str
    factor: str
    result: CompareResult
    test: Hypothesis | None
    within: tuple[str, ...] = ()
    p_adjusted: float | None = None
    family: int = 1

    @property
    def differs(self) -> bool:
        """Whether the test says so, corrected for all tests of the report."""
        level = self.result.comparison.level
        return self.p_adjusted is not None and self.p_adjusted <= 1 - level + 1e-12

    @property
    def size(self) -> str:
        """How large the effect is, in a word (Cohen's bounds for two groups)."""
        assert self.test is not None
        if self.test.smallest < _FEW:
            return "too few games to judge its size"
        return next(word for bound, word in _SIZES if self.test.effect < bound)


def compared(
    part: Material, key: str, factors: Sequence[str], *, sensitivity: bool = False, **settings: Any
) -> list[Compared]:
    """Shares by status compared by each factor, at equal values of what else varies where that can be.

    Parameters
    ----------
    part : Material
    key : str
    factors : columns to compare by
    sensitivity : bool
        Whether the first comparison shows how it depends on settings; needs the log.
    **settings
        bootstrap, permutations, level, seed of `compare`.
    """
    from intent.errors import UsageError
    from intent.workflows.compare import compare

    found = []
    for k, factor in enumerate(factors):
        more: dict[str, Any] = {} if part.log is None else {"log": part.log}
        if sensitivity and k == 0 and part.log is not None:
            more["sensitivity"] = True
        try:
            result = compare(part.labels, [factor], **settings, **more)
        except UsageError:
            continue
        tests = {t.test: t for t in result.comparison.tests if t.factor == factor}
        blocked = tests.get("permutation_within")
        blocks = {w.factor: w.columns for w in result.comparison.within}
        within = tuple(blocks.get(factor, ())) if blocked else ()
        found.append(Compared(key, factor, result, blocked or tests.get("permutation"), within))
    return found


def corrected(found: Sequence[Compared]) -> list[Compared]:
    """The comparisons of a whole report, corrected for being so many."""
    from intent.analysis.hypothesis import holm

    tested = [c for c in found if c.test is not None]
    adjusted = dict(zip(map(id, tested), holm([c.test.p for c in tested if c.test is not None]), strict=True))
    return [replace(c, p_adjusted=adjusted.get(id(c)), family=len(tested)) for c in found]


def comparison_section(one: Compared, *, draw: bool, game: str, told: Sequence[str] = ()) -> Section:
    """One comparison: the verdict in words, the shares, what limits it unless it has been told before."""
    from intent.report.document import Grid, Listing, Section, Words, grid
    from intent.report.tables import comparison_rows

    comparison = one.result.comparison
    blocks: list[Block] = [Words(verdict(one))]
    header, rows = _shares_first(*comparison_rows(comparison))
    caption = f"Shares in per cent by {in_words(one.factor)}, with {comparison.level:.0%} intervals"
    table: Grid = grid(caption, [in_words(one.factor), *map(_heading, header[1:])], rows)
    if draw and 2 <= len(comparison.groups) <= _MANY:
        blocks.append(_picture(one, table, game))
    else:
        blocks.append(table)
    said = " ".join(one.result.paper_sentences())
    if said and one.differs:
        blocks.append(
            Words(f"For a paper (p not yet corrected for this report's other comparisons): {said}", "quiet")
        )
    for title, (names, cells) in one.result.tables():
        if cells:
            names, cells = _row_named(names, cells)
            blocks.append(grid(title, names, cells, folded=True))
    if caveats := [caveat for caveat in caveats_of(one) if caveat not in told]:
        blocks.append(Listing(tuple(caveats), "caution"))
    return Section(f"{one.key}-by-{_slug(one.factor)}", f"By {in_words(one.factor)}", tuple(blocks))


def _heading(name: object) -> str:
    """An outcome as a sentence has it; all other headings as they are."""
    return {"no_fit": "no fit", "low_confidence": "low confidence"}.get(str(name), str(name))


def _shares_first(
    header: Sequence[str], rows: Sequence[Sequence[object]]
) -> tuple[list[str], list[list[object]]]:
    """The shares of bad moves behind those of strategies, which a narrow screen then shows first."""
    order = sorted(range(len(header)), key=lambda k: header[k] in _OF_MOVES)
    return [header[k] for k in order], [[row[k] for k in order] for row in rows]


def _row_named(
    names: Sequence[str], rows: Sequence[Sequence[object]]
) -> tuple[list[str], list[list[object]]]:
    """What names a row in one column, a setting with its value; outcomes as a sentence has them."""
    names = [*map(_heading, names)]
    if names[:2] != ["setting", "value"]:
        return names, [[_heading(row[0]), *row[1:]] for row in rows]
    return ["setting", *names[2:]], [[f"{row[0]} {row[1]}".strip(), *row[2:]] for row in rows]


def verdict(one: Compared) -> str:
    """What the deciding test says, as a sentence."""
    if one.test is None or one.p_adjusted is None:
        return f"There is no test by {in_words(one.factor)}."
    head = "Shares differ" if one.differs else "There is no evidence that shares differ"
    at = f" at equal {in_words(one.within)}" if one.within else ""
    effect = f"Cramér's V = {one.test.effect:.2f}"
    if one.differs:
        effect += f" ({one.size})"
    many = f"; Holm's correction for the {one.family} comparisons of this report" if one.family > 1 else ""
    n = int(one.result.config["permutations"])
    if one.test.p <= 1 / (n + 1) + 1e-12:
        many += f", the least that {n:,} permutations can show"
    digits = "< 0.0001" if one.p_adjusted < 1e-4 else f"= {one.p_adjusted:.2g}"
    return f"{head} by {in_words(one.factor)}: permutation of whole games{at}, p {digits}{many}; {effect}."


def caveats_of(one: Compared) -> list[str]:
    """What limits a comparison, in sentences."""
    groups = one.result.comparison.groups
    found = [note[0].upper() + note[1:] + "." * (not note.endswith(".")) for note in _notes(one)]
    n, worth = sum(g.n for g in groups), sum(g.n_effective for g in groups)
    if worth < _THIN * n and not any("independent ones" in line for line in found):
        found.append(
            f"The {n:,} trajectories are worth about {worth:,.0f} independent ones, because the seats of a "
            "game depend on each other; n_eff shows it for each group."
        )
    if not one.within and one.differs:
        found.append(
            f"Games that differ in {in_words(one.factor)} may differ in other things too; this is a "
            "difference and not an effect."
        )
    return found


def _notes(one: Compared) -> list[str]:
    """The notes of a comparison without hints at options of another command."""
    plain = (_ROWS.sub(r"\1 trajectories are", _HINT.sub("", str(note))) for note in one.result.notes)
    return list(dict.fromkeys(shorten(line, _LETTERS) for line in plain))


def _picture(one: Compared, table: Any, game: str) -> Block:
    from intent.report.bars import draw_bars
    from intent.report.document import Picture
    from intent.report.inline_svg import inline_svg
    from intent.report.style import look

    with look():
        figure = draw_bars(one.result.comparison)
    title = f"Strategy shares by {in_words(one.factor)}: {game}"
    caption = (
        f"Shares of outcomes by {in_words(one.factor)}, in per cent. Small numbers: "
        f"{one.result.comparison.level:.0%} intervals, games taken as the unit; eff.: independent "
        "trajectories worth as much. Greys: no confident label."
    )
    folded = replace(table, folded=True)
    return Picture(
        inline_svg(figure, title, f"{verdict(one)} The numbers are in the table below."),
        caption,
        folded,
        title,
    )


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] or "x"
