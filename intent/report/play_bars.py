"""Bars with intervals in groups: outer groups, bars side by side within them, a panel per condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from intent.report.panels import check_sizes, headings, is_level, legend, levels, named, panels, percent_axis
from intent.report.style import column_ticks, palette, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_grouped_bars"]

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
        found = part[is_level(part, outer, o) & is_level(part, inner, i)]
        if not len(found):
            continue
        estimate, low, high = (float(found[name].iloc[0]) for name in ("estimate", "low", "high"))
        width = 0.82 / n
        ax.bar(x + offset, estimate, width, color=tone, edgecolor="white", linewidth=0.6)
        if estimate == 0:
            ax.plot([x + offset - width * 0.4, x + offset + width * 0.4], [0, 0], color=tone, linewidth=2)
        if np.isfinite(low):
            ax.plot([x + offset] * 2, [low, high], color="#333333", linewidth=1.1)


def _dress(ax: Axes, limits: tuple[float, float], percent: bool) -> None:
    ax.set_ylim(*limits)
    if limits[0] < 0:
        ax.axhline(0, color="#888888", linewidth=0.8)
    if percent:
        percent_axis(ax)
    ax.grid(axis="y", color="#EEEEEE")
    ax.set_axisbelow(True)
    ax.tick_params(axis="x", length=0)


def _inner(value: Any) -> str:
    return "" if value is None else named(value)
