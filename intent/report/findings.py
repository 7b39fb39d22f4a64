"""Key findings: what is compared and asked; what differs, ranked, each with evidence, figure and section.

Shares are compared by the factors that vary, each comparison with the caveats that limit it; a finding's
small figure has points with intervals, or lines that cross.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from intent.base.errors import shorten
from intent.base.statistics.intervals import Interval
from intent.base.wording import as_sentence, digits_of_p, in_words
from intent.comparison.findings import Cell, Finding
from intent.comparison.groups import percent
from intent.comparison.sentences import points
from intent.figures.style import palette, wrapped
from intent.report.page import Block, Claim, Claims, Listing, Picture, Section, Words, grid, phrase, picture

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from intent.comparison.compare import CompareResult
    from intent.comparison.findings import Findings
    from intent.comparison.sentences import Headline
    from intent.report.material import Material


__all__ = [
    "DRAWN",
    "Compared",
    "Played",
    "caveats_of",
    "coin_gate",
    "compared",
    "comparison_section",
    "cooperation_section",
    "copied_conditions",
    "corrected",
    "design_blocks",
    "draw_finding",
    "figure_words",
    "findings_claims",
    "going_together",
    "played",
    "questions_of",
    "shared_caveats",
    "verdict",
    "with_games",
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

_PAIRS = 3
"""Pairs of factors that a sentence names."""

_CROSSED = 6
"""Factors whose interactions are looked at."""

DRAWN = 10
"""Findings that have a figure."""

_ALIKE = 0.98
"""Share of moves that are the same from which on play cannot tell strategies apart."""

_BACKGROUND = "RANDOM"
_NAMED = 0.05


@dataclass(frozen=True, eq=False)
class Compared:
    """Estimated shares compared by one factor.

    Parameters
    ----------
    key : str
        Of the part that it belongs to.
    factor : str
    result : CompareResult
    headline : Headline, or None
        What the comparison says, and by which test.
    p_adjusted : float, or None
        After Holm's correction over all questions of the report.
    family : int
        How many these are.
    """

    key: str
    factor: str
    result: CompareResult
    headline: Headline | None
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
        slug = re.sub(r"[^a-z0-9]+", "-", self.factor.lower()).strip("-")[:40]
        return f"{self.key}-by-{slug or 'x'}"

    @property
    def finding(self) -> Finding | None:
        """The question that it asks, with the widest range of a share as its answer; None without a test."""
        if self.headline is None:
            return None
        comparison, furthest = self.result.comparison, self.result.extras.furthest
        effect = next((t.effect for t in comparison.tests if t.p == self.headline.p), 0.0)
        nan = float("nan")
        names: tuple[str, ...] = ()
        levels: tuple[Any, ...] = ()
        ends, cells, ranges = (effect, nan, nan), [], 1
        if furthest is not None:
            names, ranges = furthest.names, furthest.n_ranges
            (high, top), (low, bottom) = furthest.highest, furthest.lowest
            levels = (high[0], low[0])
            ends = (top - bottom, furthest.low, furthest.high)
            places = [comparison.outcomes.index(name) for name in names]
            for group in comparison.groups:
                own = [group.intervals[k] for k in places]
                bounds = (own[0].low, own[0].high) if len(own) == 1 else (nan, nan)
                cells.append(Cell(group.values, sum(one.estimate for one in own), *bounds, group.n))
            if furthest.high - furthest.low < _FLAT:
                ends = (ends[0], *_difference_of(cells, high, low))
        units = self.result.units
        return Finding(
            "share",
            (self.factor,),
            levels,
            *ends,
            p=self.headline.p,
            unit=self.headline.unit,
            question=self.headline.question,
            counted=self.headline.unit if units is None else units.unit.counted(),
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

    comparisons = []
    for k, factor in enumerate(factors):
        more: dict[str, Any] = {} if part.log is None else {"log": part.log}
        if sensitivity and k == 0 and part.play is not None:
            more["sensitivity"] = True
        try:
            result = compare(part.labels, [factor], **settings, **more)
        except IntentError:
            continue
        headline = next((one for one in result.headline() if one.factor == factor), None)
        comparisons.append(Compared(key, factor, result, headline))
    return comparisons


def corrected(comparisons: Sequence[Compared], findings: Findings) -> list[Compared]:
    """The comparisons with their p after the correction for all questions of the report."""
    every = [*findings.shown, *findings.open, *findings.silent]
    adjusted = {one.key: one.p_adjusted for one in every if one.kind == "share"}
    return [replace(c, p_adjusted=adjusted.get(c.address), family=findings.n) for c in comparisons]


def comparison_section(one: Compared, *, draw: bool, game: str, before: Sequence[str] = ()) -> Section:
    """One comparison: the verdict in words, the shares, and caveats but for those that stood `before`."""
    from intent.comparison.figures import draw_bars
    from intent.comparison.groups import comparison_rows

    comparison, factor = one.result.comparison, in_words(one.factor)
    level = comparison.level
    blocks: list[Block] = [Words(verdict(one))]
    header, rows = comparison_rows(comparison)
    # the shares of bad moves stand behind those of strategies, which a narrow screen then shows first
    order = sorted(range(len(header)), key=lambda k: header[k] in _OF_MOVES)
    names, rows = [_heading(header[k]) for k in order], [[row[k] for k in order] for row in rows]
    shares = grid(phrase("comparison.shares", factor=factor, level=level), [factor, *names[1:]], rows)
    if draw and 2 <= len(comparison.groups) <= _MANY:
        caption = phrase("comparison.figure", factor=factor, level=level, unit=comparison.unit)
        title = phrase("comparison.figure_title", factor=factor, game=game)
        description = phrase("comparison.figure_described", verdict=verdict(one))
        folded = replace(shares, folded=True)
        blocks.append(picture(lambda: draw_bars(comparison), title, description, caption, folded))
    else:
        blocks.append(shares)
    paper = " ".join(one.result.paper_sentences())
    if paper and one.differs:
        blocks.append(Words(phrase("comparison.paper", sentences=paper), "quiet"))
    for title, (columns, cells) in one.result.tables():
        if cells:
            blocks.append(grid(title, *_row_named(columns, cells), folded=True))
    if caveats := [caveat for caveat in caveats_of(one) if caveat not in before]:
        blocks.append(Listing(tuple(caveats), "caution"))
    return Section(one.address, phrase("comparison.title", factor=factor), tuple(blocks))


def _heading(name: object) -> str:
    """An outcome as a sentence has it; all other headings as they are."""
    return {"no_fit": "no fit", "low_confidence": "low confidence"}.get(str(name), str(name))


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
    factor, headline, finding = in_words(one.factor), one.headline, one.finding
    if headline is None or one.p_adjusted is None:
        return phrase("verdict.no_test", factor=factor)
    draws = one.result.config["permutations"]
    least = draws and headline.p <= 1 / (int(draws) + 1) + 1e-12
    ratio = headline.test == "likelihood_ratio"
    largest = ""
    if finding is not None and finding.levels:
        which = "widest" if one.differs else "widest_of_none"
        largest = phrase(f"verdict.{which}", names=" or ".join(finding.outcome), range=_range(finding))
        if one.differs and not finding.nearest > 0:
            largest += phrase("verdict.widest_holds_zero")
    return phrase(
        "verdict.sentence",
        head=phrase("verdict.differ" if one.differs else "verdict.no_evidence"),
        factor=factor,
        question=f" {headline.question}" if headline.question else "",
        test=phrase("verdict.likelihood_ratio") if ratio else headline.test,
        unit=headline.unit,
        p="< 0.0001" if one.p_adjusted < 1e-4 else f"= {one.p_adjusted:.2g}",
        family=phrase("verdict.corrected", n=one.family) if one.family > 1 else "",
        least=phrase("verdict.least", draws=int(draws)) if least else "",
        largest=largest,
    )


def _range(finding: Finding) -> str:
    ends = "" if finding.low != finding.low else f" [{points(finding.low)}, {points(finding.high)}]"
    return f"{points(finding.estimate)} points{ends}"


def caveats_of(one: Compared) -> list[str]:
    """What limits a comparison, in sentences."""
    comparison = one.result.comparison
    # without hints at options of another command
    plain = (_ROWS.sub(r"\1 trajectories are", _HINT.sub("", str(note))) for note in one.result.notes)
    caveats = [as_sentence(shorten(line, _LETTERS)) for line in plain]
    caveats = list(dict.fromkeys(caveats))
    n, worth = sum(g.n for g in comparison.groups), sum(g.n_effective for g in comparison.groups)
    if worth < _THIN * n and not any("independent ones" in line for line in caveats):
        caveats.append(phrase("caveat.worth", n=n, worth=worth, unit=comparison.unit))
    if one.differs:
        caveats.append(phrase("caveat.difference", factor=in_words(one.factor)))
    return caveats


def shared_caveats(comparisons: Sequence[Compared]) -> list[str]:
    """Caveats of all comparisons of a game."""
    each = [caveats_of(one) for one in comparisons]
    return [line for line in each[0] if all(line in other for other in each[1:])]


def design_blocks(part: Material, varied: Sequence[str], shared: Sequence[str]) -> list[Block]:
    """Which factors cannot be told apart, and which combinations were never played."""
    from intent.comparison.design import confounds_of

    lines = (
        shorten(line.replace(" (see --within)", ""), _LETTERS) for line in confounds_of(part.labels, varied)
    )
    sentences = (*(as_sentence(line) for line in lines if "agent_name" not in line), *shared)
    return [Listing(sentences, "caution")] if sentences else []


def going_together(part: Material, comparisons: Sequence[Compared]) -> list[str]:
    """Which factors that make a difference do not vary apart."""
    from intent.comparison.design import confounds

    factors = [one.factor for one in comparisons if one.differs]
    pairs = [in_words([one.factor, one.other]) for one in confounds(part.labels, factors)]
    if not pairs:
        return []
    more = phrase("data.more_pairs", n=len(pairs) - _PAIRS) if len(pairs) > _PAIRS else ""
    return [phrase("data.going_together", pairs="; ".join(pairs[:_PAIRS]), more=more)]


def copied_conditions(material: Material) -> list[str]:
    """Conditions all of whose games are the same, move by move."""
    from intent.estimate.design_units import identical_cells

    if material.log is None or not len(material.log):
        return []
    cells = identical_cells(material.log)
    several = cells[(cells["n_games"] > 1).to_numpy()]
    n = int(several["identical"].sum())
    return [phrase("data.copies", n=n, several=len(several))] if n else []


@dataclass(frozen=True)
class Played:
    """What most of the play is.

    Parameters
    ----------
    sentence : str
    named : bool
        Whether the play tells a strategy from the others, so that one is named.
    shares : tuple of (names, share, low, high)
        Estimated, strategies that the play does not tell apart together.
    """

    sentence: str
    named: bool
    shares: tuple[tuple[tuple[str, ...], float, float, float], ...] = ()


def questions_of(
    part: Material,
    factors: Sequence[str],
    comparisons: Sequence[Compared],
    key: str,
    *,
    level: float,
    seed: int,
) -> list[Finding]:
    """Every question on one game: cooperation by each factor and pair of factors, shares by those compared.

    Parameters
    ----------
    part : Material
    factors : columns that vary
    comparisons : of shares of this game
    key : section of the game
    level : float in (0, 1)
    seed : int
    """
    from intent.base.errors import UsageError
    from intent.comparison.findings import interaction_of_rates, range_of_rates
    from intent.estimate.design_units import design_units

    game, moves = part.game or "", part.moves
    questions = [replace(c.finding, game=game) for c in comparisons if c.finding is not None]
    if moves is None:
        return questions

    def add(finding: Finding | None) -> None:
        if finding is not None:
            questions.append(replace(finding, game=game, key=f"{key}-cooperation"))

    grouped = []
    for factor in factors:
        try:
            unit = design_units(part.labels, [factor], classes=part.classes).unit
            one = range_of_rates(moves, factor, unit, level=level, seed=seed)
        except UsageError:
            continue
        grouped.append(factor)
        add(one)
    for pair in combinations([factor for factor in grouped if factor != "seat"][:_CROSSED], 2):
        unit = design_units(part.labels, pair, classes=part.classes).unit
        add(interaction_of_rates(moves, pair, unit, level=level, seed=seed))
    return questions


def findings_claims(
    findings: Findings,
    parts: Mapping[str, Material],
    *,
    level: float,
    most: int | None = None,
    strips: Mapping[tuple[str, str], str] | None = None,
) -> list[Block]:
    """The ranked findings with figures and links, and what is open or not shown.

    Parameters
    ----------
    findings : Findings
    parts : name of a game -> its part
    level : float in (0, 1)
    most : int, optional
        Findings that are shown; the others are counted.
    strips : mapping of (game, game_id) -> address, optional
        Games that the page shows.
    """
    from intent.comparison.sentences import open_sentence, silent_sentence

    if not findings.n:
        return [Words(phrase("claims.nothing_varies"))]
    several = len(parts) > 1
    shown = findings.shown if most is None else findings.shown[:most]
    blocks: list[Block] = []
    if shown:
        claims = (
            _claim(one, findings, k, level=level, several=several, strips=strips)
            for k, one in enumerate(shown)
        )
        blocks.append(Claims(tuple(claims)))
    else:
        blocks.append(Words(phrase("claims.none", n=findings.n)))
    if len(findings.shown) > len(shown):
        blocks.append(Words(phrase("claims.further", n=len(findings.shown) - len(shown))))
    for text in (open_sentence(findings), silent_sentence(findings, several_games=several)):
        blocks += [Words(text)] if text else []
    return blocks


def _claim(
    one: Finding,
    findings: Findings,
    place: int,
    *,
    level: float,
    several: bool,
    strips: Mapping[tuple[str, str], str] | None,
) -> Claim:
    from intent.comparison.sentences import about, finding_sentence, remarks

    text = finding_sentence(one, game=several)
    evidence = f"{about(one, findings.n, level=level)} {remarks(one, findings.shown[:place])}".strip()
    links = []
    if strips is not None:
        links = [(one.key, phrase("claims.comparison_link"))] if one.key else []
        for game in one.games:
            if address := strips.get((one.game, game)):
                links.append((address, phrase("claims.game_link", game=game)))
    return Claim(text, evidence, tuple(links), _figure(one, text, level, place) if place < DRAWN else None)


def _figure(one: Finding, text: str, level: float, place: int) -> Picture:
    caption = figure_words(one, level)
    number = place + 1
    header = (*map(in_words, one.factors), phrase(f"finding.column_{one.kind}"), "n")
    rows = [(*map(str, c.values), _percent(c), c.n) for c in one.cells]
    numbers = grid(
        phrase("finding.numbers", number=number), header, rows, heads=len(one.factors), folded=True
    )
    name = phrase("finding.name", number=number, caption=caption)
    return picture(lambda: draw_finding(one), name, text, caption, numbers)


def _percent(cell: Cell) -> str:
    return percent(Interval(cell.estimate, cell.low, cell.high))


def cooperation_section(
    part: Material, key: str, questions: Iterable[Finding], *, level: float
) -> Section | None:
    """How often each level cooperates, and what every question on cooperation says; None without moves."""
    own = [one for one in questions if one.kind != "share" and one.game == (part.game or "")]
    if not own:
        return None
    cells = [
        (f"{in_words(one.factors[0])} {cell.values[0]}", cell.n, _percent(cell))
        for one in own
        if one.kind == "rate"
        for cell in one.cells
    ]
    tests = []
    for one in own:
        ends = "–" if one.low != one.low else f"{points(one.low)} to {points(one.high)}"
        name, levels = in_words(one.factors[0]), " against ".join(map(str, one.levels))
        if one.kind == "interaction":
            name = f"{in_words(one.factors[1])} by {name}"
            levels = f"{levels}, {one.effects[0].level} against {one.effects[-1].level}"
        tests.append((name, levels, points(one.estimate), ends, digits_of_p(one.p_adjusted), one.counted))
    header = [name.format(level=level) for name in phrase.lines("cooperation.header")]
    caption = phrase("cooperation.caption", level=level)
    return Section(
        f"{key}-cooperation",
        phrase("cooperation.title"),
        (
            Words(phrase("cooperation.about")),
            grid(caption, phrase.lines("cooperation.groups_header"), cells),
            grid(phrase("cooperation.questions"), header, tests, heads=2, folded=len(tests) > 12),
        ),
    )


def played(part: Material, *, level: float, seed: int) -> Played:
    """What most of the play is, with how much no strategy of the set explains.

    A strategy is named only where the play tells it from the others: not where their shares can be moved from
    one to another, nor where nearly all moves are the same.

    Parameters
    ----------
    part : Material
    level : float in (0, 1)
    seed : int
    """
    from intent.base.errors import IntentError
    from intent.comparison.requests import CompareRequest
    from intent.comparison.shares import estimator, joined_strategies
    from intent.comparison.source import compared
    from intent.estimate.design_units import design_units

    rows = f"{len(part.labels):,} {part.rows_in_words}"
    same = _all_alike(part)
    if same is not None:
        return Played(phrase("played.alike", same=same, rows=rows), False)
    try:
        request = CompareRequest(table=part.labels, log=part.log, level=level, seed=seed)
        source = compared(request, log_needed=part.log is not None)
        units = design_units(part.labels, (), classes=part.classes)
        estimate, _, _ = estimator(request, source, part.labels, (), units)
        (group,) = estimate.comparison().groups
    except IntentError as error:
        return Played(phrase("played.no_estimate", error=error), False)
    (fit,) = estimate.joint.fits
    names = estimate.subjects.names
    shares = []
    for places in joined_strategies(names, [fit.ridge]):
        share = float(fit.shares[list(places)].sum())
        alone = group.intervals[places[0]] if len(places) == 1 else None
        ends = (float("nan"), float("nan")) if alone is None else (alone.low, alone.high)
        shares.append((tuple(names[k] for k in places), share, *ends))
    shares.sort(key=lambda one: -one[1])
    sentence, named = _played_words(shares, rows, known=_BACKGROUND in names)
    return Played(sentence, named, tuple(shares))


def _played_words(
    shares: Sequence[tuple[tuple[str, ...], float, float, float]], rows: str, *, known: bool
) -> tuple[str, bool]:
    first = shares[0]
    if len(first[0]) > 1:
        return phrase("played.not_apart", share=first[1], rows=rows, n=len(first[0])), False
    single = [one for one in shares if one[0] != (_BACKGROUND,) and len(one[0]) == 1]
    largest = [f"{one[0][0]} {_estimate(one)}" for one in single[:2] if one[1] >= _NAMED]
    by_chance = next((one for one in shares if one[0] == (_BACKGROUND,)), None)
    if first[0] == (_BACKGROUND,):
        most = phrase("played.largest_beside_chance", share=largest[0]) if largest else ""
        return phrase("played.by_chance", share=_estimate(first), rows=rows, most=most), bool(largest)
    rest = "" if by_chance is None else phrase("played.rest", share=_estimate(by_chance))
    if not largest:
        return phrase("played.none_large", least=_NAMED, rows=rows, rest=rest), False
    unknown = "" if known else phrase("played.without_random")
    key = "played.largest_two" if len(largest) > 1 else "played.largest"
    return phrase(key, rows=rows, shares=" and ".join(largest), rest=rest, unknown=unknown), True


def _estimate(one: tuple[tuple[str, ...], float, float, float]) -> str:
    ends = "" if one[2] != one[2] else f" [{100 * one[2]:.0f}, {100 * one[3]:.0f}]"
    return f"{100 * one[1]:.0f} %{ends}"


def _all_alike(part: Material) -> str | None:
    """That nearly all known moves are the same, in words."""
    moves = part.moves
    if moves is None or not moves.known.sum():
        return None
    rate = float(moves.cooperated.sum() / moves.known.sum())
    if max(rate, 1 - rate) < _ALIKE:
        return None
    share, what = (rate, "cooperation") if rate > 0.5 else (1 - rate, "defection")
    return phrase("played.all_moves" if share == 1 else "played.most_moves", share=share, what=what)


def coin_gate(material: Material, *, level: float) -> str | None:
    """Why no strategy may be named: labels without RANDOM that fair coins would get as often; else None."""
    from intent.base.statistics.intervals import share_intervals
    from intent.estimate.design_units import design_units
    from intent.estimate.label_weights import outcomes

    coin = material.coin
    if material.provenance.get("background") is not False or not isinstance(coin, Mapping):
        return None
    tossed = coin.get("confident")
    if not isinstance(tossed, int | float):
        return None
    counted = outcomes(material.labels, "status", classes=material.classes)
    sure = counted.weights[:, [k for k, n in enumerate(counted.names) if n in material.classes]].sum(axis=1)
    units = design_units(material.labels, (), classes=material.classes).unit
    interval = share_intervals(sure[:, None], units.codes, level=level)[0]
    if interval.low > tossed:
        return None
    return phrase("played.coin_gate", share=interval.estimate, tossed=tossed)


def with_games(findings: Findings, parts: Mapping[str, Material]) -> Findings:
    """The findings with identifiers of games that show them."""
    shown = tuple(
        replace(one, games=_typical(parts[one.game], one)) if one.game in parts else one
        for one in findings.shown
    )
    return replace(findings, shown=shown)


def _typical(part: Material, one: Finding) -> tuple[str, ...]:
    """One game of each named group, whose player cooperates as often as the group does."""
    import numpy as np

    moves = part.moves
    if moves is None or part.per_player:
        return ()
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = moves.cooperated / moves.known
    labels = part.labels

    def rows(column: str, value: Any) -> NDArray[np.bool_]:
        own = labels[column]
        here = own.isna() if value == "(none)" else own.astype(str) == str(value)
        return np.asarray(here.to_numpy(), dtype=bool)

    if one.kind == "interaction":
        moderator, factor = one.factors
        ends = [one.effects[-1].level, one.effects[0].level]
        groups = [rows(moderator, level) & rows(factor, one.levels[0]) for level in ends]
    else:
        groups = [rows(one.factors[0], level) for level in one.levels]
    if one.kind == "share" and set(one.outcome) <= set(part.classes):
        clear = labels["best"].isin(one.outcome).to_numpy() & (labels["status"] == "confident").to_numpy()
        groups[0] = groups[0] & clear if (groups[0] & clear).any() else groups[0]
    games: list[str] = []
    for group in groups:
        places = np.flatnonzero(group & (moves.known > 0))
        if not len(places):
            continue
        mean = float(moves.cooperated[places].sum() / moves.known[places].sum())
        names = labels["game_id"].to_numpy()[places].astype(str)
        order = np.lexsort((names, np.abs(rate[places] - mean).round(9)))
        games.append(str(names[order[0]]))
    return tuple(dict.fromkeys(games))


_WIDTH = 4.4
_GREY = "#8A8A8A"
_HIGHEST, _LOWEST = "#0072B2", "#D55E00"
_MARKERS = "osD^vPXd<"


def draw_finding(finding: Finding) -> Figure:
    """Of a rate or share a point per level, the two that are named in colour; of an interaction lines."""
    return _drawn_lines(finding) if finding.kind == "interaction" else _drawn_points(finding)


def figure_words(finding: Finding, level: float = 0.95) -> str:
    """The caption."""
    what = phrase(f"finding.shows_{finding.kind}", names=" or ".join(finding.outcome))
    factors = [in_words(name) for name in finding.factors]
    if finding.kind == "interaction":
        return phrase("finding.caption_of_two", what=what, factor=factors[1], other=factors[0])
    bars = phrase("finding.intervals", level=level) if _known(finding) else ""
    return phrase("finding.caption", what=what, factor=factors[0], bars=bars)


def _known(finding: Finding) -> bool:
    return any(not math.isnan(cell.low) for cell in finding.cells)


def _drawn_points(finding: Finding) -> Figure:
    from matplotlib.figure import Figure

    cells = sorted(finding.cells, key=lambda cell: -cell.estimate)
    figure = Figure(figsize=(_WIDTH, 0.75 + 0.3 * len(cells)), layout="constrained")
    axes = figure.subplots()
    for y, cell in enumerate(cells):
        tone = {finding.levels[0]: _HIGHEST, finding.levels[1]: _LOWEST}.get(cell.values[0], _GREY)
        if not math.isnan(cell.low):
            axes.plot([100 * cell.low, 100 * cell.high], [y, y], color=tone, linewidth=2.2)
        axes.plot(100 * cell.estimate, y, "o", color=tone, markersize=6)
    axes.set_yticks(range(len(cells)), [wrapped(cell.values[0], 20, most=2) for cell in cells])
    axes.set_ylim(len(cells) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    _scale(axes, "x", cells)
    axes.set_xlabel(_axis(finding))
    return figure


def _drawn_lines(finding: Finding) -> Figure:
    from matplotlib.figure import Figure

    named = [effect.level for effect in finding.effects]
    order = [*reversed(finding.levels)]
    order = [
        order[0],
        *[v for v in dict.fromkeys(c.values[1] for c in finding.cells) if v not in order],
        order[1],
    ]
    order = order if len(order) <= 2 else [v for v in order if v in finding.levels]
    figure = Figure(figsize=(_WIDTH, 2.3), layout="constrained")
    axes = figure.subplots()
    tones = palette(len(named))
    shown = []
    for k, level in enumerate(named):
        own = {c.values[1]: c for c in finding.cells if c.values[0] == level}
        xs = [x for x, v in enumerate(order) if v in own]
        cells = [own[order[x]] for x in xs]
        shown += cells
        shift = 0.03 * (k - (len(named) - 1) / 2)
        for x, cell in zip(xs, cells, strict=True):
            if not math.isnan(cell.low):
                axes.plot([x + shift] * 2, [100 * cell.low, 100 * cell.high], color=tones[k], linewidth=1.4)
        axes.plot(
            [x + shift for x in xs],
            [100 * c.estimate for c in cells],
            marker=_MARKERS[k % len(_MARKERS)],
            color=tones[k],
            linewidth=2,
            markersize=6,
            label=wrapped(level, 18, most=2),
        )
    axes.set_xticks(range(len(order)), [wrapped(v, 18, most=2) for v in order])
    axes.set_xlim(-0.35, len(order) - 0.65)
    _scale(axes, "y", shown)
    axes.set_xlabel(wrapped(in_words(finding.factors[1]), 40))
    axes.set_ylabel(phrase("finding.axis_cooperation"))
    figure.legend(
        loc="outside right center", frameon=False, title=wrapped(in_words(finding.factors[0]), 18), fontsize=8
    )
    return figure


def _scale(axes, way, cells) -> None:  # type: ignore[no-untyped-def]
    top = max([100 * c.estimate for c in cells] + [100 * c.high for c in cells if not math.isnan(c.high)])
    end = min(100.0, 10 * math.ceil(top / 10) or 10)
    getattr(axes, f"set_{way}lim")(-0.02 * end, 1.02 * end)
    axes.grid(axis=way, color="#EEEEEE")
    axes.set_axisbelow(True)


def _axis(finding: Finding) -> str:
    if finding.kind == "share":
        return wrapped(phrase("finding.axis_share", names=" or ".join(finding.outcome)), 50)
    return phrase("finding.axis_cooperation")
