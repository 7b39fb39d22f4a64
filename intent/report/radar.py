"""The radar of behavioural measures, and beside it the table of the values that it is drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from intent.analysis.behaviour_radar import AXES, Radar
from intent.report.panels import MARKERS, check_sizes, legend, named
from intent.report.style import palette, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["LEAST_AXES", "draw_radar"]

LEAST_AXES = 3
"""Axes below which no polygon is drawn."""

_WIDE = 4


def draw_radar(radar: Radar, *, stakes_title: str | None = None) -> Figure:
    """One polygon per model and setting of the stakes, over the axes that can be computed; below, the values.

    With fewer than three axes no polygon is drawn and the figure says why.

    Parameters
    ----------
    radar : Radar
    stakes_title : str, optional
        What the settings are called.

    Raises
    ------
    UsageError
        Too many models or settings.
    """
    from matplotlib.figure import Figure

    table = radar.table
    settings, models = list(dict.fromkeys(table["stakes"])), list(dict.fromkeys(table["model"]))
    check_sizes(len(settings), models)
    drawn = len(radar.axes) >= LEAST_AXES
    wide = min(len(settings), _WIDE)
    high = -(-len(settings) // wide)
    lines = len(settings) * len(models) + 1.7
    tall = 3.1 * high if drawn else 0.9
    figure = Figure(figsize=(max(9.0, 2.0 + 3.1 * wide), 1.7 + tall + 0.235 * lines), layout="constrained")
    grid = figure.add_gridspec(high + 1, wide, height_ratios=[tall / high] * high + [0.235 * lines])
    if drawn:
        for s, setting in enumerate(settings):
            axes = figure.add_subplot(grid[s // wide, s % wide], projection="polar")
            heading = "" if radar.stakes is None else f"{stakes_title or radar.stakes} = {named(setting)}"
            _polygons(axes, table[table["stakes"] == setting], models, radar.axes, heading)
    else:
        axes = figure.add_subplot(grid[:high, :])
        axes.set_axis_off()
        said = "; ".join(f"{AXES[axis]}: {why}" for axis, why in radar.missing.items())
        text = wrapped(f"No radar: {LEAST_AXES} axes are needed. {said}.", 110)
        axes.text(0.0, 0.5, text, va="center", fontsize=9.5)
    _values(figure.add_subplot(grid[high, :]), radar, settings, models, stakes_title or radar.stakes)
    if drawn:
        legend(figure, models, "model", lines=True)
    return figure


def _polygons(axes: Any, part: pd.DataFrame, models: list[Any], names: list[str], heading: str) -> None:
    angles = np.linspace(0, 2 * np.pi, len(names), endpoint=False)
    around = np.append(angles, angles[0])
    for m, (model, tone) in enumerate(zip(models, palette(len(models)), strict=True)):
        values = (
            part[part["model"] == model].set_index("axis")["relative"].reindex(names).to_numpy(dtype=float)
        )
        closed = np.append(values, values[0])
        axes.fill(around, closed, color=tone, alpha=0.1)
        axes.plot(
            around, closed, f"-{MARKERS[m % len(MARKERS)]}", color=tone, linewidth=1.7, markersize=4.5,
            markeredgecolor="white", markeredgewidth=0.5,
        )  # fmt: skip
    axes.set_theta_offset(np.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_xticks(angles, names, fontweight="bold")
    axes.set_ylim(0, 1.05)
    axes.set_yticks([0.25, 0.5, 0.75, 1.0], ["", "0.5", "", "1"], fontsize=7, color="#777777")
    axes.spines["polar"].set_visible(False)
    axes.grid(color="#DDDDDD")
    axes.set_title(wrapped(heading, 30), fontsize=10, pad=14)


def _values(axes: Any, radar: Radar, settings: list[Any], models: list[Any], called: str | None) -> None:
    """The values, in brackets what repetitions alone would give."""
    axes.set_axis_off()
    rows = []
    found = radar.table.set_index(["stakes", "model", "axis"])
    for setting in settings:
        for model in models:
            cells = [_cell(found, (setting, model, axis)) for axis in AXES]
            rows.append([*([named(setting)] if called else []), wrapped(model, 28), *cells])
    header = [
        *([called] if called else []),
        "model",
        *(wrapped(f"{axis}: {AXES[axis]}", 18) for axis in AXES),
    ]
    widths = [*([0.12] if called else []), 0.2, *[0.68 / len(AXES)] * len(AXES)]
    drawn = axes.table(
        rows,
        colLabels=header,
        colWidths=widths,
        cellLoc="left",
        colLoc="left",
        edges="open",
        bbox=(0, 0, 1, 1),
    )
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(8)
    for (row, _), cell in drawn.get_celld().items():
        cell.PAD = 0.02
        if row == 0:
            cell.set_height(cell.get_height() * 1.7)
            cell.set_text_props(fontweight="bold")


def _cell(found: pd.DataFrame, key: tuple[Any, Any, str]) -> str:
    if key not in found.index or np.isnan(found.loc[key, "value"]):
        return "–"
    value, chance = float(found.loc[key, "value"]), float(found.loc[key, "chance"])
    return f"{value:.3f}" + ("" if np.isnan(chance) else f" ({chance:.3f})")
