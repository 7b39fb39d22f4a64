"""The small figure of a finding: points with intervals, or lines that cross."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from intent.analysis.findings import Finding
from intent.report.style import palette, wrapped
from intent.report.wording import in_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_finding", "figure_words"]

_WIDTH = 4.4
_GREY = "#8A8A8A"
_NAMED, _OTHER = "#0072B2", "#D55E00"
_MARKERS = "osD^vPXd<"


def draw_finding(finding: Finding) -> Figure:
    """Of a rate or share a point per level, the two that are named in colour; of an interaction lines."""
    return _lines(finding) if finding.kind == "interaction" else _points(finding)


def figure_words(finding: Finding, level: float = 0.95) -> str:
    """The caption."""
    if finding.kind == "share":
        what = f"Estimated share of {' or '.join(finding.outcome)} in per cent of trajectories"
    else:
        what = "Cooperation in per cent of moves"
    if finding.kind == "interaction":
        return f"{what}, by {in_words(finding.factors[1])} and {in_words(finding.factors[0])}."
    bars = f"; lines: {level:.0%} intervals of each alone" if _known(finding) else ""
    return f"{what}, by {in_words(finding.factors[0])}{bars}."


def _known(finding: Finding) -> bool:
    return any(not math.isnan(cell.low) for cell in finding.cells)


def _points(finding: Finding) -> Figure:
    from matplotlib.figure import Figure

    cells = sorted(finding.cells, key=lambda cell: -cell.estimate)
    figure = Figure(figsize=(_WIDTH, 0.75 + 0.3 * len(cells)), layout="constrained")
    axes = figure.subplots()
    for y, cell in enumerate(cells):
        tone = {finding.levels[0]: _NAMED, finding.levels[1]: _OTHER}.get(cell.values[0], _GREY)
        if not math.isnan(cell.low):
            axes.plot([100 * cell.low, 100 * cell.high], [y, y], color=tone, linewidth=2.2)
        axes.plot(100 * cell.estimate, y, "o", color=tone, markersize=6)
    axes.set_yticks(range(len(cells)), [wrapped(cell.values[0], 20, most=2) for cell in cells])
    axes.set_ylim(len(cells) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    _scale(axes, "x", cells)
    axes.set_xlabel(_axis(finding))
    return figure


def _lines(finding: Finding) -> Figure:
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
    axes.set_ylabel("cooperation (%)")
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
        return wrapped(f"share of {' or '.join(finding.outcome)} (%)", 50)
    return "cooperation (%)"
