"""The radar of behavioural measures, and beside it the table of the values that it is drawn from.

Stacked bars by round: in what share of games how many players cooperated.

Histograms of numbers against the density they should come from, an honest sample beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.base.errors import UsageError
from intent.behaviour.indices import AXES, Radar
from intent.figures.panels import check_sizes, headings, is_level, legend, levels, named, panels
from intent.figures.style import (
    FAINT,
    MARKERS,
    columns_of,
    empty_panel,
    ink,
    key,
    narrow,
    outline,
    palette,
    paper,
    percent_axis,
    pt,
    wrapped,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = ["LEAST_AXES", "draw_contributors", "draw_radar", "draw_samples"]


LEAST_AXES = 3
"""Axes below which no polygon is drawn."""

_WIDE = 4


def draw_radar(radar: Radar, *, stakes_title: str | None = None) -> Figure:
    """One polygon per model and setting of the stakes, over the axes that can be computed; below, the values.

    With fewer than three axes no polygon is drawn and the figure says why.

    Parameters
    ----------
    stakes_title : str, optional
        What the settings are called.

    Raises
    ------
    UsageError
        Too many models or settings.
    """
    table = radar.table
    settings, models = list(dict.fromkeys(table["stakes"])), list(dict.fromkeys(table["model"]))
    check_sizes(len(settings), models)
    drawn = len(radar.axes) >= LEAST_AXES
    wide = columns_of(min(len(settings), _WIDE), 2.0, 0.5)
    high = -(-len(settings) // wide)
    lines = len(settings) * len(models) + 1.7
    tall = 3.1 * high if drawn else 0.9
    tabled = not narrow()
    if not tabled:
        lines = 0.0
    figure = paper(max(9.0, 2.0 + 3.1 * wide), 1.7 + tall + 0.235 * lines)
    ratios = [tall / high] * high + [0.235 * lines] * tabled
    grid = figure.add_gridspec(high + tabled, wide, height_ratios=ratios)
    if drawn:
        for s, setting in enumerate(settings):
            axes = figure.add_subplot(grid[s // wide, s % wide], projection="polar")
            heading = "" if radar.stakes is None else f"{stakes_title or radar.stakes} = {named(setting)}"
            _polygons(axes, table[table["stakes"] == setting], models, radar.axes, heading)
    else:
        axes = figure.add_subplot(grid[:high, :])
        axes.set_axis_off()
        reasons = "; ".join(f"{AXES[axis]}: {why}" for axis, why in radar.missing.items())
        text = wrapped(f"No radar: {LEAST_AXES} axes are needed. {reasons}.", 110)
        axes.text(0.0, 0.5, text, va="center", fontsize=pt(9.5))
    if tabled:
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
        axes.fill(around, closed, color=tone, alpha=0.1, gid=FAINT)
        axes.plot(
            around, closed, f"-{MARKERS[m % len(MARKERS)]}", color=tone, linewidth=1.7, markersize=4.5,
            markeredgecolor="white", markeredgewidth=0.5,
        )  # fmt: skip
    axes.set_theta_offset(np.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_xticks(angles, names, fontweight="bold")
    axes.set_ylim(0, 1.05)
    axes.set_yticks([0.25, 0.5, 0.75, 1.0], ["", "0.5", "", "1"], fontsize=pt(7), color="#666666")
    axes.spines["polar"].set_visible(False)
    axes.grid(color="#DDDDDD", gid=FAINT)
    axes.set_title(wrapped(heading, 30), fontsize=pt(10), pad=14)


def _values(axes: Any, radar: Radar, settings: list[Any], models: list[Any], called: str | None) -> None:
    """The values, in brackets what repetitions alone would give."""
    axes.set_axis_off()
    rows = []
    values = radar.table.set_index(["stakes", "model", "axis"])
    for setting in settings:
        for model in models:
            cells = [_cell(values, (setting, model, axis)) for axis in AXES]
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
    drawn.set_fontsize(pt(8))
    for (row, _), cell in drawn.get_celld().items():
        cell.PAD = 0.02
        if row == 0:
            cell.set_height(cell.get_height() * 1.7)
            cell.set_text_props(fontweight="bold")


def _cell(values: pd.DataFrame, key: tuple[Any, Any, str]) -> str:
    if key not in values.index or np.isnan(values.loc[key, "value"]):
        return "–"
    value, chance = float(values.loc[key, "value"]), float(values.loc[key, "chance"])
    return f"{value:.3f}" + ("" if np.isnan(chance) else f" ({chance:.3f})")


_MOST = 12
"""Players beyond which shades are no longer tabled apart."""


def draw_contributors(
    table: pd.DataFrame, *, rows: str | None, columns: str | None, title: str | None = None
) -> Figure:
    """A bar per round, divided by the number of contributors, darker for more; a number where there is room.

    Parameters
    ----------
    table : DataFrame
        As `contributor_counts` returns.
    rows, columns : str or None
        What makes the panels.
    title : str, optional
        What the values of `columns` are called.

    Raises
    ------
    UsageError
        Too many panels, or games of more than twelve players.
    """
    from matplotlib import colormaps
    from matplotlib.colors import to_hex
    from matplotlib.ticker import MaxNLocator

    down, across = levels(table, rows), levels(table, columns)
    check_sizes(len(down) * len(across), ())
    most = int(table["contributors"].max())
    if most > _MOST:
        raise UsageError(
            f"games of {most} players are too many for bars of contributors, expected at most {_MOST}"
        )
    tones = [to_hex(colormaps["viridis_r"](0.04 + 0.9 * k / most)) for k in range(most + 1)]
    figure, axes = panels(len(down), len(across), across=3.2, down=2.3, least=7.5, sharex=True, sharey=True)
    for i, row in enumerate(down):
        for j, column in enumerate(across):
            ax = axes[i, j]
            part = table[is_level(table, rows, row) & is_level(table, columns, column)]
            _stack(ax, part, tones)
            ax.set_ylim(0, 1)
            percent_axis(ax.yaxis)
            ax.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True, min_n_ticks=1))
            ax.tick_params(axis="x", length=0)
            if j == 0:
                ax.set_ylabel("games (%)")
            if i == len(down) - 1:
                ax.set_xlabel("round")
    headings(axes, down, [f"{title or columns} = {named(c)}" if columns else None for c in across])
    key(figure, [str(k) for k in range(most, -1, -1)], tones[::-1], "contributors")
    return figure


def _stack(ax: Any, part: pd.DataFrame, tones: list[str]) -> None:
    few = part["round"].nunique() <= 12
    for _, bar in part.groupby("round", observed=True):
        bottom = 0.0
        for k, n, share in bar.groupby("contributors", observed=True)[["n", "share"]].sum().itertuples():
            at = bar["round"].iloc[0]
            ax.bar(at, share, 0.86, bottom=bottom, color=tones[k], edgecolor=outline(tones[k]), linewidth=0.4)
            if few and share > 0.09:
                ax.text(
                    at,
                    bottom + share / 2,
                    f"{n:g}",
                    ha="center",
                    va="center",
                    fontsize=pt(6.5),
                    color=ink(tones[k]),
                )
            bottom += share
    if not len(part):
        empty_panel(ax)


_BINS = 20


def draw_samples(table: pd.DataFrame, laws: Sequence[tuple[str, bool, Any]]) -> Figure:
    """A column per distribution: the numbers above, an honest sample of as many below.

    Parameters
    ----------
    table : DataFrame
        Columns distribution, origin (model or honest), value.
    laws : sequence of (name, discrete, frozen distribution of scipy)
    """
    figure, axes = panels(2, len(laws), across=3.2, down=2.1, least=7.5)
    tones = palette(3)
    for column, (name, discrete, law) in enumerate(laws):
        ends = _ends(table[table["distribution"] == name]["value"].to_numpy(dtype=float), law)
        for row, origin in enumerate(("model", "honest")):
            ax = axes[row, column]
            part = table[(table["distribution"] == name) & (table["origin"] == origin)]
            _panel(ax, part["value"].to_numpy(dtype=float), discrete, law, ends, tones[row])
            ax.set_ylabel(("model" if row == 0 else "honest sampler") if column == 0 else "")
            if row == 0:
                ax.set_title(wrapped(name, 28), loc="left", fontweight="bold")
        top = max(ax.get_ylim()[1] for ax in axes[:, column])
        for ax in axes[:, column]:
            ax.set_ylim(0, top)
    return figure


def _ends(values: np.ndarray[Any, Any], law: Any) -> tuple[float, float]:
    """The range that is drawn: what the law may give, and the middle of what was given."""
    low, high = float(law.ppf(0.0005)), float(law.ppf(0.9995))
    if len(values):
        span = high - low
        low = min(low, max(float(values.min()), low - span))
        high = max(high, min(float(values.max()), high + span))
    return low, high


def _panel(
    ax: Axes, values: np.ndarray[Any, Any], discrete: bool, law: Any, ends: tuple[float, float], tone: str
) -> None:
    low, high = ends
    if discrete:
        edges = np.arange(np.floor(low) - 0.5, np.ceil(high) + 1.5)
        whole = np.arange(np.ceil(edges[0]), edges[-1])
        ax.plot(whole, law.pmf(whole), "o", color="#333333", markersize=3.5, zorder=3)
    else:
        edges = np.linspace(low, high, _BINS + 1)
        grid = np.linspace(low, high, 300)
        ax.plot(grid, law.pdf(grid), color="#333333", linewidth=1.4, zorder=3)
    width = np.diff(edges)
    if len(values):
        counts = np.histogram(values, edges)[0]
        ax.bar(edges[:-1], counts / len(values) / width, width, align="edge", color=tone, edgecolor="white")
    else:
        empty_panel(ax, "no numbers")
    ax.text(0.98, 0.95, f"n = {len(values)}", transform=ax.transAxes, ha="right", va="top", fontsize=pt(8))
    ax.tick_params(labelsize=pt(8))
