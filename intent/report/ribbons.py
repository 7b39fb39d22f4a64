"""Ribbons of shares over an ordered column, and beside them each share with its intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from intent.analysis.comparison import Comparison, Group, group_name
from intent.errors import UsageError
from intent.report.panels import check_sizes, named, percent_axis
from intent.report.style import colour, edge, share_label, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_ribbons", "ordered_factor"]

_MARKERS = "osD^vPXd<"
_MOST_ROWS = 12
_MANY = 12
"""Values from which on not every one has a tick."""


def ordered_factor(comparison: Comparison) -> int:
    """Place of the factor that ribbons run over: the last with numbers only, else the last.

    Raises
    ------
    UsageError
        No factor, or one with a single value.
    """
    kinds = [
        all(_is_number(group.values[i]) for group in comparison.groups) for i in range(len(comparison.by))
    ]
    place = max((i for i, numbers in enumerate(kinds) if numbers), default=len(comparison.by) - 1)
    if place < 0 or len({group.values[place] for group in comparison.groups}) < 2:
        raise UsageError("ribbons run over an ordered column, expected --by with a column of several values")
    return place


def draw_ribbons(comparison: Comparison) -> Figure:
    """A row of panels per value of the other factors: shares stacked, and each with its intervals.

    Parameters
    ----------
    comparison : Comparison
        Shares by at least one column.

    Raises
    ------
    UsageError
        As `ordered_factor`, or more than twelve rows.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    place = ordered_factor(comparison)
    rows: dict[tuple[Any, ...], list[Group]] = {}
    for group in comparison.groups:
        rows.setdefault(group.values[:place] + group.values[place + 1 :], []).append(group)
    if len(rows) > _MOST_ROWS:
        raise UsageError(
            f"{len(rows)} groups are too many for a figure of ribbons, expected at most {_MOST_ROWS}"
        )
    check_sizes(2 * len(rows), ())
    levels = _levels(comparison, place)
    used = [
        k
        for k in range(len(comparison.outcomes))
        if any(g.intervals[k].estimate > 0 for g in comparison.groups)
    ]
    figure = Figure(figsize=(10.5, 1.9 + 2.5 * len(rows)), layout="constrained")
    grid = figure.subplots(len(rows), 2, squeeze=False, sharex=True)
    for (values, groups), (left, right) in zip(rows.items(), grid, strict=True):
        groups = sorted(groups, key=lambda group: levels.index(group.values[place]))
        x = _places(levels, [group.values[place] for group in groups])
        _stack(left, comparison, groups, x, used)
        _intervals(right, comparison, groups, x, used)
        heading = wrapped(group_name(values), 30) if values else ""
        n = [group.n for group in groups]
        said = f"n = {min(n):,}" if min(n) == max(n) else f"n = {min(n):,} to {max(n):,}"
        left.set_title(heading, loc="left", fontweight="bold")
        right.set_title(f"{said} at each value", loc="left", fontsize=8.5)
    _ticks(grid, levels, wrapped(comparison.by[place], 40), share_label(comparison))
    handles = [
        Patch(
            facecolor=colour(comparison.outcomes[k]),
            label=wrapped(comparison.outcomes[k].replace("_", " "), 18),
        )
        for k in used
    ]
    figure.legend(
        handles=handles, loc="outside right upper", frameon=False, title="outcome", alignment="left"
    )
    return figure


def _levels(comparison: Comparison, place: int) -> list[Any]:
    """Values in order: numbers by size, others as they come."""
    found = list(dict.fromkeys(group.values[place] for group in comparison.groups))
    return sorted(found) if all(map(_is_number, found)) else found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _places(levels: list[Any], values: list[Any]) -> list[float]:
    """Numbers where they are, other values at equal distances."""
    if all(map(_is_number, levels)):
        return [float(value) for value in values]
    return [float(levels.index(value)) for value in values]


def _stack(axes: Axes, comparison: Comparison, groups: list[Group], x: list[float], used: list[int]) -> None:
    shares = np.array([[group.intervals[k].estimate for k in used] for group in groups])
    tops = np.cumsum(shares, axis=1)
    bottoms = tops - shares
    for i, k in enumerate(used):
        tone = colour(comparison.outcomes[k])
        if len(x) == 1:
            axes.bar(x, shares[:, i], 0.4, bottom=bottoms[:, i], color=tone)
            continue
        axes.fill_between(x, bottoms[:, i], tops[:, i], color=tone, edgecolor="white", linewidth=0.8)
    for place in x:
        axes.axvline(place, color="white", linewidth=0.6, alpha=0.7)
    axes.set_ylim(0, 1)
    percent_axis(axes)


def _intervals(
    axes: Axes, comparison: Comparison, groups: list[Group], x: list[float], used: list[int]
) -> None:
    """A line per outcome that occurs in the row, its intervals beside those of the others."""
    here = [k for k in used if any(group.intervals[k].estimate > 0 for group in groups)]
    step = min(np.diff(sorted(set(x))), default=1.0) * 0.6 / max(1, len(here))
    for s, k in enumerate(here):
        found = [group.intervals[k] for group in groups]
        tone = colour(comparison.outcomes[k])
        places = np.array(x) + step * (s - (len(here) - 1) / 2)
        axes.vlines(
            places, [i.low for i in found], [i.high for i in found], color=tone, linewidth=1.5, alpha=0.75
        )
        axes.plot(
            places, [i.estimate for i in found], "-" + _MARKERS[used.index(k) % len(_MARKERS)], color=tone,
            linewidth=1.5, markersize=5, markeredgecolor=edge(tone), markeredgewidth=0.5,
        )  # fmt: skip
    axes.set_ylim(bottom=0)
    percent_axis(axes)
    axes.grid(axis="y", color="#EEEEEE")
    axes.set_axisbelow(True)


def _ticks(grid: Any, levels: list[Any], name: str, label: str) -> None:
    at = _places(levels, levels)
    step = -(-len(at) // _MANY)
    for left, right in grid:
        left.set_ylabel(label)
        for axes in (left, right):
            axes.set_xticks(at[::step], [wrapped(named(value), 14) for value in levels[::step]])
    for axes in grid[-1]:
        axes.set_xlabel(name)
