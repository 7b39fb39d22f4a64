"""Grids of panels: their levels in order, their headings, one legend.

Bars with intervals in groups: outer groups, bars side by side within them, a panel per condition.

Lines over rounds with bands for their intervals, a panel per condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.sheet import sheet
from intent.figures.style import (
    MARKERS,
    band,
    canvas,
    column_ticks,
    columns_of,
    empty_panel,
    hide,
    key,
    outline,
    palette,
    percent_axis,
    room,
    ruled,
    wrapped,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = [
    "check_sizes",
    "draw_grouped_bars",
    "draw_lines",
    "headings",
    "is_level",
    "legend",
    "levels",
    "named",
    "panels",
]


_MOST_PANELS = 30
_MOST_SERIES = 9


def levels(table: pd.DataFrame, column: str | None) -> list[Any]:
    """The values of a column in order, numbers by size; one None without a column."""
    if column is None:
        return [None]
    values = list(dict.fromkeys(table[column]))
    numbers = all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in values)
    return sorted(values) if numbers else sorted(values, key=str)


def is_level(table: pd.DataFrame, column: str | None, value: Any) -> NDArray[np.bool_]:
    """(n,), rows that have a value; all of them without a column."""
    if column is None:
        return np.ones(len(table), dtype=bool)
    return np.asarray(table[column] == value, dtype=bool)


def named(value: Any) -> str:
    """A level in words: numbers without needless digits, truth values as yes and no."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, int | float | np.number) else str(value)


def check_sizes(n_panels: int, series: Sequence[Any]) -> None:
    """Refuse what no reader could tell apart.

    Raises
    ------
    UsageError
        More than 30 panels or nine lines in each.
    """
    if n_panels > _MOST_PANELS:
        raise UsageError(
            f"{n_panels} panels are too many for a figure, expected at most {_MOST_PANELS} (--where)"
        )
    if len(series) > _MOST_SERIES:
        raise UsageError(
            f"{len(series)} lines in a panel are too many, expected at most {_MOST_SERIES} (--where, --by)"
        )


def panels(
    rows: int, columns: int, *, across: float, down: float, least: float = 6.5, **share: Any
) -> tuple[Figure, Any]:
    """A figure with (rows, columns) axes, each about `across` x `down` inches."""
    return canvas(
        max(least, 1.9 + across * columns), 1.7 + down * rows, rows, columns, squeeze=False, **share
    )


def legend(figure: Figure, series: Sequence[Any], title: str | None, *, lines: bool) -> None:
    """`key` of the series of all panels; none for a single unnamed one."""
    if series == [None]:
        return
    names = [wrapped(named(value), 20) for value in series]
    heading = wrapped(title, 20) if title else None
    how: dict[str, Any] = {"linewidth": 2} if lines else {}
    key(figure, names, palette(len(series)), heading, **how)


def headings(axes: Any, rows: Sequence[Any], columns: Sequence[Any], width: int = 24) -> None:
    """Names of the columns above the first row, of the rows at the left of the first column."""
    for ax, value in zip(axes[0], columns, strict=True):
        if value is not None:
            ax.set_title(wrapped(named(value), width), loc="left", fontweight="bold")
    for ax, value in zip(axes[:, 0], rows, strict=True):
        if value is not None:
            ax.set_ylabel(f"{wrapped(named(value), width)}\n{ax.get_ylabel()}".rstrip("\n"))


_GAP = 0.55
"""Room between outer groups, in groups of bars."""

_LEAST = 1.5
"""Groups that a panel has room for, at the least."""


def draw_grouped_bars(
    table: pd.DataFrame,
    *,
    rows: str | None,
    inner: str | None,
    outer: str | None,
    bars: str | None,
    label: str,
    limits: tuple[float, float],
    title: str | None = None,
    percent: bool = False,
) -> Figure:
    """A bar per value of `bars` over each of `inner` within each of `outer`; a panel per value of `rows`.

    Parameters
    ----------
    table : DataFrame
        Columns estimate, low, high, and those named.
    rows, inner, outer, bars : str or None
    label : str, of the vertical axis
    limits : (low, high) of the vertical axis
    title : str, of the legend
    percent : bool
        Whether shares are shown in per cent.

    Raises
    ------
    UsageError
        Too many panels or bars side by side.
    """
    down, series = levels(table, rows), levels(table, bars)
    check_sizes(len(down), series)
    groups = [(o, i) for o in levels(table, outer) for i in levels(table, inner)]
    outers = levels(table, outer)
    places = {(o, i): g + _GAP * outers.index(o) for g, (o, i) in enumerate(groups)}
    across = min(15.0, max(5.6, len(groups) * (0.24 + 0.17 * len(series)) + 0.4 * len(outers)))
    figure, axes = panels(len(down), 1, across=across, down=2.0, least=7.5, sharex=True, sharey=True)
    for ax, row in zip(axes[:, 0], down, strict=True):
        part = table[is_level(table, rows, row)]
        for s, (value, tone) in enumerate(zip(series, palette(len(series)), strict=True)):
            offset = (s - (len(series) - 1) / 2) * 0.82 / len(series)
            _draw_series(
                ax, part[is_level(part, bars, value)], (outer, inner), places, offset, tone, len(series)
            )
        _dress(ax, limits, percent)
        ax.set_ylabel(label)
    last = axes[-1, 0]
    if sheet().printed:
        across = room() - 1.0
    letters = int(10.5 * across / (max(*places.values(), _LEAST) + 1.2))
    labels, turned, depth = column_ticks([_inner(i) for _, i in groups], max(4, letters))
    last.set_xticks(list(places.values()), labels, **turned)
    middle, half = max(places.values()) / 2, max(max(places.values()) / 2, _LEAST / 2)
    last.set_xlim(middle - half - 0.6, middle + half + 0.6)
    if outer is not None:
        for value in outers:
            middle = float(np.mean([x for (o, _), x in places.items() if o == value]))
            last.annotate(
                wrapped(named(value), 16),
                (middle, 0),
                (0, -6 - 72 * depth),
                xycoords=last.get_xaxis_transform(),
                textcoords="offset points",
                ha="center",
                va="top",
                fontweight="bold",
                annotation_clip=False,
            )
    headings(axes, down, [None])
    legend(figure, series, title, lines=False)
    return figure


def _draw_series(
    ax: Axes,
    part: pd.DataFrame,
    names: tuple[str | None, str | None],
    places: dict[tuple[Any, Any], float],
    offset: float,
    tone: str,
    n: int,
) -> None:
    outer, inner = names
    for (o, i), x in places.items():
        rows = part[is_level(part, outer, o) & is_level(part, inner, i)]
        if not len(rows):
            continue
        estimate, low, high = (float(rows[name].iloc[0]) for name in ("estimate", "low", "high"))
        width = 0.82 / n
        ax.bar(x + offset, estimate, width, color=tone, edgecolor=outline(tone), linewidth=0.6)
        if estimate == 0:
            ax.plot([x + offset - width * 0.4, x + offset + width * 0.4], [0, 0], color=tone, linewidth=2)
        if np.isfinite(low):
            ax.plot([x + offset] * 2, [low, high], color="#333333", linewidth=1.1)


def _dress(ax: Axes, limits: tuple[float, float], percent: bool) -> None:
    ax.set_ylim(*limits)
    if limits[0] < 0:
        ax.axhline(0, color="#888888", linewidth=0.8)
    if percent:
        percent_axis(ax.yaxis)
    ruled(ax)
    ax.tick_params(axis="x", length=0)


def _inner(value: Any) -> str:
    return "" if value is None else named(value)


_WIDE = 4
_MOST = 5
"""Panels up to which one row holds them all, and panels in a row where there are more."""
_LEAST_ACROSS = 1.25
"""Inches that a panel needs on a narrow sheet."""
_APART = 0.16
"""Rounds between the intervals of two lines, so that they stand side by side."""
_MANY = 25
"""Rounds from which on markers would run into one another."""


def draw_lines(
    table: pd.DataFrame,
    *,
    columns: str | None,
    lines: str | None,
    rows: str | None = None,
    order: Sequence[Any] | None = None,
    label: str,
    limits: tuple[float, float],
    title: str | None = None,
    percent: bool = False,
    turn: str = "round",
) -> Figure:
    """A line per value of `lines` in each panel, the means by round; bands are intervals.

    Parameters
    ----------
    table : DataFrame
        Columns round, estimate, low, high, and those named below.
    columns, rows : str or None
        What makes the panels from left to right, and from top to bottom; without rows, panels wrap.
    lines : str or None
    order : sequence, optional
        Values of `columns` in order; default as `levels`.
    label : str, of the vertical axis
    limits : (low, high) of the vertical axis
    title : str, of the legend
    percent : bool
        Whether shares are shown in per cent.
    turn : str
        What the horizontal axis counts.

    Raises
    ------
    UsageError
        Too many panels or lines.
    """
    across = levels(table, columns) if order is None else list(order)
    down, series = levels(table, rows), levels(table, lines)
    check_sizes(len(across) * len(down), series)
    places = [(row, column) for row in down for column in across]
    beside = columns_of(len(across), _LEAST_ACROSS)
    crossed = rows is not None and beside == len(across)
    wide = beside if crossed or len(across) <= _MOST else min(beside, _WIDE)
    high = -(-len(places) // wide)
    size = {"across": 3.3 if wide < 4 else 2.5, "down": 2.6}
    figure, axes = panels(high, wide, **size, least=7.5, sharex=True, sharey=True)
    for i, ax in enumerate(axes.flat):
        if i >= len(places):
            hide(ax)
            continue
        row, column = places[i]
        part = table[is_level(table, rows, row) & is_level(table, columns, column)]
        _draw_panel(ax, part, lines, series)
        _play_lines_dress(ax, limits, percent)
        if not crossed:
            heading = " · ".join(named(value) for value in (row, column) if value is not None)
            ax.set_title(wrapped(heading, 26), loc="left", fontweight="bold")
        if i % wide == 0:
            ax.set_ylabel(label)
        if i + wide >= len(places):
            ax.set_xlabel(turn)
            ax.tick_params(labelbottom=True)
    if crossed:
        headings(axes, down, across)
    legend(figure, series, title, lines=True)
    return figure


def _draw_panel(ax: Axes, part: pd.DataFrame, lines: str | None, series: list[Any]) -> None:
    for s, (value, tone) in enumerate(zip(series, palette(len(series)), strict=True)):
        line = part[is_level(part, lines, value)].sort_values("round")
        if not len(line):
            continue
        few = line["round"].max() < _MANY
        at = line["round"].to_numpy(dtype=float)
        if few:
            at = at + _APART * (s - (len(series) - 1) / 2)
            ax.vlines(at, line["low"], line["high"], color=tone, linewidth=0.9)
        else:
            band(ax, at, line["low"], line["high"], tone)
        marker = MARKERS[s % len(MARKERS)] if few else ""
        ax.plot(
            at,
            line["estimate"],
            f"-{marker}",
            color=tone,
            linewidth=1.7,
            markersize=4.5,
            markeredgecolor="white",
            markeredgewidth=0.5,
        )
    if not len(part):
        empty_panel(ax)


def _play_lines_dress(ax: Axes, limits: tuple[float, float], percent: bool) -> None:
    from matplotlib.ticker import MaxNLocator

    margin = 0.04 * (limits[1] - limits[0])
    ax.set_ylim(limits[0] - margin, limits[1] + margin)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    if percent:
        percent_axis(ax.yaxis)
    ruled(ax)
    if limits[0] < 0 < limits[1]:
        ax.set_yticks(np.linspace(*limits, 5))
        ax.axhline(0, color="#888888", linewidth=0.9, zorder=0)
