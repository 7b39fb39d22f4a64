"""Points with intervals: means of a metric (or shares) by group, a second factor as colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from intent.analysis.bootstrap import Interval
from intent.analysis.comparison import Comparison, group_name
from intent.report.style import colour, edge, palette, share_label, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_points"]

_MARKERS = "osD^vPXd<"


@dataclass(frozen=True)
class _Point:
    row: str
    series: str
    interval: Interval
    n: int


def draw_points(comparison: Comparison) -> Figure:
    """Rows are the values of the first factor; colours are those of the others, or the outcomes."""
    from matplotlib.figure import Figure

    shares = comparison.metric is None
    points = _share_points(comparison) if shares else _mean_points(comparison)
    rows = list(dict.fromkeys(point.row for point in points))
    series = list(dict.fromkeys(point.series for point in points))
    if not shares:
        series = _in_order(comparison, series)
    tones = [colour(name) for name in series] if shares else palette(len(series))
    figure = Figure(figsize=(9.5, 2.3 + len(rows) * max(0.55, 0.24 * len(series))), layout="constrained")
    axes = figure.subplots()
    slot = 0.8 / len(series)
    for point in points:
        s = series.index(point.series)
        y = rows.index(point.row) - 0.4 + slot * (s + 0.5)
        axes.plot([point.interval.low, point.interval.high], [y, y], color=tones[s], linewidth=2.2)
        axes.plot(
            point.interval.estimate,
            y,
            _marker(s),
            color=tones[s],
            markersize=6,
            markeredgecolor=edge(tones[s]),
        )
        if not shares:
            _number(axes, y, point.n)
    for y, row in enumerate(rows):
        if shares:
            _number(axes, y, next(point.n for point in points if point.row == row))
        if y:
            axes.axhline(y - 0.5, color="#DDDDDD", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(rows)), [wrapped(row) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#EEEEEE")
    axes.set_axisbelow(True)
    if shares:
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter(_percent())
    axes.set_xlabel(share_label(comparison) if shares else wrapped(f"mean of {comparison.metric}", 80))
    axes.set_ylabel(wrapped(" · ".join(comparison.by if shares else comparison.by[:1]), 40))
    if len(series) > 1:
        _legend(figure, series, tones, "outcome" if shares else " · ".join(comparison.by[1:]), shares)
    return figure


def _share_points(comparison: Comparison) -> list[_Point]:
    points = [
        _Point(group_name(group.values), name, interval, group.n)
        for group in comparison.groups
        for name, interval in zip(comparison.outcomes, group.intervals, strict=True)
    ]
    occurring = {point.series for point in points if point.interval.estimate > 0}
    return [point for point in points if point.series in occurring]


def _mean_points(comparison: Comparison) -> list[_Point]:
    return [
        _Point(group_name(g.values[:1]), group_name(g.values[1:]), g.intervals[0], g.n)
        for g in comparison.groups
    ]


def _in_order(comparison: Comparison, names: list[str]) -> list[str]:
    """Series in the order of the values of their factors, whichever rows have them."""
    values = {group_name(group.values[1:]): group.values[1:] for group in comparison.groups}
    try:
        return sorted(names, key=lambda name: values[name])
    except TypeError:
        return names


def _number(axes: Axes, y: float, n: int) -> None:
    place = axes.get_yaxis_transform()
    axes.text(1.012, y, f"n = {n:,}", transform=place, ha="left", va="center", fontsize=7.5, color="#333333")


def _legend(figure: Figure, series: list[str], tones: list[str], title: str, shares: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=tone,
            marker=_marker(s),
            markeredgecolor=edge(tone),
            linewidth=2.2,
            label=wrapped(name.replace("_", " ") if shares else name, 18),
        )
        for s, (name, tone) in enumerate(zip(series, tones, strict=True))
    ]
    figure.legend(
        handles=handles, loc="outside right upper", frameon=False, title=wrapped(title, 18), alignment="left"
    )


def _marker(s: int) -> str:
    return _MARKERS[s % len(_MARKERS)]


def _percent() -> Any:
    from matplotlib.ticker import PercentFormatter

    return PercentFormatter(1, decimals=0, symbol="")
