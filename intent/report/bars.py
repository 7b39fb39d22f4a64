"""Stacked bars: how the trajectories of each group divide into outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intent.analysis.comparison import Comparison, Group
from intent.report.style import colour, ink, percent_ends, share_label, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_bars"]

_HEIGHT = 0.78
_WIDE = 0.052
_NARROW = 0.028


def draw_bars(comparison: Comparison) -> Figure:
    """One bar per group; in each part its share in per cent and, where there is room, the interval.

    With several factors the bars are set in blocks, one per value of the first factor.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    nested = len(comparison.by) > 1
    names = [
        n
        for k, n in enumerate(comparison.outcomes)
        if any(g.intervals[k].estimate > 0 for g in comparison.groups)
    ]
    places, headings = _places(comparison)
    figure = Figure(figsize=(10.5, 2.1 + 0.56 * (max(places) + 1)), layout="constrained")
    axes = figure.subplots()
    for y, group in zip(places, comparison.groups, strict=True):
        _draw_bar(axes, y, group, comparison.outcomes)
        note = f"n = {group.n:,}\n(≈ {group.n_effective:,.0f} eff.)"
        place = axes.get_yaxis_transform()
        axes.text(1.012, y, note, transform=place, ha="left", va="center", fontsize=8)
    for y, heading in headings:
        axes.text(0, y, wrapped(heading, 90), va="center", ha="left", fontweight="bold", fontsize=10)
    axes.set_yticks(places, [wrapped(_label(comparison, g)) for g in comparison.groups])
    axes.set_ylim(max(places) + 0.6, -0.6)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
    axes.set_xlabel(share_label(comparison))
    if comparison.by:
        axes.set_ylabel(wrapped(" · ".join(comparison.by[1:] if nested else comparison.by), 40))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    handles = [Patch(facecolor=colour(name), label=wrapped(name.replace("_", " "), 18)) for name in names]
    figure.legend(
        handles=handles, loc="outside right upper", frameon=False, title="outcome", alignment="left"
    )
    return figure


def _places(comparison: Comparison) -> tuple[list[float], list[tuple[float, str]]]:
    """Vertical place of each bar, and place and text of the heading of each block."""
    if len(comparison.by) < 2:
        return [float(i) for i in range(len(comparison.groups))], []
    places: list[float] = []
    headings: list[tuple[float, str]] = []
    y, block = -1.0, object()
    for group in comparison.groups:
        if group.values[0] != block:
            block = group.values[0]
            y += 1.0 if not places else 1.25
            headings.append((y, f"{comparison.by[0]}: {block}"))
            y -= 0.2
        y += 1.0
        places.append(y)
    return places, headings


def _label(comparison: Comparison, group: Group) -> str:
    values = group.values[1:] if len(comparison.by) > 1 else group.values
    return " · ".join(map(str, values)) or "all"


def _draw_bar(axes: Axes, y: float, group: Group, outcomes: tuple[str, ...]) -> None:
    left = 0.0
    for name, interval in zip(outcomes, group.intervals, strict=True):
        share = interval.estimate
        face = colour(name)
        axes.barh(y, share, _HEIGHT, left=left, color=face, edgecolor="white", linewidth=0.8)
        middle = left + share / 2
        if share >= _WIDE:
            axes.text(
                middle, y - 0.13, f"{share:.0%}", ha="center", va="center", color=ink(face), fontsize=9.5
            )
            axes.text(
                middle, y + 0.2, percent_ends(interval), ha="center", va="center", color=ink(face), fontsize=7
            )
        elif share >= _NARROW:
            axes.text(middle, y, f"{share * 100:.0f}", ha="center", va="center", color=ink(face), fontsize=8)
        left += share
