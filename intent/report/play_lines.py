"""Lines over rounds with bands for their intervals, a panel per condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.report.panels import (
    MARKERS,
    check_sizes,
    headings,
    hide,
    is_level,
    legend,
    levels,
    named,
    panels,
    percent_axis,
    say_no_play,
)
from intent.report.style import palette, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_lines"]

_WIDE = 4
_MOST = 5
"""Panels up to which one row holds them all, and panels in a row where there are more."""
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
    wide = len(across) if rows is not None or len(across) <= _MOST else _WIDE
    high = len(down) if rows is not None else -(-len(across) // wide)
    size = {"across": 3.3 if wide < 4 else 2.5, "down": 2.6}
    figure, axes = panels(high, wide, **size, least=7.5, sharex=True, sharey=True)
    for i, ax in enumerate(axes.flat):
        row, column = (
            (down[i // wide], across[i % wide]) if rows else (None, across[i] if i < len(across) else None)
        )
        if rows is None and i >= len(across):
            hide(ax)
            continue
        part = table[is_level(table, rows, row) & is_level(table, columns, column)]
        _draw_panel(ax, part, lines, series)
        _dress(ax, limits, percent)
        if rows is None and column is not None:
            ax.set_title(wrapped(named(column), 26), loc="left", fontweight="bold")
        if i % wide == 0:
            ax.set_ylabel(label)
        if i + wide >= (len(across) if rows is None else len(across) * len(down)):
            ax.set_xlabel(turn)
            ax.tick_params(labelbottom=True)
    if rows is not None:
        headings(axes, down, across)
    legend(figure, series, title, lines=True)
    return figure


def _draw_panel(ax: Axes, part: pd.DataFrame, lines: str | None, series: list[Any]) -> None:
    for s, (value, tone) in enumerate(zip(series, palette(len(series)), strict=True)):
        line = part[is_level(part, lines, value)].sort_values("round")
        if not len(line):
            continue
        few = line["round"].max() < _MANY
        ax.fill_between(line["round"], line["low"], line["high"], color=tone, alpha=0.13, linewidth=0)
        marker = MARKERS[s % len(MARKERS)] if few else ""
        ax.plot(
            line["round"],
            line["estimate"],
            f"-{marker}",
            color=tone,
            linewidth=1.7,
            markersize=4.5,
            markeredgecolor="white",
            markeredgewidth=0.5,
        )
    if not len(part):
        say_no_play(ax)


def _dress(ax: Axes, limits: tuple[float, float], percent: bool) -> None:
    from matplotlib.ticker import MaxNLocator

    margin = 0.04 * (limits[1] - limits[0])
    ax.set_ylim(limits[0] - margin, limits[1] + margin)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    if percent:
        percent_axis(ax)
    ax.grid(axis="y", color="#EEEEEE")
    ax.set_axisbelow(True)
    if limits[0] < 0 < limits[1]:
        ax.set_yticks(np.linspace(*limits, 5))
        ax.axhline(0, color="#BBBBBB", linewidth=0.9, zorder=0)
