"""Histograms of numbers against the density they should come from, an honest sample beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.report.panels import panels
from intent.report.style import palette, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_samples"]

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
        ax.text(0.5, 0.5, "no numbers", transform=ax.transAxes, ha="center", va="center", color="#777777")
    ax.text(0.98, 0.95, f"n = {len(values)}", transform=ax.transAxes, ha="right", va="top", fontsize=8)
    ax.tick_params(labelsize=8)
