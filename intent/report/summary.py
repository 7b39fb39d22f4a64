"""The summary of a report, two printed pages: the main finding, what is played, further findings, limits.

Its figures: in one report one colour is one thing. Strategies alone have colours. Groups are told apart by
their names and by filled and open marks, in ink; they have no order that a line could follow, so none joins
them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from intent.base.errors import shorten
from intent.base.wording import in_words
from intent.comparison.sentences import finding_sentence, points, remarks
from intent.figures.style import canvas, colour, has_colour, ink, margin_note, name_rows, pt, ruled, wrapped
from intent.recognise.coin import coin_column
from intent.report.material import varying
from intent.report.page import (
    Block,
    Brief,
    Claim,
    Claims,
    Columns,
    Lead,
    Listing,
    Section,
    Words,
    grid,
    phrase,
    picture,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from intent.comparison.findings import Cell, Finding, Findings
    from intent.report.material import Compared, Material, Played

__all__ = ["Bar", "draw_finding", "draw_played", "figure_words", "first_sheet", "second_sheet", "studied"]

_WIDTH = 3.5
_INK, _SOFT = "#1A1A1A", "#767676"
_ROW = 0.27
_ENDS = 4
"""Rows at either end that are drawn where a figure has not room for all."""

Bar = tuple[str, Sequence[tuple[str, float]], str]
"""Name of a row, shares of strategies in their order, and what stands in place of them."""


def draw_finding(finding: Finding, *, most: int | None = None) -> Figure:
    """A mark for each level with its interval and its number; of an interaction two for each level.

    Parameters
    ----------
    finding : Finding
    most : int, optional
        Rows; beyond, those at either end.
    """
    if finding.kind == "interaction":
        return _drawn_pairs(finding, most)
    cells = sorted(finding.cells, key=lambda cell: -cell.estimate)
    if most is not None and len(cells) > most:
        cells = [*cells[:_ENDS], *cells[-_ENDS:]]
    tone = _tone(finding)
    figure, axes = canvas(_WIDTH, 0.68 + _ROW * len(cells))
    for y, cell in enumerate(cells):
        _mark(axes, y, cell, tone if cell.values[0] in finding.levels else _SOFT, filled=True)
        margin_note(axes, y, _number(cell), fontsize=pt(8.5), color=_INK)
    name_rows(axes, [wrapped(cell.values[0], 16, most=2) for cell in cells])
    _scale(axes, cells)
    axes.set_xlabel(_axis(finding))
    return figure


def _drawn_pairs(finding: Finding, most: int | None) -> Figure:
    """Two rows for each level of the first factor: the two levels of the second, filled and open."""
    from matplotlib.lines import Line2D

    effects = list(finding.effects)
    if most is not None and 2 * len(effects) > most:
        effects = [*effects[: _ENDS // 2], *effects[-_ENDS // 2 :]]
    cells: list[Cell] = []
    figure, axes = canvas(_WIDTH, 0.95 + 0.38 * len(effects))
    for y, effect in enumerate(effects):
        for shift, level in zip((-0.17, 0.17), finding.levels, strict=True):
            own = [c for c in finding.cells if c.values == (effect.level, level)]
            for cell in own:
                _mark(axes, y + shift, cell, _INK, filled=level == finding.levels[0])
            cells += own
        ends = f" [{points(effect.low)}, {points(effect.high)}]" if effect.low == effect.low else ""
        margin_note(axes, y, f"{points(effect.estimate)}{ends}", fontsize=pt(8.5), color=_INK)
    margin_note(axes, -0.78, phrase("finding.points"), fontsize=pt(8.5), color=_SOFT)
    name_rows(axes, [wrapped(effect.level, 16, most=2) for effect in effects], above=0.62)
    _scale(axes, cells)
    axes.set_xlabel(_axis(finding))
    name = f"{wrapped(in_words(finding.factors[1]), 24, most=1)}:"
    marks = [Line2D([], [], linewidth=0, label=name)]
    for face, level in zip((_INK, "white"), finding.levels, strict=True):
        label = wrapped(level, 14, most=1)
        marks.append(
            Line2D(
                [], [], marker="o", color=_INK, markerfacecolor=face, linewidth=0, markersize=6, label=label
            )
        )
    figure.legend(
        handles=marks, loc="outside upper left", ncols=3, frameon=False, fontsize=pt(8.5), handletextpad=0.2,
        columnspacing=0.9, handlelength=1, borderpad=0,
    )  # fmt: skip
    return figure


def draw_played(bars: Sequence[Bar]) -> Figure:
    """A bar for each row, whose parts are shares of strategies, with their numbers."""
    from matplotlib.patches import Patch

    every = dict.fromkeys(name for _, shares, _ in bars for name, _ in shares)
    names = sorted(every, key=lambda name: (name == "RANDOM", name))
    figure, axes = canvas(6.4, 0.85 + 0.36 * len(bars))
    for y, (_, shares, instead) in enumerate(bars):
        left = 0.0
        for name, share in shares:
            face = _face(name)
            axes.barh(y, share, 0.74, left=left, color=face, edgecolor="white", linewidth=0.8)
            if share >= 0.045:
                middle, text = left + share / 2, f"{100 * share:.0f}"
                axes.text(middle, y, text, ha="center", va="center", color=ink(face), fontsize=pt(9))
            left += share
        if instead:
            axes.text(0.008, y, wrapped(instead, 74, most=1), va="center", fontsize=pt(8.5), color=_INK)
    name_rows(axes, [wrapped(name, 24, most=2) for name, _, _ in bars])
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
    axes.set_xlabel(phrase("summary.axis"))
    axes.spines["left"].set_visible(False)
    if names:
        label = {"RANDOM": phrase("summary.random")}
        patches = [Patch(facecolor=_face(n), label=wrapped(label.get(n, n), 30, most=1)) for n in names]
        figure.legend(
            handles=patches, loc="outside upper left", ncols=5, frameon=False, fontsize=pt(9), borderpad=0,
            handlelength=1, handleheight=1, handletextpad=0.4, columnspacing=1.2,
        )  # fmt: skip
    return figure


def _face(name: str) -> str:
    """The colour of a strategy, of several that play does not tell apart a grey."""
    return "#C9C9C9" if " or " in name else colour(name)


def figure_words(finding: Finding, level: float = 0.95, *, most: int | None = None) -> str:
    """The caption."""
    what = phrase(f"finding.shows_{finding.kind}", names=" or ".join(finding.outcome))
    factors = [in_words(name) for name in finding.factors]
    bars = phrase("finding.intervals", level=level) if _known(finding) else ""
    if finding.kind == "interaction":
        text = phrase("finding.caption_of_two", what=what, factor=factors[1], other=factors[0], bars=bars)
        cut = most is not None and 2 * len(finding.effects) > most
    else:
        text = phrase("finding.caption", what=what, factor=factors[0], bars=bars)
        cut = most is not None and len(finding.cells) > most
    return text + (phrase("finding.ends") if cut else "")


def _known(finding: Finding) -> bool:
    return any(not math.isnan(cell.low) for cell in finding.cells)


def _tone(finding: Finding) -> str:
    """Ink; of a share the colour of its strategy, where it has one that shows on white."""
    if finding.kind == "share" and len(finding.outcome) == 1 and has_colour(finding.outcome[0]):
        tone = colour(finding.outcome[0])
        return tone if ink(tone) == "white" else _INK
    return _INK


def _mark(axes: Axes, y: float, cell: Cell, tone: str, *, filled: bool) -> None:
    if not math.isnan(cell.low):
        axes.plot([100 * cell.low, 100 * cell.high], [y, y], color=tone, linewidth=1.8, solid_capstyle="butt")
    face = tone if filled else "white"
    axes.plot(
        100 * cell.estimate, y, "o", color=tone, markerfacecolor=face, markersize=6.5, markeredgewidth=1.4
    )


def _number(cell: Cell) -> str:
    ends = "" if math.isnan(cell.low) else f" [{100 * cell.low:.0f}, {100 * cell.high:.0f}]"
    return f"{100 * cell.estimate:.0f}{ends}"


def _scale(axes: Any, cells: Sequence[Cell]) -> None:
    top = max([100 * c.estimate for c in cells] + [100 * c.high for c in cells if not math.isnan(c.high)])
    end = min(100.0, 10 * math.ceil(top / 10) or 10)
    axes.set_xlim(-0.025 * end, 1.025 * end)
    ruled(axes, "x")


def _axis(finding: Finding) -> str:
    if finding.kind == "share":
        return wrapped(phrase("finding.axis_share", names=" or ".join(finding.outcome)), 50)
    return phrase("finding.axis_cooperation")


_ROWS = 8
"""Rows of a figure."""

_GAMES = 6
"""Games that are drawn; of one game, groups."""

_VALUES, _NAME, _LETTERS = 6, 30, 420
"""Values of a factor that are named; letters of a value, and of a sentence."""

_MOST, _HEIGHT = 6, 21.5
"""Further findings, and centimetres that they and the texts of their sheet have on paper."""

_LIMITS, _LIMIT = 6, 330
"""Limits that are named, and letters of each."""


def studied(material: Material, games: Sequence[str]) -> str:
    """Games, rows, factors and rounds in one paragraph."""
    rounds = material.labels["n_rounds"]
    low, high = rounds.min(), rounds.max()
    factors = []
    for factor in varying(material.labels, seats=False):
        if factor in ("game", "cooperative_action"):
            continue
        values = [shorten(str(v), _NAME) for v in material.labels[factor].dropna().unique()]
        more = phrase("short.more_values", n=len(values) - _VALUES) if len(values) > _VALUES else ""
        factors.append(f"{in_words(factor)} ({', '.join(values[:_VALUES])}{more})")
    names = [shorten(name.replace("_", " "), _NAME) for name in games if name]
    more = phrase("short.more_values", n=len(names) - _VALUES) if len(names) > _VALUES else ""
    return phrase(
        "short.player_rows" if material.per_player else "short.material",
        counted=material.counted,
        length=low if rounds.nunique() == 1 else phrase("short.length", low=low, high=high),
        games=", ".join(names[:_VALUES]) + more or phrase("short.one_game"),
    ) + phrase("short.varied" if factors else "short.not_varied", factors="; ".join(factors))


def first_sheet(
    material: Material,
    findings: Findings,
    games: Sequence[tuple[str, Material, Played]],
    comparisons: Sequence[Compared],
    *,
    level: float,
) -> tuple[Section, ...]:
    """The main finding with its figure and what it rests on, and what is played.

    Parameters
    ----------
    material : Material
    findings : Findings
    games : (name, part, what most of its play is) of each
    comparisons : of shares
    level : float in (0, 1)
    """
    if findings.shown:
        lead = _main(findings.shown[0], findings, material, level=level, several=len(games) > 1)
    else:
        questions = (*findings.open, *findings.silent)
        units = [_independent(one, material.rows_in_words) for one in questions[:1]]
        lead = Lead(_no_difference(findings, games), (*units, _labels_tell()))
    about_it = Words(studied(material, [part.game or "" for _, part, _ in games]))
    return (
        Section(
            "summary", phrase("summary.title" if findings.shown else "summary.no_finding"), (lead, about_it)
        ),
        _played(material, games, comparisons, with_finding=bool(findings.shown)),
    )


def _no_difference(findings: Findings, games: Sequence[tuple[str, Material, Played]]) -> str:
    """What most play is, and that no difference between groups is shown."""
    text = phrase("claims.none", n=findings.n) if findings.n else phrase("claims.nothing_varies")
    return " ".join((*([games[0][2].sentence] if len(games) == 1 else []), text))


def _main(one: Finding, findings: Findings, material: Material, *, level: float, several: bool) -> Lead:
    text = shorten(finding_sentence(one, game=several), _LETTERS)
    rows = (
        material.rows_in_words
        if not one.game or one.kind == "share"
        else phrase("summary.moves_of", game=shorten(one.game, _NAME))
    )
    caption = figure_words(one, level, most=_ROWS)
    drawn = picture(
        lambda: draw_finding(one, most=_ROWS),
        phrase("summary.main_figure", caption=caption),
        text,
        caption,
        None,
    )
    many = phrase("summary.choice", n=one.n_compared) if one.n_compared > 1 else ""
    points = [
        _independent(one, rows),
        (
            phrase("summary.sure_head"),
            phrase(
                "summary.sure", level=level, many=many, p=_p(one), alone=_p(one, alone=True), n=findings.n
            ),
        ),
        _labels_tell(),
    ]
    if note := remarks(one, findings.shown):
        points.insert(0, (phrase("summary.but_head"), note))
    return Lead(text, tuple(points), drawn)


def _independent(one: Finding, rows: str) -> tuple[str, str]:
    text = phrase("summary.independent", counted=one.counted, unit=one.unit, rows=rows)
    return phrase("summary.independent_head"), text


def _labels_tell() -> tuple[str, str]:
    return phrase("summary.not_told_head"), phrase("summary.not_told")


def _played(
    material: Material,
    games: Sequence[tuple[str, Material, Played]],
    comparisons: Sequence[Compared],
    *,
    with_finding: bool,
) -> Section:
    """Estimated shares as bars: of each game, or of one game of the groups of its first factor too."""
    bars: list[Bar] = [(name, *_parts(what)) for name, _, what in games[:_GAMES]]
    factor = ""
    if len(games) == 1 and comparisons and games[0][2].named and not _together(games[0][2]):
        groups = comparisons[0].result.comparison.groups
        if 2 <= len(groups) <= _GAMES:
            factor = in_words(comparisons[0].factor)
            outcomes = comparisons[0].result.comparison.outcomes
            bars[0] = (phrase("summary.all_of_it"), *bars[0][1:])
            for group in groups:
                shares = [(n, i.estimate) for n, i in zip(outcomes, group.intervals, strict=True)]
                bars.append((" · ".join(map(str, group.values)), _ordered(shares), ""))
    sentences = [_sentence(name, what, several=len(games) > 1) for name, _, what in games[:_GAMES]]
    text = " ".join(shorten(sentence, _LETTERS) for sentence in sentences)
    caption = phrase("summary.played_caption", by=phrase("summary.by", factor=factor) if factor else "")
    blocks: list[Block] = []
    if any(shares for _, shares, _ in bars):
        blocks.append(
            picture(lambda: draw_played(bars), phrase("summary.played_figure"), text, caption, None)
        )
    if (with_finding and len(games) == 1) or not blocks:
        blocks.insert(0, Words(text))
    blocks.append(_certainty(material, games))
    if len(games) > _GAMES:
        blocks.append(Words(phrase("short.more_games", n=len(games) - _GAMES), "quiet"))
    return Section("summary-played", phrase("report.play"), tuple(blocks))


def _together(what: Played) -> bool:
    """Whether play does not tell some strategies apart, so that groups cannot be drawn by them either."""
    return any(len(names) > 1 for names, *_ in what.shares)


def _sentence(name: str, what: Played, *, several: bool) -> str:
    if not several:
        return what.sentence
    clause = f"{what.sentence[0].lower()}{what.sentence[1:]}"
    return phrase("report.in_game", game=name, sentence=clause)


def _parts(what: Played) -> tuple[list[tuple[str, float]], str]:
    """Shares of strategies, those that play does not tell apart together; or why there are none."""
    if not what.shares:
        return [], what.sentence
    return _ordered([(" or ".join(names), share) for names, share, _, _ in what.shares]), ""


def _ordered(shares: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """By name, so that bars can be compared; what no strategy explains last."""
    return sorted(((n, s) for n, s in shares if s > 0), key=lambda one: (one[0] == "RANDOM", one[0]))


def _certainty(material: Material, games: Sequence[tuple[str, Material, Played]]) -> Block:
    """How many labels are sure, game by game, beside what fair coins would get."""
    rows: list[tuple[object, ...]] = []
    for name, part, what in games[:_GAMES]:
        labels, n = part.labels, len(part.labels)
        shares = ((labels["status"] == status).mean() for status in ("confident", "ambiguous", "no_fit"))
        explained = "–" if what.explained is None else _explained(what)
        rows.append((shorten(name, _NAME), f"{n:,}", *(f"{100 * share:.0f}" for share in shares), explained))
    coin = material.coin
    if coin is not None and coin_column(coin):
        tossed = (f"{100 * float(str(coin[s])):.0f}" for s in ("confident", "ambiguous", "no_fit"))
        rows.append((phrase("identified.coins"), "–", *tossed, "–"))
    return grid(
        phrase("summary.told", rows=material.rows_in_words), phrase.lines("summary.told_header"), rows
    )


def _explained(what: Played) -> str:
    one = what.explained
    if one is None or math.isnan(one.explained.estimate):
        return "–"
    return one.share_in_words()


def second_sheet(
    findings: Findings,
    limits: Sequence[str],
    *,
    level: float,
    several: bool,
    appendix: bool,
) -> tuple[Section, ...]:
    """Further findings that have room, what limits them, how to read them.

    Parameters
    ----------
    findings : Findings
    limits : sequence of str, the gravest first
    level : float in (0, 1)
    several : bool
        Whether there are several games.
    appendix : bool
        Whether the others stand in one.
    """
    from intent.comparison.sentences import open_sentence, silent_sentence

    every = list(_claims(findings, level=level, several=several))
    lines = [t for t in (open_sentence(findings), silent_sentence(findings, several_games=several)) if t]
    how = tuple(Brief(*line.split(": ", 1)) for line in phrase.lines("short.how"))
    cut = tuple(shorten(limit, _LIMIT) for limit in limits[:_LIMITS])
    texts = [*(shorten(line, 2 * _LETTERS) for line in lines), *cut, *(brief.text for brief in how)]
    room = _HEIGHT - sum(0.45 * -(-len(text) // 108) + 0.1 for text in texts)
    columns = _columns(every, room)
    claims = [claim for column in columns for claim, _ in column]
    rest = len(findings.shown) - 1 - len(claims)
    if rest > 0:
        lines.insert(0, phrase("summary.rest" if appendix else "summary.rest_elsewhere", n=rest))
    sections: list[Section] = []
    if claims or lines:
        blocks: list[Block] = []
        if claims:
            blocks.append(Words(phrase("summary.marks", level=level, n=findings.n), "quiet"))
            left, right = (tuple(claim for claim, _ in column) for column in columns)
            blocks.append(Columns((Claims(left, 2),), (Claims(right, 2 + len(left)),) if right else ()))
        if lines:
            blocks.append(Words(" ".join(shorten(line, 2 * _LETTERS) for line in lines)))
        title = phrase("summary.further" if claims else "summary.no_further")
        sections.append(Section("summary-further", title, tuple(blocks)))
    if cut:
        sections.append(Section("summary-limits", phrase("short.limits"), (Listing(cut),)))
    return (*sections, Section("summary-reading", phrase("short.reading"), how))


def _columns(
    every: Sequence[tuple[Claim, float]], room: float
) -> tuple[Sequence[tuple[Claim, float]], Sequence[tuple[Claim, float]]]:
    """As many of the claims as fit into two columns of so many centimetres, in order and evenly."""
    for n in range(len(every), 0, -1):
        heights = [height for _, height in every[:n]]
        ends = [max(sum(heights[:left]), sum(heights[left:])) for left in range(1, n + 1)]
        if min(ends) <= room:
            left = 1 + ends.index(min(ends))
            return every[:left], every[left:n]
    return (), ()


def _p(one: Finding, *, alone: bool = False) -> str:
    """A p-value behind the letter: ``< .001`` or ``= .012``; corrected, or of its question alone."""
    p = one.p if alone else one.p_adjusted
    return "< .001" if p < 0.001 else f"= {p:.3f}".replace("0.", ".", 1)


def _claims(findings: Findings, *, level: float, several: bool) -> Iterator[tuple[Claim, float]]:
    """Findings after the first as claims, each with the centimetres that it takes on paper."""
    for k, one in enumerate(findings.shown[1 : _MOST + 1], 1):
        text = shorten(finding_sentence(one, game=several), _LETTERS)
        choice = phrase("summary.among", n=one.n_compared) if one.n_compared > 1 else ""
        evidence = phrase(
            "summary.evidence", p=_p(one), alone=_p(one, alone=True), counted=one.counted, choice=choice
        )
        evidence = f"{evidence} {remarks(one, findings.shown[:k])}".strip()
        pairs = one.kind == "interaction"
        rows = min(len(one.effects), _ROWS // 2) if pairs else min(len(one.cells), _ROWS)
        drawn = 0.95 + 0.38 * rows if pairs else 0.68 + 0.27 * rows
        height = 0.43 * -(-len(text) // 46) + 0.4 * -(-len(evidence) // 60) + 2.31 * drawn + 0.6
        caption = figure_words(one, level, most=_ROWS)
        name = phrase("summary.figure", number=k + 1, caption=caption)

        def draw(one: Finding = one) -> Any:
            return draw_finding(one, most=_ROWS)

        drawn_claim = picture(draw, name, f"{text} {caption}", "", None)
        yield Claim(text, evidence, (), drawn_claim), height
