"""Grids of panels: their levels in order, their headings, one legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.errors import UsageError
from intent.report.style import palette, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "MARKERS",
    "check_sizes",
    "headings",
    "hide",
    "is_level",
    "legend",
    "levels",
    "named",
    "panels",
    "percent_axis",
    "say_no_play",
]

MARKERS = "osD^vPXd<"

_MOST_PANELS = 30
_MOST_SERIES = 9


def levels(table: pd.DataFrame, column: str | None) -> list[Any]:
    """The values of a column in order, numbers by size; one None without a column."""
    if column is None:
        return [None]
    found = list(dict.fromkeys(table[column]))
    numbers = all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in found)
    return sorted(found) if numbers else sorted(found, key=str)


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
    from matplotlib.figure import Figure

    size = (max(least, 1.9 + across * columns), 1.7 + down * rows)
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **share)


def legend(figure: Figure, series: Sequence[Any], title: str | None, *, lines: bool) -> None:
    """One legend for all panels, at the upper right; none for a single unnamed series."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if series == [None]:
        return
    handles: list[Any] = []
    for s, (value, tone) in enumerate(zip(series, palette(len(series)), strict=True)):
        text = wrapped(named(value), 20)
        marker = MARKERS[s % len(MARKERS)]
        handles.append(
            Line2D([], [], color=tone, marker=marker, markeredgecolor="white", linewidth=2, label=text)
            if lines
            else Patch(facecolor=tone, label=text)
        )
    heading = wrapped(title, 20) if title else None
    figure.legend(handles=handles, loc="outside right upper", frameon=False, title=heading, alignment="left")


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


def say_no_play(ax: Axes) -> None:
    """Words in a panel that has nothing to show."""
    ax.text(0.5, 0.5, "no play", transform=ax.transAxes, ha="center", va="center", color="#777777")


def percent_axis(ax: Axes) -> None:
    """Shares on the vertical axis as per cent, whose sign is in the label."""
    from matplotlib.ticker import PercentFormatter

    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=""))
