"""Points with intervals: means of a metric (or shares) by group, a second factor as colour.

Ribbons of shares over an ordered column, and beside them each share with its intervals.

Lines over the threshold: what is kept, how sure it is, how diverse the labels are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.base.errors import UsageError
from intent.base.statistics.groups import group_name
from intent.base.statistics.intervals import Interval
from intent.comparison.share_tests import Comparison, Group, share_label
from intent.comparison.thresholds import Point, Sweep
from intent.figures.panels import check_sizes, named, percent_axis
from intent.figures.style import caption, colour, edge, look, palette, save, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = ["draw_points", "draw_ribbons", "draw_sweep", "ordered_factor", "write_sweep_figure"]


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


_MOST_GROUPS = 9
_USUAL = 0.9
"""The threshold of the literature, marked by a line."""


def write_sweep_figure(
    sweep: Sweep,
    path: str | Path,
    *,
    remarks: Sequence[str] = (),
    description: str = "",
    overwrite: bool = False,
) -> Path:
    """Draw a sweep and write it as .png, .svg or .pdf.

    Raises
    ------
    UsageError
        More than nine groups.
    OutputError
        The path cannot be written or has another suffix.
    """
    if len(sweep.groups) > _MOST_GROUPS:
        raise UsageError(
            f"{len(sweep.groups)} groups are too many for a figure, expected at most {_MOST_GROUPS}"
        )
    title = f"Labels by threshold{' and ' + ' and '.join(sweep.by) if sweep.by else ''}"
    with look():
        figure = draw_sweep(sweep)
        caption(figure, title, [*_explained(sweep), *remarks])
        return save(figure, path, title=title, description=description, overwrite=overwrite)


def draw_sweep(sweep: Sweep) -> Figure:
    """Three panels over tau; groups in colours, full lines the recogniser alone, broken ones with rules."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    figure = Figure(figsize=(12.5, 4.9), layout="constrained")
    panels: Any = figure.subplots(1, 3, sharex=True)
    unit = "games" if sweep.gate == "game" else "trajectories"
    names = (f"{unit} kept (%)", "mean confidence of the kept (%)", "diversity of their labels")
    fields = ("retention", "mean_confidence", "diversity")
    tones = palette(len(sweep.groups))
    for axes, name, field in zip(panels, names, fields, strict=True):
        if sweep.taus[0] <= _USUAL <= sweep.taus[-1]:
            axes.axvline(_USUAL, color="#BBBBBB", linewidth=0.9, zorder=0)
        for tone, group in zip(tones, sweep.groups, strict=True):
            for way, dashes in enumerate(("-", "--")):
                values = [_value(both[way], field) for both in group.points]
                axes.plot(
                    sweep.taus,
                    values,
                    dashes,
                    color=tone,
                    linewidth=1.8,
                    marker="o" if way == 0 else "s",
                    markersize=3.5,
                    markerfacecolor=tone if way == 0 else "white",
                )
        axes.set_title(name, loc="left")
        axes.set_xlabel("threshold of the label's probability")
        axes.grid(axis="y", color="#EEEEEE")
        axes.set_axisbelow(True)
    for axes in panels[:2]:
        axes.yaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10]))
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=""))
    panels[0].set_ylim(0, 1.02)
    panels[2].set_ylim(0, 1.02)
    handles = [
        Line2D([], [], color="#444444", marker="o", markersize=3.5, label="recogniser"),
        Line2D(
            [],
            [],
            color="#444444",
            linestyle="--",
            marker="s",
            markersize=3.5,
            markerfacecolor="white",
            label="hybrid",
        ),
    ]
    if len(sweep.groups) > 1:
        handles.append(Line2D([], [], color="none", label=wrapped(" · ".join(sweep.by), 18)))
        handles += [
            Line2D([], [], color=tone, linewidth=4, label=wrapped(group_name(group.values), 18))
            for tone, group in zip(tones, sweep.groups, strict=True)
        ]
    figure.legend(handles=handles, loc="outside right upper", frameon=False)
    return figure


def _value(point: Point, field: str) -> float:
    found: float = getattr(point, field)
    return found


def _explained(sweep: Sweep) -> list[str]:
    n = sum(group.n for group in sweep.groups)
    rules = (
        "all labels of the rules that it satisfies"
        if sweep.rules == "expand"
        else "the first rule of ALLD, ALLC, TFT, WSLS that it satisfies"
    )
    counted = ""
    if sweep.rules == "expand":
        counted = " in equal shares" if sweep.split else ", each counted fully"
    kept = (
        "A game is kept where all of its labelled seats get a label."
        if sweep.gate == "game"
        else "A trajectory is kept where it gets a label."
    )
    return [
        f"{n:,} trajectories. {kept} Recogniser: a label where its highest "
        "probability reaches the threshold (ties in equal shares). "
        f"Hybrid: below the threshold, a trajectory gets {rules}{counted}.",
        "Confidence: the recogniser's highest probability. Diversity: Shannon's entropy of the labels over "
        f"its maximum, ln {len(sweep.classes)}; 1 where all {len(sweep.classes)} strategies are as frequent. "
        "A label that is confident need not fit: no test of fit is applied here.",
    ]
