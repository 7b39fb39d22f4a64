"""What figures are put together from: canvas, scales, legends, cells with numbers, notes in the margin.

Grids of panels: their levels in order, their headings, one legend.

Bars with intervals in groups: outer groups, bars side by side within them, a panel per condition.

Lines over rounds with bands for their intervals, a panel per condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.figures.style import column_ticks, ink_over, palette, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


__all__ = [
    "MARKERS",
    "canvas",
    "check_sizes",
    "colour_bar",
    "draw_grouped_bars",
    "draw_lines",
    "empty_panel",
    "headings",
    "hide",
    "is_level",
    "key",
    "legend",
    "levels",
    "margin_note",
    "name_rows",
    "named",
    "panels",
    "percent_axis",
    "ruled",
    "text_map",
]


MARKERS = "osD^vPXd<"


def canvas(width: float, height: float, rows: int = 1, columns: int = 1, **share: Any) -> tuple[Figure, Any]:
    """A figure of so many inches, and its axes, as `Figure.subplots` gives them."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, **share)


def ruled(axes: Axes, which: Literal["x", "y", "both"] = "y") -> None:
    """Faint lines at the ticks of an axis, behind all that is drawn."""
    axes.grid(axis=which, color="#EEEEEE")
    axes.set_axisbelow(True)


def percent_axis(axis: Axis) -> None:
    """Shares on an axis as per cent, whose sign is in the label."""
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=""))


def name_rows(axes: Axes, names: Sequence[str], *, above: float = 0.5) -> None:
    """A name for each row, from the top down, without tick marks."""
    axes.set_yticks(range(len(names)), list(names))
    axes.set_ylim(len(names) - 0.5, -above)
    axes.tick_params(axis="y", length=0)


def margin_note(axes: Axes, y: float, text: str, x: float = 1.012, **how: Any) -> None:
    """A small note at the right of a row, beyond the axes."""
    axes.text(x, y, text, transform=axes.get_yaxis_transform(), ha="left", va="center", **how)


def text_map(
    axes: Axes,
    values: NDArray[np.float64],
    texts: Sequence[Sequence[str]],
    *,
    sizes: tuple[float, float] = (9, 7),
    places: tuple[float, float] = (0.13, 0.24),
    empty: str = "black",
    **image: Any,
) -> Any:
    """A map whose cells hold a number and below it, behind a line break, small type.

    Parameters
    ----------
    axes : Axes
    values : (rows, columns), NaN where there is nothing
    texts : (rows, columns)
    sizes : of the number and of what stands below it, in points
    places : how far above and below the middle of the cell these stand
    empty : colour of the text of a cell without a value
    **image : of `Axes.imshow`, such as vmin and vmax
    """
    drawn = axes.imshow(values, **{"cmap": "YlGnBu", "aspect": "auto", **image})
    axes.set_xticks(np.arange(values.shape[1] + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(values.shape[0] + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    for (i, j), value in np.ndenumerate(values):
        number, _, below = texts[i][j].partition("\n")
        tone = empty if np.isnan(value) else ink_over(drawn, value)
        how: dict[str, Any] = {"ha": "center", "va": "center", "color": tone}
        if number:
            axes.text(j, i - (places[0] if below else 0), number, fontsize=sizes[0], **how)
        if below:
            how |= {"linespacing": 1.1} if "\n" in below else {}
            axes.text(j, i + places[1], below, fontsize=sizes[1], **how)
    return drawn


def colour_bar(
    figure: Figure, image: Any, axes: Any, label: str = "", *, percent: bool = False, **how: Any
) -> Any:
    """What the colours of a map mean."""
    from matplotlib.ticker import PercentFormatter

    form = {"format": PercentFormatter(1, decimals=0, symbol="")} if percent else {}
    bar = figure.colorbar(image, ax=axes, **{"pad": 0.02, **form, **how})
    bar.set_label(label)
    bar.outline.set_visible(False)
    return bar


def key(
    figure: Figure,
    names: Sequence[str],
    tones: Sequence[str],
    title: str | None = None,
    *,
    edges: Sequence[str] = (),
    **line: Any,
) -> None:
    """One legend at the upper right: patches, or with `line` lines, each with a marker of its own.

    Parameters
    ----------
    figure : Figure
    names, tones : one each, in order
    title : str, optional
    edges : of the markers; white unless said
    **line : of `Line2D`
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    for s, (name, tone) in enumerate(zip(names, tones, strict=True)):
        outline = edges[s] if edges else "white"
        drawn = {"color": tone, "marker": MARKERS[s % len(MARKERS)], "markeredgecolor": outline, **line}
        handles.append(Line2D([], [], label=name, **drawn) if line else Patch(facecolor=tone, label=name))
    figure.legend(handles=handles, loc="outside right upper", frameon=False, title=title, alignment="left")


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


def hide(ax: Axes) -> None:
    """Leave a place of the grid empty."""
    ax.set_axis_off()


def empty_panel(ax: Axes, why: str = "no play") -> None:
    """Words in a panel that has nothing to show."""
    ax.text(0.5, 0.5, why, transform=ax.transAxes, ha="center", va="center", color="#777777")


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
        rows = part[is_level(part, outer, o) & is_level(part, inner, i)]
        if not len(rows):
            continue
        estimate, low, high = (float(rows[name].iloc[0]) for name in ("estimate", "low", "high"))
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
        percent_axis(ax.yaxis)
    ruled(ax)
    ax.tick_params(axis="x", length=0)


def _inner(value: Any) -> str:
    return "" if value is None else named(value)


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
        _play_lines_dress(ax, limits, percent)
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
        ax.axhline(0, color="#BBBBBB", linewidth=0.9, zorder=0)
