"""Comparisons by each factor that varies, with what must be known to read them.

What the design of an experiment does not tell apart, and repeats that are copies.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from intent.base.errors import shorten
from intent.base.wording import in_words

if TYPE_CHECKING:
    from intent.comparison.compare import CompareResult
    from intent.comparison.findings import Cell, Finding, Findings
    from intent.comparison.sentences import Headline
    from intent.report.document import Block, Section
    from intent.report.material import Material


__all__ = [
    "Compared",
    "caveats_of",
    "compared",
    "comparison_section",
    "copied_conditions",
    "corrected",
    "design_blocks",
    "going_together",
    "shared_caveats",
]


_HINT = re.compile(r"[;:]? (?:\((?:see )?|see |consider |give )--[^;:)]*\)?")
_ROWS = re.compile(r"^([\d,]+) rows are")
_LETTERS = 500
"""Of a caveat: names in it may be of any length."""

_MANY = 20
"""Groups up to which a figure is drawn."""

_OF_MOVES = ("defaulted %", "missing %", "refused %")

_THIN = 0.8

_FLAT = 1e-9
"""Width of an interval below which both shares are exactly 0 or 1."""


@dataclass(frozen=True, eq=False)
class Compared:
    """Estimated shares compared by one factor.

    Parameters
    ----------
    key : str
        Of the part that it belongs to.
    factor : str
    result : CompareResult
    said : Headline, or None
        What the comparison says, and by which test.
    p_adjusted : float, or None
        After Holm's correction over all questions of the report.
    family : int
        How many these are.
    """

    key: str
    factor: str
    result: CompareResult
    said: Headline | None
    p_adjusted: float | None = None
    family: int = 1

    @property
    def differs(self) -> bool:
        """Whether the test says so, corrected for all questions of the report."""
        level = self.result.comparison.level
        return self.p_adjusted is not None and self.p_adjusted <= 1 - level + 1e-12

    @property
    def address(self) -> str:
        """Of its section on the page."""
        return f"{self.key}-by-{_slug(self.factor)}"

    @property
    def finding(self) -> Finding | None:
        """The question that it asks, with the widest range of a share as its answer; None without a test."""
        from intent.comparison.findings import Cell, Finding

        if self.said is None:
            return None
        comparison, furthest = self.result.comparison, self.result.extras.furthest
        effect = next((t.effect for t in comparison.tests if t.p == self.said.p), 0.0)
        nan = float("nan")
        names: tuple[str, ...] = ()
        levels: tuple[Any, ...] = ()
        ends, cells, ranges = (effect, nan, nan), [], 1
        if furthest is not None:
            names, ranges = furthest.names, furthest.n_ranges
            (high, top), (low, bottom) = furthest.highest, furthest.lowest
            levels = (high[0], low[0])
            ends = (top - bottom, furthest.low, furthest.high)
            flat = furthest.high - furthest.low < _FLAT
            places = [comparison.outcomes.index(name) for name in names]
            for group in comparison.groups:
                own = [group.intervals[k] for k in places]
                alone = own[0] if len(own) == 1 else None
                bounds = (nan, nan) if alone is None else (alone.low, alone.high)
                cells.append(Cell(group.values, sum(one.estimate for one in own), *bounds, group.n))
            if flat:
                ends = (ends[0], *_difference_of(cells, high, low))
        units = self.result.units
        return Finding(
            "share",
            (self.factor,),
            levels,
            *ends,
            p=self.said.p,
            unit=self.said.unit,
            question=self.said.question,
            counted=self.said.unit if units is None else units.unit.counted(),
            cells=tuple(cells),
            outcome=names,
            n_compared=ranges,
            key=self.address,
        )


def _difference_of(cells: Sequence[Cell], high: tuple[Any, ...], low: tuple[Any, ...]) -> tuple[float, float]:
    """Ends of the difference of two groups from their own intervals, where neither varies.

    d - ((p1 - l1)^2 + (u2 - p2)^2)^1/2 and d + ((u1 - p1)^2 + (p2 - l2)^2)^1/2 (Newcombe 1998, Statistics in
    Medicine 17:873): shares of exactly 0 and 1 have no standard error, but intervals.
    """
    one, two = (next(c for c in cells if c.values == values) for values in (high, low))
    d = one.estimate - two.estimate
    below = ((one.estimate - one.low) ** 2 + (two.high - two.estimate) ** 2) ** 0.5
    above = ((one.high - one.estimate) ** 2 + (two.estimate - two.low) ** 2) ** 0.5
    return max(d - below, -1.0), min(d + above, 1.0)


def compared(
    part: Material, key: str, factors: Sequence[str], *, sensitivity: bool = False, **settings: Any
) -> list[Compared]:
    """Estimated shares compared by each factor, on the unit of the design.

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
    from intent.base.errors import IntentError
    from intent.comparison.compare import compare

    found = []
    for k, factor in enumerate(factors):
        more: dict[str, Any] = {} if part.log is None else {"log": part.log}
        if sensitivity and k == 0 and part.play is not None:
            more["sensitivity"] = True
        try:
            result = compare(part.labels, [factor], **settings, **more)
        except IntentError:
            continue
        said = next((one for one in result.headline() if one.factor == factor), None)
        found.append(Compared(key, factor, result, said))
    return found


def corrected(found: Sequence[Compared], findings: Findings) -> list[Compared]:
    """The comparisons with their p after the correction for all questions of the report."""
    every = [*findings.shown, *findings.open, *findings.silent]
    adjusted = {one.key: one.p_adjusted for one in every if one.kind == "share"}
    return [replace(c, p_adjusted=adjusted.get(c.address), family=findings.n) for c in found]


def comparison_section(one: Compared, *, draw: bool, game: str, told: Sequence[str] = ()) -> Section:
    """One comparison: the verdict in words, the shares, what limits it unless it has been told before."""
    from intent.comparison.tables import comparison_rows
    from intent.report.document import Grid, Listing, Section, Words, grid

    comparison = one.result.comparison
    blocks: list[Block] = [Words(verdict(one))]
    header, rows = _shares_first(*comparison_rows(comparison))
    caption = f"Estimated shares in per cent by {in_words(one.factor)}, with {comparison.level:.0%} intervals"
    table: Grid = grid(caption, [in_words(one.factor), *map(_heading, header[1:])], rows)
    if draw and 2 <= len(comparison.groups) <= _MANY:
        blocks.append(_picture(one, table, game))
    else:
        blocks.append(table)
    said = " ".join(one.result.paper_sentences())
    if said and one.differs:
        blocks.append(
            Words(f"For a paper (p not yet corrected for this page's other questions): {said}", "quiet")
        )
    for title, (names, cells) in one.result.tables():
        if cells:
            names, cells = _row_named(names, cells)
            blocks.append(grid(title, names, cells, folded=True))
    if caveats := [caveat for caveat in caveats_of(one) if caveat not in told]:
        blocks.append(Listing(tuple(caveats), "caution"))
    return Section(one.address, f"By {in_words(one.factor)}", tuple(blocks))


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
    if one.said is None or one.p_adjusted is None:
        return f"There is no test by {in_words(one.factor)}."
    head = "Shares differ" if one.differs else "There is no evidence that shares differ"
    many = f", corrected for the {one.family} questions of this page" if one.family > 1 else ""
    draws = one.result.config["permutations"]
    if draws and one.said.p <= 1 / (int(draws) + 1) + 1e-12:
        many += f", the least that {int(draws):,} draws can show"
    digits = "< 0.0001" if one.p_adjusted < 1e-4 else f"= {one.p_adjusted:.2g}"
    test = "likelihood ratio of equal shares" if one.said.test == "likelihood_ratio" else one.said.test
    about = f" {one.said.question}" if one.said.question else ""
    largest = ""
    finding = one.finding
    if one.differs and finding is not None and finding.levels:
        name = " or ".join(finding.outcome)
        largest = f" The widest range is that of {name}, {_points(finding)}."
        if not finding.nearest > 0:
            largest += " Its interval holds zero: which share differs is not shown."
    elif finding is not None and finding.levels:
        largest = f" The widest range, that of {' or '.join(finding.outcome)}, is {_points(finding)}."
    return (
        f"{head} by {in_words(one.factor)}{about}: {test} with {one.said.unit} as units, p {digits}{many}."
        f"{largest}"
    )


def _points(finding: Finding) -> str:
    from intent.comparison.sentences import points

    ends = "" if finding.low != finding.low else f" [{points(finding.low)}, {points(finding.high)}]"
    return f"{points(finding.estimate)} points{ends}"


def caveats_of(one: Compared) -> list[str]:
    """What limits a comparison, in sentences."""
    groups = one.result.comparison.groups
    found = [note[0].upper() + note[1:] + "." * (not note.endswith(".")) for note in _notes(one)]
    n, worth = sum(g.n for g in groups), sum(g.n_effective for g in groups)
    if worth < _THIN * n and not any("independent ones" in line for line in found):
        found.append(
            f"The {n:,} trajectories are worth about {worth:,.0f} independent ones, because those of one "
            "of the "
            f"{one.result.comparison.unit} are alike, and because play does not always tell strategies "
            "apart; "
            "n_eff shows it for each group."
        )
    if one.differs:
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
    from intent.comparison.figures import draw_bars
    from intent.figures.style import look
    from intent.report.document import Picture
    from intent.report.page import inline_svg

    with look():
        figure = draw_bars(one.result.comparison)
    title = f"Strategy shares by {in_words(one.factor)}: {game}"
    caption = (
        f"Estimated shares of strategies by {in_words(one.factor)}, in per cent. Small numbers: "
        f"{one.result.comparison.level:.0%} intervals, {one.result.comparison.unit} taken as the unit; eff.: "
        "independent trajectories worth as much. RANDOM: play that no strategy of the set explains."
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


"""Of a sentence on the design, which names values of any length."""

_PAIRS = 3
"""Pairs of factors that a sentence names."""


def design_blocks(part: Material, varied: Sequence[str], shared: Sequence[str]) -> list[Block]:
    """Which factors cannot be told apart, and which combinations were never played."""
    from intent.comparison.design import confounds_of
    from intent.report.document import Listing

    found = [
        shorten(line.replace(" (see --within)", ""), _LETTERS) for line in confounds_of(part.labels, varied)
    ]
    told = tuple(f"{line[0].upper()}{line[1:]}." for line in found if "agent_name" not in line)
    told += tuple(shared)
    return [Listing(told, "caution")] if told else []


def going_together(part: Material, found: Sequence[Compared]) -> list[str]:
    """Which factors that make a difference do not vary apart, in a clause."""
    from intent.comparison.design import confounds

    factors = [one.factor for one in found if one.differs]
    pairs = [in_words([one.factor, one.other]) for one in confounds(part.labels, factors)]
    if not pairs:
        return []
    more = f" and {len(pairs) - _PAIRS} more pairs" if len(pairs) > _PAIRS else ""
    return [
        f"some factors that make a difference go together in this design, so that one may stand for the "
        f"other: {'; '.join(pairs[:_PAIRS])}{more}"
    ]


def shared_caveats(found: Sequence[Compared]) -> list[str]:
    """Caveats of all comparisons of a game."""
    each = [caveats_of(one) for one in found]
    return [line for line in each[0] if all(line in other for other in each[1:])]


def copied_conditions(material: Material) -> list[str]:
    """Conditions all of whose games are the same, move by move."""
    from intent.estimate.design_units import identical_cells

    if material.log is None or not len(material.log):
        return []
    cells = identical_cells(material.log)
    several = cells[(cells["n_games"] > 1).to_numpy()]
    n = int(several["identical"].sum())
    if not n:
        return []
    return [
        f"In {n:,} of {len(several):,} conditions with several games all games are the same, move by move: "
        "such repeats are hardly independent, and what takes games as independent says too much of them. "
        "Where conditions are the unit, this is allowed for."
    ]
