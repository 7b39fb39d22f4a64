"""Figures of findings, and of what is played: in one report one colour is one thing.

Strategies alone have colours. Groups are told apart by their names and by filled and open marks, in ink; they
have no order that a line could follow, so none joins them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from intent.base.wording import in_words
from intent.comparison.sentences import points
from intent.figures.style import canvas, colour, has_colour, ink, margin_note, name_rows, pt, ruled, wrapped
from intent.report.page import phrase

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from intent.comparison.findings import Cell, Finding

__all__ = ["Bar", "draw_finding", "draw_played", "figure_words"]

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
