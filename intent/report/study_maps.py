"""Heat maps of a study: regret by noise and rounds, and by noise of training and of testing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.report.style import ink, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_mismatch", "draw_regret_maps", "grid_shape"]

_EDGES = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 100.0)
"""Classes of regret in percentage points, one colour each: they matter from tenths to tens."""

_PANELS_PER_ROW = 5


def draw_regret_maps(table: pd.DataFrame) -> Figure:
    """A panel per recogniser, rows by number of rounds, columns by noise.

    Parameters
    ----------
    table : columns label, rounds, noise, regret_known; one row per cell
    """
    labels = list(dict.fromkeys(table["label"]))
    wide, high = grid_shape(len(labels))
    figure, grid = _grid(wide, high, across=2.75, down=2.3)
    image = None
    for i, axes in enumerate(grid.ravel()):
        axes.set_visible(i < len(labels))
        if i >= len(labels):
            continue
        part = table[table["label"] == labels[i]]
        image = _map(axes, part.pivot_table(index="rounds", columns="noise", values="regret_known"))
        axes.set_title(wrapped(labels[i], 30), loc="left", fontweight="bold")
        axes.set_xlabel("noise of the play" if i + wide >= len(labels) else "")
        axes.set_ylabel("rounds" if i % wide == 0 else "")
    _colour_bar(figure, image, grid)
    return figure


def draw_mismatch(table: pd.DataFrame, noises: Sequence[str]) -> Figure:
    """A panel per set and recogniser, rows by noise of training, columns by noise of the play.

    Parameters
    ----------
    table : columns label, set, train_noise, noise, regret_known; the mean of several rows is shown
    noises : of training, in order
    """
    labels, sets = (list(dict.fromkeys(table[name])) for name in ("label", "set"))
    figure, grid = _grid(len(labels), len(sets), across=2.75, down=1.75)
    image = None
    for i, j in np.ndindex(len(sets), len(labels)):
        part = table[(table["set"] == sets[i]) & (table["label"] == labels[j])]
        axes = grid[i, j]
        axes.set_visible(len(part) > 0)
        if not len(part):
            continue
        values = part.pivot_table(index="train_noise", columns="noise", values="regret_known")
        image = _map(axes, values.reindex([n for n in noises if n in values.index]))
        title = f"{labels[j]}\n{sets[i]}" if i == 0 else sets[i]
        axes.set_title(title, loc="left", fontweight="bold")
        axes.set_xlabel("noise of the play" if i == len(sets) - 1 else "")
        axes.set_ylabel("noise of training" if j == 0 else "")
    _colour_bar(figure, image, grid)
    return figure


def grid_shape(panels: int) -> tuple[int, int]:
    """Columns and rows of a grid of panels: as few places left empty as can be, then as wide as can be."""
    most = min(_PANELS_PER_ROW, panels)
    wide = min(range(most, min(most, 3) - 1, -1), key=lambda w: (-panels % w, -w))
    return wide, math.ceil(panels / wide)


def _grid(wide: int, high: int, across: float, down: float) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    size = (max(7.5, 1.6 + wide * across), 1.7 + high * down)
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(high, wide, squeeze=False)


def _map(axes: Axes, values: pd.DataFrame) -> Any:
    from matplotlib import colormaps
    from matplotlib.colors import BoundaryNorm, to_hex

    percent = values.to_numpy(dtype=float).round(6) * 100 + 0.0
    colours = colormaps["YlOrRd"].resampled(len(_EDGES) - 1)
    shown = np.clip(percent, 0, _EDGES[-1] - 1e-9)
    image = axes.imshow(shown, cmap=colours, norm=BoundaryNorm(_EDGES, colours.N), aspect="auto")
    axes.set_xticks(range(values.shape[1]), [f"{eps:g}" for eps in values.columns])
    axes.set_yticks(range(values.shape[0]), [str(name) for name in values.index])
    axes.set_xticks(np.arange(values.shape[1] + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(values.shape[0] + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    for (i, j), value in np.ndenumerate(percent):
        if np.isnan(value):
            continue
        tone = ink(to_hex(tuple(image.to_rgba(np.array([shown[i, j]]))[0])))
        text = f"{value:.2f}" if value < 9.995 else f"{value:.1f}"
        axes.text(j, i, text, ha="center", va="center", color=tone, fontsize=8)
    return image


def _colour_bar(figure: Figure, image: Any, grid: Any) -> None:
    bar = figure.colorbar(image, ax=grid, pad=0.015, ticks=_EDGES, spacing="uniform", aspect=28)
    bar.ax.set_yticklabels([f"{edge:g}" for edge in _EDGES])
    bar.set_label("regret (percentage points)")
    bar.outline.set_visible(False)
