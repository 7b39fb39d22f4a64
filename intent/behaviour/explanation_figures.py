"""Bars of importance: how much each feature moves a metric, in a grid of metrics and groups.

Violins of Shapley values: which level of a feature raises a metric, which lowers it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.behaviour.importance import Explanation
from intent.figures.panels import check_sizes, named, panels
from intent.figures.style import (
    FAINT,
    columns_of,
    empty_panel,
    palette,
    pt,
    shown,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = ["draw_shap_bars", "draw_shap_violins"]


Grid = Sequence[Sequence[Explanation | None]]


def draw_shap_bars(grid: Grid, rows: Sequence[str], columns: Sequence[str | None]) -> Figure:
    """A panel per metric (row) and group (column): features by mean absolute Shapley value.

    Parameters
    ----------
    grid : Explanation, or None where there is none, by row and column
    rows : names of the metrics
    columns : names of the groups

    Raises
    ------
    UsageError
        More than 30 panels.
    """
    check_sizes(len(rows) * len(columns), ())
    grid, rows, columns = _reflowed(grid, rows, columns)
    features = list(dict.fromkeys(f for line in grid for one in line if one for f in one.features))
    tones = dict(zip(features, palette(len(features)), strict=True))
    figure, axes = panels(len(rows), len(columns), across=3.6, down=0.55 + 0.28 * max(1, len(features)))
    for line, explanations in zip(axes, grid, strict=True):
        top = max([one.ranking[0].mean_abs_shap for one in explanations if one] or [0.0])
        for ax, one in zip(line, explanations, strict=True):
            _panel(ax, one, tones, top)
    _label_grid(axes, rows, columns)
    for ax in axes[-1]:
        ax.set_xlabel("mean |SHAP|")
    return figure


def _reflowed(
    grid: Grid, rows: Sequence[str], columns: Sequence[str | None]
) -> tuple[Grid, Sequence[str], Sequence[str | None]]:
    """All panels below one another, the group beside the metric, where there is no room side by side."""
    if columns_of(len(columns), 2.1) == len(columns):
        return grid, rows, columns
    names = [f"{row}, {named(column)}" for row in rows for column in columns]
    return [[one] for line in grid for one in line], names, [None]


def _panel(ax: Axes, one: Explanation | None, tones: dict[str, str], top: float) -> None:
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    if one is None:
        ax.set_yticks([])
        empty_panel(ax)
        return
    places = np.arange(len(one.ranking))[::-1]
    for y, feature in zip(places, one.ranking, strict=True):
        ax.barh(y, feature.mean_abs_shap, 0.7, color=tones[feature.feature])
        if np.isfinite(feature.share):
            text = f" {feature.share:.0%}"
            if (feature.rank_low, feature.rank_high) != (
                None,
                None,
            ) and feature.rank_low != feature.rank_high:
                text += f"  (rank {feature.rank_low}–{feature.rank_high})"
            ax.text(feature.mean_abs_shap, y, text, va="center", fontsize=pt(7.5), color="#444444")
    ax.set_yticks(places, [wrapped(feature.feature, 18) for feature in one.ranking])
    ax.set_ylim(-0.6, len(places) - 0.4)
    ax.set_xlim(0, (top or 1) * 1.6)
    ax.text(
        1, 1.02, _fit_in_words(one), transform=ax.transAxes, ha="right", fontsize=pt(7.5), color="#444444"
    )


def _fit_in_words(one: Explanation) -> str:
    """``n = 54, R² .93 in, .61 out``."""
    if not np.isfinite(one.r2_in):
        return f"n = {one.n:,}, does not vary"
    out = f"{one.r2_out:.2f} out" if np.isfinite(one.r2_out) else "out unknown"
    return f"n = {one.n:,}, R² {one.r2_in:.2f} in, {out}"


def _label_grid(axes: Any, rows: Sequence[str], columns: Sequence[str | None]) -> None:
    """Groups above the first row; the metric at the left of each row."""
    for ax, name in zip(axes[0], columns, strict=True):
        if name is not None:
            ax.set_title(wrapped(named(name), 28), loc="left", fontweight="bold", pad=16)
    for ax, name in zip(axes[:, 0], rows, strict=True):
        ax.set_ylabel(wrapped(name.replace("_", " "), 18), fontweight="bold")


def _shared_limits(grid: Sequence[Explanation | None]) -> tuple[float, float]:
    """Ends of an axis that holds all Shapley values of a row of panels, 0 in the middle."""
    reach = max([float(np.abs(one.spread.values).max(initial=0)) for one in grid if one] or [0.0])
    reach = reach * 1.08 or 1.0
    return -reach, reach


_DOTS = 200
"""Dots that a level has at most; the violin is of all of its values."""

_ENOUGH = 5
_HALF = 0.36


def draw_shap_violins(grid: Grid, rows: Sequence[str], columns: Sequence[str | None]) -> Figure:
    """A panel per metric (row) and group (column); in it a violin and dots per level of each feature.

    Dots are games (rows that are alike lie beside one another), right of 0 where the level raised the
    prediction; colours are features, ticks the mean of a level.

    Parameters
    ----------
    grid, rows, columns : as `draw_shap_bars`

    Raises
    ------
    UsageError
        More than 30 panels.
    """
    check_sizes(len(rows) * len(columns), ())
    grid, rows, columns = _reflowed(grid, rows, columns)
    places = _places(grid)
    features = list(dict.fromkeys(feature for feature, _ in places))
    tones = dict(zip(features, palette(len(features)), strict=True))
    figure, axes = panels(
        len(rows), len(columns), across=3.4, down=0.6 + 0.24 * max(1, len(places)), sharey=True
    )
    for line, explanations in zip(axes, grid, strict=True):
        limits = _shared_limits(explanations)
        for ax, one in zip(line, explanations, strict=True):
            _frame(ax, limits, places)
            if one is not None:
                _draw(ax, one, places, tones)
    _label_grid(axes, rows, columns)
    for ax in axes[-1]:
        ax.set_xlabel("SHAP value")
    return figure


def _places(grid: Grid) -> dict[tuple[str, str], float]:
    """Height of each feature and level, features from the top, with room between them."""
    pairs = list(
        dict.fromkeys(
            (name, level.name)
            for line in grid
            for one in line
            if one
            for name in one.features
            for level in next(r for r in one.ranking if r.feature == name).levels
        )
    )
    order = list(dict.fromkeys(feature for feature, _ in pairs))
    pairs.sort(key=lambda pair: order.index(pair[0]))
    places, height = {}, 0.0
    for k, (feature, level) in enumerate(pairs):
        height += 1.0 if k == 0 or pairs[k - 1][0] == feature else 1.5
        places[feature, level] = -height
    return places


def _frame(ax: Axes, limits: tuple[float, float], places: dict[tuple[str, str], float]) -> None:
    ax.axvline(0, color="#888888", linewidth=0.9, zorder=0)
    ax.set_xlim(*limits)
    ax.set_yticks(list(places.values()), [f"{shown(f)} = {shown(v)}" for f, v in places], fontsize=pt(7.5))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    if places:
        ax.set_ylim(min(places.values()) - 0.7, max(places.values()) + 0.7)


def _draw(ax: Axes, one: Explanation, places: dict[tuple[str, str], float], tones: dict[str, str]) -> None:
    ax.text(
        1, 1.01, _fit_in_words(one), transform=ax.transAxes, ha="right", fontsize=pt(7.5), color="#444444"
    )
    if not np.isfinite(one.r2_in):
        return
    for feature in one.ranking:
        f = one.features.index(feature.feature)
        for code, level in enumerate(feature.levels):
            rows = one.spread.codes[:, f] == code
            values = np.repeat(one.spread.values[rows, f], one.spread.weights[rows].astype(int))
            if len(values):
                _level(ax, values, places[feature.feature, level.name], tones[feature.feature])


def _level(ax: Axes, values: NDArray[np.float64], y: float, tone: str) -> None:
    values = np.sort(values)
    if len(values) >= _ENOUGH and np.ptp(values) > 1e-9:
        drawn = ax.violinplot([values], [y], orientation="horizontal", widths=2 * _HALF, showextrema=False)
        for body in drawn["bodies"]:  # type: ignore[attr-defined]
            body.set(facecolor=tone, alpha=0.25, linewidth=0, gid=FAINT)
    dots = values[np.linspace(0, len(values) - 1, min(len(values), _DOTS)).astype(int)]
    offset = ((np.arange(len(dots)) * 0.618) % 1 - 0.5) * _HALF
    ax.scatter(dots, y + offset, s=5, color=tone, linewidths=0)
    ax.plot([values.mean()] * 2, [y - _HALF, y + _HALF], color="#222222", linewidth=1.1)
