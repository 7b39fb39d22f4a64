"""The figure of a comparison: stacked bars, heat maps, points with intervals, ribbons; its title and file."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from intent.base.errors import UnknownNameError, UsageError
from intent.base.statistics import BOOTSTRAP, WILSON, Interval, group_name, interval_words
from intent.comparison.groups import Comparison, Group, sentences, share_label
from intent.figures.panels import check_sizes, named
from intent.figures.style import (
    FAINT,
    MARKERS,
    Drawing,
    canvas,
    colour,
    colour_bar,
    column_ticks,
    columns_of,
    edge,
    ink,
    key,
    margin_note,
    name_rows,
    outline,
    palette,
    percent_axis,
    percent_ends,
    pt,
    room,
    ruled,
    strong,
    text_map,
    wrapped,
)
from intent.strategies.catalogue import CATALOGUE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = ["Kind", "comparison_figure", "draw_bars"]

_HEIGHT = 0.78
_WIDE = 0.052
_NARROW = 0.028
"""Shares from which on a part of a bar of six inches holds number and interval, and the number alone."""


def draw_bars(comparison: Comparison) -> Figure:
    """One bar per group; in each part its share in per cent and, where there is room, the interval.

    With several factors the bars are set in blocks, one per value of the first factor.
    """
    nested = len(comparison.by) > 1
    places, headings = _places(comparison)
    figure, axes = canvas(10.5, 2.1 + 0.56 * (max(places) + 1))
    for y, group in zip(places, comparison.groups, strict=True):
        _draw_bar(axes, y, group, comparison.outcomes)
        margin_note(axes, y, f"n = {group.n:,}\n(≈ {group.n_effective:,.0f} eff.)", fontsize=8)
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
    _outcome_legend(figure, comparison)
    return figure


def _outcome_legend(figure: Figure, comparison: Comparison) -> None:
    names = [comparison.outcomes[k] for k in comparison.occurring]
    key(figure, [wrapped(name.replace("_", " "), 18) for name in names], list(map(colour, names)), "outcome")


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
    crowded = max(1.0, 9.0 / room())
    for name, interval in zip(outcomes, group.intervals, strict=True):
        share = interval.estimate
        face = colour(name)
        axes.barh(y, share, _HEIGHT, left=left, color=face, edgecolor=outline(face), linewidth=0.8)
        middle = left + share / 2
        if share >= _WIDE * crowded:
            axes.text(
                middle, y - 0.13, f"{share:.0%}", ha="center", va="center", color=ink(face), fontsize=pt(9.5)
            )
            axes.text(
                middle,
                y + 0.2,
                percent_ends(interval),
                ha="center",
                va="center",
                color=ink(face),
                fontsize=pt(7),
            )
        elif share >= _NARROW * crowded:
            axes.text(
                middle, y, f"{share * 100:.0f}", ha="center", va="center", color=ink(face), fontsize=pt(8)
            )
        left += share


_COLOURS = "YlGnBu"
_PANELS_PER_ROW = 5
_COLUMNS_PER_ROW = 24
_LETTERS = 8
"""Letters of a label that fit in a column of a panel."""


def draw_heatmap(comparison: Comparison) -> Figure:
    """Each cell holds a share in per cent, and below it the interval."""
    return _panels(comparison) if len(comparison.by) > 1 else _one_map(comparison)


def _one_map(comparison: Comparison) -> Figure:
    groups, names = comparison.groups, comparison.occurring
    shares = np.array([[g.intervals[k].estimate for k in names] for g in groups])
    texts = [[_cell(g.intervals[k]) for k in names] for g in groups]
    ticks, slant, depth = column_ticks([comparison.outcomes[k].replace("_", " ") for k in names], 13)
    figure, axes = canvas(2.9 + 1.15 * len(names), 2.1 + depth + 0.62 * len(groups))
    image = text_map(axes, shares, texts, vmin=0, vmax=float(shares.max()))
    axes.set_xticks(range(len(names)), ticks, **slant)
    labels = [wrapped(" · ".join(map(str, g.values)) or "all") + f"\nn = {g.n:,}" for g in groups]
    axes.set_yticks(range(len(groups)), labels)
    axes.set_xlabel("outcome")
    axes.set_ylabel(" · ".join(comparison.by))
    colour_bar(figure, image, axes, share_label(comparison), percent=True)
    return figure


def _panels(comparison: Comparison) -> Figure:
    rows = list(dict.fromkeys(g.values[0] for g in comparison.groups))
    columns = sorted({g.values[1:] for g in comparison.groups}, key=_order(comparison))
    place = {(g.values[0], g.values[1:]): g for g in comparison.groups}
    names = comparison.occurring
    used = len(names) + 1
    wide, high = _grid(used, len(columns))
    ticks, slant, depth = column_ticks([" · ".join(map(str, c)) for c in columns], _LETTERS)
    high_cell = 0.46 if (room() - 1.2) / wide > 0.3 + 0.5 * len(columns) else 0.64
    across, down = 0.45 + 0.56 * max(3, len(columns)), 0.55 + depth + high_cell * max(2, len(rows))
    size = (1.9 + wide * across, 1.9 + high * down)
    figure, grid = canvas(*size, high, wide, squeeze=False, sharex=True, sharey=True)
    shares = np.full((len(names), len(rows), len(columns)), np.nan)
    numbers = np.zeros((len(rows), len(columns)), dtype=int)
    texts = [[["" for _ in columns] for _ in rows] for _ in names]
    for (first, rest), group in place.items():
        i, j = rows.index(first), columns.index(rest)
        numbers[i, j] = group.n
        for p, k in enumerate(names):
            shares[p, i, j] = group.intervals[k].estimate
            texts[p][i][j] = _cell(group.intervals[k])
    top = float(np.nanmax(shares))
    flat = grid.ravel()
    image = None
    for p, k in enumerate(names):
        image = text_map(flat[p], shares[p], texts[p], sizes=(9, 6), vmin=0, vmax=top)
        flat[p].set_title(comparison.outcomes[k].replace("_", " "), loc="left", fontweight="bold")
    counts = [[f"{n:,}" for n in row] for row in numbers]
    text_map(flat[len(names)], np.full(numbers.shape, np.nan), counts, vmin=0, vmax=1)
    flat[len(names)].set_title(
        f"n, number of {'subjects' if comparison.count == 'sfem' else 'trajectories'}", loc="left"
    )
    for p, axes in enumerate(flat):
        axes.set_visible(p < used)
        axes.set_xticks(range(len(columns)), ticks, **slant)
        axes.set_yticks(range(len(rows)), [wrapped(r) for r in rows])
        axes.tick_params(labelbottom=True, labelleft=p % wide == 0)
        axes.set_xlabel(" · ".join(comparison.by[1:]) if p + wide >= used else "")
        axes.set_ylabel(comparison.by[0] if p % wide == 0 else "")
    colour_bar(figure, image, grid, share_label(comparison), percent=True)
    return figure


def _grid(panels: int, columns: int) -> tuple[int, int]:
    """Panels per row and rows of panels: as few places left empty as can be, then as wide as can be."""
    most = max(1, min(_PANELS_PER_ROW, panels, _COLUMNS_PER_ROW // columns))
    most = columns_of(most, 0.2 + 0.31 * columns, 1.2)
    wide = min(range(most, 0, -1), key=lambda w: (-panels % w if w > 1 else panels, -w))
    return wide, math.ceil(panels / wide)


def _order(comparison: Comparison) -> Any:
    """Sort key that keeps the order in which the values of each factor come."""
    levels = [list(dict.fromkeys(g.values[i] for g in comparison.groups)) for i in range(len(comparison.by))]
    ranks = [{value: rank for rank, value in enumerate(_sorted(values))} for values in levels]
    return lambda rest: tuple(ranks[i + 1][value] for i, value in enumerate(rest))


def _sorted(values: list[Any]) -> list[Any]:
    from intent.base.statistics import NONE

    try:
        return sorted(values, key=lambda v: (v == NONE, v))
    except TypeError:
        return values


def _cell(interval: Any) -> str:
    return f"{interval.estimate * 100:.0f}\n{percent_ends(interval)}"


_NOTE: dict[str, Any] = {"fontsize": 7.5, "color": "#333333"}


@dataclass(frozen=True)
class _Point:
    row: str
    series: str
    interval: Interval
    n: int


def draw_points(comparison: Comparison) -> Figure:
    """Rows are the values of the first factor; colours are those of the others, or the outcomes."""
    shares = comparison.metric is None
    points = _share_points(comparison) if shares else _mean_points(comparison)
    rows = list(dict.fromkeys(point.row for point in points))
    series = list(dict.fromkeys(point.series for point in points))
    if not shares:
        series = _in_order(comparison, series)
    tones = [strong(colour(name)) for name in series] if shares else palette(len(series))
    figure, axes = canvas(9.5, 2.3 + len(rows) * max(0.55, 0.24 * len(series)))
    slot = 0.8 / len(series)
    for point in points:
        s = series.index(point.series)
        y = rows.index(point.row) - 0.4 + slot * (s + 0.5)
        axes.plot([point.interval.low, point.interval.high], [y, y], color=tones[s], linewidth=2.2)
        marker = MARKERS[s % len(MARKERS)]
        outline = edge(tones[s])
        axes.plot(point.interval.estimate, y, marker, color=tones[s], markersize=6, markeredgecolor=outline)
        if not shares:
            margin_note(axes, y, f"n = {point.n:,}", **_NOTE)
    for y, row in enumerate(rows):
        if shares:
            n = next(point.n for point in points if point.row == row)
            margin_note(axes, y, f"n = {n:,}", **_NOTE)
        if y:
            axes.axhline(y - 0.5, color="#DDDDDD", linewidth=0.8, zorder=0, gid=FAINT)
    name_rows(axes, [wrapped(row) for row in rows])
    ruled(axes, "x")
    if shares:
        axes.set_xlim(left=0)
        percent_axis(axes.xaxis)
    axes.set_xlabel(share_label(comparison) if shares else wrapped(f"mean of {comparison.metric}", 80))
    axes.set_ylabel(wrapped(" · ".join(comparison.by if shares else comparison.by[:1]), 40))
    if len(series) > 1:
        names = [wrapped(name.replace("_", " ") if shares else name, 18) for name in series]
        title = wrapped("outcome" if shares else " · ".join(comparison.by[1:]), 18)
        key(figure, names, tones, title, edges=[edge(tone) for tone in tones], linewidth=2.2)
    return figure


def _share_points(comparison: Comparison) -> list[_Point]:
    points = [
        _Point(group_name(group.values), name, interval, group.n)
        for group in comparison.groups
        for name, interval in zip(comparison.outcomes, group.intervals, strict=True)
    ]
    occurring = {comparison.outcomes[k] for k in comparison.occurring}
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
    ordered = all(map(_is_number, levels))
    used = comparison.occurring
    figure, grid = canvas(10.5, 1.9 + 2.5 * len(rows), len(rows), 2, squeeze=False, sharex=True)
    for (values, groups), (left, right) in zip(rows.items(), grid, strict=True):
        groups = sorted(groups, key=lambda group: levels.index(group.values[place]))
        x = _positions(levels, [group.values[place] for group in groups])
        _stack(left, comparison, groups, x, used, ordered)
        _intervals(right, comparison, groups, x, used, ordered)
        heading = wrapped(group_name(values), 30) if values else ""
        n = [group.n for group in groups]
        size = f"n = {min(n):,}" if min(n) == max(n) else f"n = {min(n):,} to {max(n):,}"
        left.set_title(heading, loc="left", fontweight="bold")
        right.set_title(f"{size} at each value", loc="left", fontsize=pt(8.5))
    _ticks(grid, levels, wrapped(comparison.by[place], 40), share_label(comparison))
    _outcome_legend(figure, comparison)
    return figure


def _levels(comparison: Comparison, place: int) -> list[Any]:
    """Values in order: numbers by size, others as they come."""
    levels = list(dict.fromkeys(group.values[place] for group in comparison.groups))
    return sorted(levels) if all(map(_is_number, levels)) else levels


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _positions(levels: list[Any], values: list[Any]) -> list[float]:
    """Numbers where they are, other values at equal distances."""
    if all(map(_is_number, levels)):
        return [float(value) for value in values]
    return [float(levels.index(value)) for value in values]


def _stack(
    axes: Axes, comparison: Comparison, groups: list[Group], x: list[float], used: list[int], ordered: bool
) -> None:
    """Shares on top of each other: areas over an ordered column, bars over any other."""
    shares = np.array([[group.intervals[k].estimate for k in used] for group in groups])
    tops = np.cumsum(shares, axis=1)
    bottoms = tops - shares
    for i, k in enumerate(used):
        tone = colour(comparison.outcomes[k])
        if len(x) == 1 or not ordered:
            width = 0.4 if ordered else 0.7
            axes.bar(
                x,
                shares[:, i],
                width,
                bottom=bottoms[:, i],
                color=tone,
                edgecolor=outline(tone),
                linewidth=0.6,
            )
            continue
        axes.fill_between(
            x, bottoms[:, i], tops[:, i], facecolor=tone, edgecolor=outline(tone), linewidth=0.8
        )
    for place in x if ordered else ():
        axes.axvline(place, color="white", linewidth=0.6, alpha=0.7, gid=FAINT)
    axes.set_ylim(0, 1)
    percent_axis(axes.yaxis)


def _intervals(
    axes: Axes, comparison: Comparison, groups: list[Group], x: list[float], used: list[int], ordered: bool
) -> None:
    """Marks per outcome that occurs in the row, intervals side by side; lines where the column is ordered."""
    here = [k for k in used if any(group.intervals[k].estimate > 0 for group in groups)]
    step = min(np.diff(sorted(set(x))), default=1.0) * 0.6 / max(1, len(here))
    for s, k in enumerate(here):
        ends = [group.intervals[k] for group in groups]
        tone = strong(colour(comparison.outcomes[k]))
        form = "-" * ordered + MARKERS[used.index(k) % len(MARKERS)]
        places = np.array(x) + step * (s - (len(here) - 1) / 2)
        axes.vlines(places, [i.low for i in ends], [i.high for i in ends], color=tone, linewidth=1.2)
        axes.plot(
            places, [i.estimate for i in ends], form, color=tone,
            linewidth=1.5, markersize=5, markeredgecolor=edge(tone), markeredgewidth=0.5,
        )  # fmt: skip
    axes.set_ylim(bottom=0)
    percent_axis(axes.yaxis)
    ruled(axes)


def _ticks(grid: Any, levels: list[Any], name: str, label: str) -> None:
    at = _positions(levels, levels)
    step = -(-len(at) // _MANY)
    for left, right in grid:
        left.set_ylabel(label)
        for axes in (left, right):
            axes.set_xticks(at[::step], [wrapped(named(value), 14) for value in levels[::step]])
    for axes in grid[-1]:
        axes.set_xlabel(name)


Kind = Literal["auto", "bars", "stacked", "ribbons", "heatmap", "points"]
_MAX_ROWS = 60
_MAX_RULES = 8
_DRAW: dict[str, Callable[[Comparison], Figure]] = {
    "bars": draw_bars,
    "ribbons": draw_ribbons,
    "heatmap": draw_heatmap,
    "points": draw_points,
}
_COUNTS = {
    "estimate": "Shares of strategies estimated by maximum likelihood, each group with its own noise.",
    "posterior": "Each trajectory counts for every strategy with its posterior probability.",
    "split": "Each trajectory counts for its most probable strategy; ties are shared equally.",
    "best": "Each trajectory counts for its most probable strategy, however uncertain; ties go to the first.",
}
_REASONS = {
    "ambiguous": "several strategies explain it equally well (ambiguous)",
    "low_confidence": "none is probable enough (low confidence)",
    "no_fit": "none explains it (no fit)",
}


def comparison_figure(comparison: Comparison, kind: str = "auto") -> Drawing:
    """The figure of a comparison: ``auto``, ``bars`` (stacked), ``ribbons``, ``heatmap`` or ``points``.

    Raises
    ------
    UsageError
        As `figure_kind`.
    """
    chosen = figure_kind(comparison, kind)
    what = f"Mean {comparison.metric}" if comparison.metric else "Strategies"
    title = f"{what} by {' and '.join(comparison.by)}" if comparison.by else what
    lines = (*_explained(comparison, chosen), _number(comparison), *sentences(comparison, brief=True))
    return Drawing(title, partial(_DRAW[chosen], comparison), lines)


def figure_kind(comparison: Comparison, kind: str = "auto") -> Kind:
    """The kind to draw: points for a metric, a heat map for two or more factors, else stacked bars.

    ``stacked`` is another name of ``bars``.

    Raises
    ------
    UnknownNameError
        No such kind.
    UsageError
        A kind that cannot show a metric, or too many groups to be readable.
    """
    if kind not in get_args(Kind):
        raise UnknownNameError("figure", kind, get_args(Kind))
    if kind == "auto":
        chosen: Kind = "points" if comparison.metric else "heatmap" if len(comparison.by) > 1 else "bars"
    else:
        chosen = "bars" if kind == "stacked" else kind  # type: ignore[assignment]
    if comparison.metric and chosen != "points":
        raise UsageError(
            f"--figure {chosen} shows shares, expected points (or auto) for the mean of a metric"
        )
    size = len(comparison.groups)
    if chosen == "heatmap" and len(comparison.by) > 1:
        size = max(
            len({g.values[0] for g in comparison.groups}), len({g.values[1:] for g in comparison.groups})
        )
    if size > _MAX_ROWS:
        raise UsageError(f"{size} groups are too many for a figure of {chosen}, expected at most {_MAX_ROWS}")
    return chosen


def _explained(comparison: Comparison, kind: Kind) -> list[str]:
    """How to read the figure."""
    resampled = comparison.metric is not None and not comparison.bounded
    interval = interval_words(comparison.level, BOOTSTRAP if resampled else WILSON, comparison.unit)
    lines = [] if comparison.metric else [_glossary(comparison), _counted(comparison)]
    if kind == "points":
        return [*lines, f"Points: {'means' if comparison.metric else 'shares'}; lines: {interval}."]
    if kind == "ribbons":
        ordered = comparison.by[ordered_factor(comparison)]
        return [
            *lines,
            f"Left: shares on top of each other by {ordered}; right: each with its {interval}.",
        ]
    lines.append(f"Small numbers below the shares: {interval}.")
    if kind == "bars":
        lines[-1] += (
            f" eff.: independent trajectories worth as much as these, which come in {comparison.unit}."
        )
    return lines


def _number(comparison: Comparison) -> str:
    """Of how many the figure is: those that count, and the independent units that they come from."""
    n, units = sum(group.n for group in comparison.groups), comparison.n_clusters
    what = "subjects" if comparison.count == "sfem" else "trajectories"
    counted = f"{n:,} {what if comparison.metric is None else 'rows'}"
    return f"n: {counted}." if units is None else f"n: {counted} of {units:,} {comparison.unit}."


def _counted(comparison: Comparison) -> str:
    """What a trajectory counts for; of the reasons against a label, those that occur."""
    if comparison.count in _COUNTS:
        return _COUNTS[comparison.count]
    names = [comparison.outcomes[k] for k in comparison.occurring]
    reasons = [reason for name, reason in _REASONS.items() if name in names]
    if not reasons:
        return "Each trajectory counts for its strategy; all labels are confident."
    return (
        "Each trajectory counts for its strategy where the label is confident, else for the reason why it is "
        f"not: {' or '.join([', '.join(reasons[:-1]), reasons[-1]] if len(reasons) > 1 else reasons)}."
    )


def _glossary(comparison: Comparison) -> str:
    """What the strategies in the figure do, as the catalogue puts it."""
    names = [comparison.outcomes[k] for k in comparison.occurring]
    rules = [f"{name}: {CATALOGUE[name].rule}" for name in names if name in CATALOGUE]
    return f"C cooperates, D defects. {'; '.join(rules[:_MAX_RULES])}." if rules else ""
