"""Estimated shares with their intervals, beside the shares that counting labels gives.

What one must know to read a figure of estimated shares, as lines of its caption.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from intent.base.errors import UsageError
from intent.base.statistics import PERCENTILES, WILSON, interval_words
from intent.estimate.shares import Estimate, GroupShares, MixtureFit
from intent.figures.style import (
    FAINT,
    Drawing,
    canvas,
    colour,
    columns_of,
    legend_of,
    margin_note,
    name_rows,
    percent_axis,
    pt,
    ruled,
    strong,
    wrapped,
)
from intent.strategies.catalogue import CATALOGUE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = ["explained", "shares_figure"]


_MAX_RULES = 8


def explained(groups: Sequence[GroupShares], names: Sequence[str], level: float) -> list[str]:
    """How to read the figure."""
    rules = [f"{name}: {CATALOGUE[name].rule}" for name in names if name in CATALOGUE]
    shares = [share for group in groups for share in group.fit.shares]
    lines = [f"C cooperates, D defects. {'; '.join(rules[:_MAX_RULES])}."] if rules else []
    resampled = any(share.source == "bootstrap" for share in shares)
    method = PERCENTILES if resampled else WILSON
    read = f"Points: shares estimated by maximum likelihood; lines: {interval_words(level, method)}."
    if any(share.source == "none" and math.isnan(share.low) for share in shares):
        read += " Open points: on the boundary, no interval."
    if any(group.fit.ridge for group in groups):
        read += " Dashed: not told apart from others by this play; any share on the line fits as well."
    lines.append(read)
    if any(group.counted is not None for group in groups):
        lines.append(
            "Counted: share of trajectories whose most probable strategy this is (ties go to the first), "
            "and share with a confident label of it."
        )
    if len(groups) > 1:
        n = sum(group.fit.n_subjects for group in groups)
        lines.append(
            f"Tremble: probability per move of not doing what the strategy says. n: subjects, {n:,} in all."
        )
    else:
        lines.append(f"{_tremble(groups[0].fit)} {groups[0].fit.n_subjects:,} subjects.")
    left_out = [name for name in dict.fromkeys(n for g in groups for n in g.fit.names) if name not in names]
    if left_out:
        lines.append(f"Not drawn, since their share is 0: {', '.join(left_out)}.")
    return lines


def _tremble(fit: MixtureFit) -> str:
    meaning = "probability per move of not doing what the strategy says"
    if fit.tremble_kind == "strategy":
        return f"Tremble: {meaning}."
    tremble = fit.tremble[0]
    ends = "" if math.isnan(tremble.low) else f" ({tremble.low:.3f} to {tremble.high:.3f})"
    return f"Tremble ({meaning}): {tremble.estimate:.3f}{ends}."


_MAX_ROWS = 60
_PANELS = 6
"""Panels side by side, the trembles among them."""

_COUNTED = "#555555"
_DARK = "#222222"


def shares_figure(groups: Sequence[GroupShares], by: Sequence[str] = (), level: float = 0.95) -> Drawing:
    """Estimated shares as points with intervals, counted shares beside them, and the trembles.

    Several groups: one panel per strategy, groups as rows. One group: strategies as rows.

    Parameters
    ----------
    groups : sequence of GroupShares
    by : columns that make the groups
    level : float, coverage of the intervals

    Raises
    ------
    UsageError
        More than 60 groups.
    """
    if len(groups) > _MAX_ROWS:
        raise UsageError(f"{len(groups)} groups are too many for a figure, expected at most {_MAX_ROWS}")
    names = _drawn(groups)
    title = f"Estimated strategy shares by {' and '.join(by)}" if by else "Estimated strategy shares"

    def draw() -> Figure:
        return _by_strategy(groups, names, by) if len(groups) > 1 else _one_group(groups[0], names)

    return Drawing(title, draw, explained(groups, names, level))


def _drawn(groups: Sequence[GroupShares]) -> list[str]:
    """Strategies that have a share in some group, estimated, possible or counted."""
    shares: dict[str, bool] = {}
    for group in groups:
        for name, share in zip(group.fit.names, group.fit.shares, strict=True):
            top = np.nanmax([share.estimate, share.high if share.source == "none" else 0.0])
            counted = group.counted is not None and group.counted.best.get(name, 0.0) > 0
            shares[name] = shares.get(name, False) or top > 5e-4 or counted
    return [name for name, drawn in shares.items() if drawn]


def _by_strategy(groups: Sequence[GroupShares], names: Sequence[str], by: Sequence[str]) -> Figure:
    columns = columns_of(min(len(names) + 1, _PANELS), 1.1, 1.2)
    lines = -(-(len(names) + 1) // columns)
    height = 2.3 + lines * (0.75 + 0.52 * len(groups))
    figure, grid = canvas(max(9.5, 1.6 + 2.05 * columns), height, lines, columns, squeeze=False)
    panels = list(grid.ravel())
    top = _reach(groups)
    for axes, name in zip(panels, names, strict=False):
        for y, group in enumerate(groups):
            share = dict(zip(group.fit.names, group.fit.shares, strict=True)).get(name)
            if share is not None:
                _point(axes, y, share, strong(colour(name)), _percent)
            _counts(axes, y, group, name)
        axes.set_title(wrapped(name, 18), color=_DARK, fontweight="bold")
        axes.set_xlim(-0.02 * top, top)
        percent_axis(axes.xaxis)
        axes.set_xlabel("share (%)", fontsize=pt(8.5))
    _trembles(panels[len(names)], groups)
    for axes in panels[len(names) + 1 :]:
        axes.set_visible(False)
    labels = [wrapped(" · ".join(map(str, group.values)), 26) for group in groups]
    for place, axes in enumerate(panels[: len(names) + 1]):
        _rows(axes, labels if place % columns == 0 else [""] * len(groups))
        for y in range(1, len(groups)):
            new_block = len(by) > 1 and groups[y].values[0] != groups[y - 1].values[0]
            axes.axhline(
                y - 0.5, color="#888888" if new_block else "#E4E4E4", linewidth=0.9, zorder=0, gid=FAINT
            )
    grid[0, 0].set_ylabel(wrapped(" · ".join(by), 40))
    for y, group in enumerate(groups):
        margin_note(panels[len(names)], y, f"n = {group.fit.n_subjects:,}", 1.03, fontsize=8, color="#333333")
    _legend(figure, groups)
    return figure


def _one_group(group: GroupShares, names: Sequence[str]) -> Figure:
    fit = group.fit
    each = fit.tremble_kind == "strategy"
    widths = (3, 1) if each else (1,)
    size = (9.5, 2.4 + 0.52 * len(names))
    figure, grid = canvas(*size, 1, len(widths), squeeze=False, width_ratios=widths)
    panels = grid[0]
    shares = dict(zip(fit.names, fit.shares, strict=True))
    for y, name in enumerate(names):
        _point(panels[0], y, shares[name], strong(colour(name)), _percent)
        _counts(panels[0], y, group, name)
        if each:
            _point(panels[1], y, fit.tremble[fit.names.index(name)], strong(colour(name)), _decimal)
    top = _reach([group])
    panels[0].set_xlim(-0.02 * top, top)
    percent_axis(panels[0].xaxis)
    panels[0].set_xlabel("share of subjects (%)")
    _rows(panels[0], [wrapped(name, 22) for name in names])
    if each:
        panels[1].set_xlabel("tremble")
        panels[1].set_xlim(left=0)
        _rows(panels[1], [""] * len(names))
    _legend(figure, [group])
    return figure


def _point(axes: Axes, y: float, value: Estimate, tone: str, text: Callable[[float], str]) -> None:
    """An estimate with its interval: dashed where it is a ridge, an open point where there is none."""
    if np.isnan(value.estimate):
        return
    known = not (np.isnan(value.low) or np.isnan(value.high))
    y -= 0.12
    if known:
        style = (0, (2, 1.2)) if value.source == "none" else "-"
        axes.plot([value.low, value.high], [y, y], color=tone, linewidth=2.2, linestyle=style)
    face = tone if known and value.source != "none" else "white"
    axes.plot(
        value.estimate, y, "o", color=tone, markerfacecolor=face, markersize=6.5, clip_on=False, zorder=3
    )
    axes.annotate(
        text(value.estimate), (value.estimate, y), (0, 5), textcoords="offset points",
        ha="center", va="bottom", fontsize=pt(8), color=_DARK,
    )  # fmt: skip


def _counts(axes: Axes, y: float, group: GroupShares, name: str) -> None:
    """What counting gives: most probable strategies and confident labels."""
    if group.counted is None:
        return
    for shares, marker in ((group.counted.best, "D"), (group.counted.confident, "x")):
        axes.plot(
            shares.get(name, 0.0), y + 0.22, marker, color=_COUNTED, markerfacecolor="none",
            markersize=4.5, clip_on=False,
        )  # fmt: skip


def _trembles(axes: Axes, groups: Sequence[GroupShares]) -> None:
    """The tremble of each group, or in small of each of its strategies."""
    for y, group in enumerate(groups):
        fit = group.fit
        if fit.tremble_kind != "strategy":
            _point(axes, y + 0.12, fit.tremble[0], _DARK, _decimal)
            continue
        slot = 0.8 / len(fit.names)
        for k, (name, value) in enumerate(zip(fit.names, fit.tremble, strict=True)):
            at = y - 0.4 + slot * (k + 0.5)
            if not (np.isnan(value.low) or np.isnan(value.high)):
                axes.plot([value.low, value.high], [at, at], color=strong(colour(name)), linewidth=1.5)
            axes.plot(value.estimate, at, "o", color=strong(colour(name)), markersize=4)
    axes.set_title("tremble", color=_DARK, fontweight="bold")
    axes.set_xlim(0, max(0.02, 1.08 * axes.get_xlim()[1]))
    axes.set_xlabel("per move", fontsize=pt(8.5))


def _reach(groups: Sequence[GroupShares]) -> float:
    """Right end of the axis of shares."""
    ends = [end for g in groups for s in g.fit.shares for end in (s.estimate, s.high) if not np.isnan(end)]
    ends += [share for g in groups if g.counted for share in g.counted.best.values()]
    return float(min(1.02, 1.06 * max(ends)))


def _rows(axes: Axes, labels: Sequence[str]) -> None:
    name_rows(axes, labels, above=0.6)
    ruled(axes, "x")


def _legend(figure: Figure, groups: Sequence[GroupShares]) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=_DARK, marker="o", linewidth=2.2, label="estimated, interval")]
    if any(group.counted is not None for group in groups):
        for label, marker in (("counted: most probable", "D"), ("counted: confident label", "x")):
            handles.append(
                Line2D(
                    [], [], color=_COUNTED, marker=marker, markerfacecolor="none", linestyle="", label=label
                )
            )
    legend_of(figure, handles)


def _percent(value: float) -> str:
    return f"{value * 100:.0f}"


def _decimal(value: float) -> str:
    return f"{value:.3f}"
