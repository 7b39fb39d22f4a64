"""Own contribution against that of the others, by type of contributor, and the shares of the types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from intent.base.errors import UsageError
from intent.base.statistics.intervals import PERCENTILES, WILSON, interval_words
from intent.estimate.contributor_rules import TYPES
from intent.estimate.contributor_shares import OUTCOMES, GroupTypes
from intent.figures.style import (
    FAINT,
    MARKERS,
    Drawing,
    canvas,
    legend_of,
    name_rows,
    palette,
    percent_axis,
    ruled,
    wrapped,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from intent.estimate.contributions import Answers

__all__ = ["types_figure"]

_MOST_GROUPS = 8
_MOST_LINES = 120
"""Subjects of a panel whose own lines are drawn."""

_GREY = "#767676"
_DARK = "#222222"
_BINS = 10
_READ = (
    "Left: subjects by their most probable type (mixture); points are means at tenths of the others' "
    "mean, larger where there are more rounds; thin lines are subjects; dashed: as much as others gave.",
    "Right: a subject counts as a type only where the rules identify it, else as its status.",
)


def types_figure(
    table: pd.DataFrame,
    pairs: Answers,
    groups: Sequence[GroupTypes],
    by: Sequence[str] = (),
    *,
    same_round: bool = False,
    level: float = 0.95,
    unit: str = "games",
) -> Drawing:
    """A row of two panels per group: contributions by type, and shares counted and estimated.

    Parameters
    ----------
    table : one row per subject, as `codebook.CONTRIBUTORS`
    pairs : Answers, the contributions of these subjects
    groups : GroupTypes
    by : columns that make the groups
    same_round : bool, whether contributions answer those of the same round
    level : float, coverage of the intervals
    unit : plural of what they take as independent

    Raises
    ------
    UsageError
        More than eight groups.
    """

    if len(groups) > _MOST_GROUPS:
        raise UsageError(
            f"{len(groups)} groups are too many for a figure, expected at most {_MOST_GROUPS} (--where)"
        )
    title = f"Types of contributors by {' and '.join(by)}" if by else "Types of contributors"
    before = "the same round" if same_round else "the round before"

    def draw() -> Figure:
        figure, grid = canvas(
            10.5, 1.7 + 3.0 * len(groups), len(groups), 2, squeeze=False, width_ratios=(1, 1.15)
        )
        for row, group in enumerate(groups):
            own = _members(table, by, group)
            _answers(grid[row, 0], table, pairs, own)
            _shares(grid[row, 1], group)
            heading = " · ".join(map(str, group.values)) or "all subjects"
            grid[row, 0].set_title(wrapped(f"{heading} (n = {group.n:,})", 44), loc="left", fontweight="bold")
            grid[row, 0].set_ylabel("own contribution (%)")
        grid[-1, 0].set_xlabel(f"mean contribution of the others in {before} (%)")
        grid[-1, 1].set_xlabel("share of subjects (%)")
        _legend(figure)
        return figure

    lines = (
        f"Lines: {interval_words(level, f'counted: {WILSON}; estimated: {PERCENTILES}', unit)}.",
        f"n: {sum(group.n for group in groups):,} subjects.",
    )
    return Drawing(title, draw, (*_READ, *lines))


def _members(table: pd.DataFrame, by: Sequence[str], group: GroupTypes) -> NDArray[np.intp]:
    from intent.base.statistics.groups import grouping

    groups = grouping(table, by)
    return np.flatnonzero(groups.codes == groups.values.index(group.values))


def _answers(axes: Axes, table: pd.DataFrame, pairs: Answers, own: NDArray[np.intp]) -> None:
    """Mean contribution at each tenth of the others' mean, by most probable type; thin lines for subjects."""
    best = table["best"].to_numpy(dtype=object)
    tones = dict(zip(TYPES, palette(len(TYPES)), strict=True))
    marks = dict(zip(TYPES, MARKERS, strict=False))
    axes.plot([0, 1], [0, 1], color="#767676", linewidth=0.9, linestyle=(0, (4, 3)), zorder=0)
    for name in TYPES:
        members = [i for i in own if best[i] == name]
        if not members:
            continue
        x, y = (np.concatenate(part) for part in zip(*(pairs.of(i) for i in members), strict=True))
        places, means, numbers = _binned(x, y)
        if len(own) <= _MOST_LINES:
            for i in members:
                at, level, _ = _binned(*pairs.of(i))
                axes.plot(at, level, color=tones[name], linewidth=0.7, alpha=0.3, zorder=1, gid=FAINT)
        axes.plot(places, means, color=tones[name], linewidth=1.8, zorder=2)
        sizes = 14 + 70 * numbers / numbers.max()
        axes.scatter(places, means, s=sizes, color=tones[name], zorder=3, clip_on=False, marker=marks[name])
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    for axis in (axes.xaxis, axes.yaxis):
        percent_axis(axis)
    axes.grid(color="#F0F0F0", gid=FAINT)
    axes.set_axisbelow(True)


def _binned(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean x and y of each tenth of x, and the number of pairs."""
    place = np.round(x * _BINS).astype(np.intp)
    used, codes = np.unique(place, return_inverse=True)
    numbers = np.bincount(codes, minlength=len(used)).astype(float)
    means = (np.bincount(codes, weights=v, minlength=len(used)) / numbers for v in (x, y))
    at, level = means
    return at, level, numbers


def _shares(axes: Axes, group: GroupTypes) -> None:
    """Counted shares as points, estimated ones as diamonds below them."""
    tones = dict(zip(TYPES, palette(len(TYPES)), strict=True))
    for y, name in enumerate(OUTCOMES):
        tone = tones.get(name, _GREY)
        for share, offset, marker in (
            (group.counted[name], -0.15, "o"),
            (group.estimated.get(name), 0.17, "D"),
        ):
            if share is None:
                continue
            if not np.isnan(share.low):
                axes.plot([share.low, share.high], [y + offset] * 2, color=tone, linewidth=1.9)
            face = tone if marker == "o" else "white"
            axes.plot(
                share.estimate, y + offset, marker, color=tone, markerfacecolor=face, markersize=5.5,
                clip_on=False, zorder=3,
            )  # fmt: skip
    name_rows(axes, [name.replace("_", " ") for name in OUTCOMES], above=0.6)
    axes.set_xlim(-0.02, 1.02)
    axes.axhline(len(TYPES) - 0.5, color="#DDDDDD", linewidth=0.9, zorder=0, gid=FAINT)
    percent_axis(axes.xaxis)
    ruled(axes, "x")


def _legend(figure: Figure) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=_DARK, marker="o", linewidth=1.9, label="counted by the rules"),
        Line2D(
            [], [], color=_DARK, marker="D", markerfacecolor="white", linewidth=1.9, label="estimated mixture"
        ),
    ]
    legend_of(figure, handles)
