"""Bars of importance: how much each feature moves a metric, in a grid of metrics and groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.analysis.explaining.explanation import Explanation
from intent.report.panels import check_sizes, named, panels
from intent.report.style import palette, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_shap_bars", "fit_in_words", "label_grid", "shared_limits"]

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
    features = list(dict.fromkeys(f for line in grid for one in line if one for f in one.features))
    tones = dict(zip(features, palette(len(features)), strict=True))
    figure, axes = panels(len(rows), len(columns), across=3.6, down=0.55 + 0.28 * max(1, len(features)))
    for line, explanations in zip(axes, grid, strict=True):
        top = max([one.ranking[0].mean_abs_shap for one in explanations if one] or [0.0])
        for ax, one in zip(line, explanations, strict=True):
            _panel(ax, one, tones, top)
    label_grid(axes, rows, columns)
    for ax in axes[-1]:
        ax.set_xlabel("mean |SHAP|")
    return figure


def _panel(ax: Axes, one: Explanation | None, tones: dict[str, str], top: float) -> None:
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    if one is None:
        ax.set_yticks([])
        ax.text(0.5, 0.5, "no play", transform=ax.transAxes, ha="center", va="center", color="#777777")
        return
    places = np.arange(len(one.ranking))[::-1]
    for y, found in zip(places, one.ranking, strict=True):
        ax.barh(y, found.mean_abs_shap, 0.7, color=tones[found.feature])
        if np.isfinite(found.share):
            text = f" {found.share:.0%}"
            if (found.rank_low, found.rank_high) != (None, None) and found.rank_low != found.rank_high:
                text += f"  (rank {found.rank_low}–{found.rank_high})"
            ax.text(found.mean_abs_shap, y, text, va="center", fontsize=7.5, color="#444444")
    ax.set_yticks(places, [wrapped(found.feature, 18) for found in one.ranking])
    ax.set_ylim(-0.6, len(places) - 0.4)
    ax.set_xlim(0, (top or 1) * 1.6)
    ax.text(1, 1.02, fit_in_words(one), transform=ax.transAxes, ha="right", fontsize=7.5, color="#444444")


def fit_in_words(one: Explanation) -> str:
    """``n = 54, R² .93 in, .61 out``."""
    if not np.isfinite(one.r2_in):
        return f"n = {one.n:,}, does not vary"
    out = f"{one.r2_out:.2f} out" if np.isfinite(one.r2_out) else "out unknown"
    return f"n = {one.n:,}, R² {one.r2_in:.2f} in, {out}"


def label_grid(axes: Any, rows: Sequence[str], columns: Sequence[str | None]) -> None:
    """Groups above the first row; the metric at the left of each row."""
    for ax, name in zip(axes[0], columns, strict=True):
        if name is not None:
            ax.set_title(wrapped(named(name), 28), loc="left", fontweight="bold", pad=16)
    for ax, name in zip(axes[:, 0], rows, strict=True):
        ax.set_ylabel(wrapped(name.replace("_", " "), 18), fontweight="bold")


def shared_limits(grid: Sequence[Explanation | None]) -> tuple[float, float]:
    """Ends of an axis that holds all Shapley values of a row of panels, 0 in the middle."""
    reach = max([float(np.abs(one.spread.values).max(initial=0)) for one in grid if one] or [0.0])
    reach = reach * 1.08 or 1.0
    return -reach, reach
