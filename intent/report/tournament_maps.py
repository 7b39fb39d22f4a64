"""Heat maps of what rows earn from columns, and how often they cooperate with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.report.style import cells, column_ticks, ink_over, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_head_to_head"]

_NUMBERED = 14
"""Rows up to which the cells hold numbers."""

_TITLES = {"payoff": "payoff per round", "cooperation": "share of cooperation"}
_COLOURS = {"payoff": "YlGnBu", "cooperation": "YlOrBr"}

Matrices = Mapping[str, Mapping[str, Mapping[str, Any]]]


def draw_head_to_head(values: Matrices, intervals: Matrices | None = None) -> Figure:
    """A map of payoffs, of cooperation, or of both; rows are who plays, columns whom they meet.

    Parameters
    ----------
    values : as `head_to_head` gives them
    intervals : optional, as `head_to_head_intervals`

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, Tables 3 to 5.
    """
    from matplotlib.figure import Figure

    names = list(next(iter(values.values())))
    numbered = len(names) <= _NUMBERED
    ticks, slant, depth = column_ticks(names, 12) if numbered else ([], {}, 0.1)
    side = (0.85 if numbered else 0.13) * max(3, len(names))
    figure = Figure(
        figsize=(max(6.5, 2.6 + len(values) * (side + 0.9)), 1.9 + depth + 0.75 * side), layout="constrained"
    )
    panels = figure.subplots(1, len(values), sharey=True, squeeze=False)[0]
    for axes, name in zip(panels, values, strict=True):
        matrix = np.array(
            [[np.nan if (x := values[name][r][c]) is None else x for c in names] for r in names]
        )
        ends = None if intervals is None else intervals[name]
        image = _map(axes, matrix, names, ends, _COLOURS[name], numbered)
        axes.set_title(_TITLES[name], loc="left", fontweight="bold")
        if numbered:
            axes.set_xticks(range(len(names)), ticks, **slant)
            axes.set_yticks(range(len(names)), [wrapped(row) for row in names])
        else:
            axes.set_xticks([])
            axes.set_yticks(range(len(names)), [wrapped(row, 40) for row in names], fontsize=5)
        axes.set_xlabel("against")
        bar = figure.colorbar(image, ax=axes, pad=0.02)
        bar.outline.set_visible(False)
    return figure


def _map(
    axes: Axes,
    matrix: NDArray[np.float64],
    names: list[str],
    ends: Mapping[str, Mapping[str, Any]] | None,
    colours: str,
    numbered: bool,
) -> Any:
    low = 0.0 if np.isnan(matrix).all() or np.nanmin(matrix) >= 0 else float(np.nanmin(matrix))
    image = axes.imshow(matrix, cmap=colours, vmin=low, aspect="auto")
    if not numbered:
        axes.tick_params(length=0)
        return image
    cells(axes, *matrix.shape)
    for (i, j), value in np.ndenumerate(matrix):
        if np.isnan(value):
            continue
        cell = None if ends is None else ends[names[i]][names[j]]
        tone = ink_over(image, value)
        axes.text(
            j, i - (0.13 if cell else 0), f"{value:.2f}", ha="center", va="center", color=tone, fontsize=9
        )
        if cell:
            text = f"{cell['low']:.2f}–{cell['high']:.2f}"
            axes.text(j, i + 0.24, text, ha="center", va="center", color=tone, fontsize=6.5)
    return image
