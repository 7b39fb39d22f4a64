"""A map of scores from 0 to 100: models by games, or models by settings, with means and deviations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from intent.report.style import cells, column_ticks, ink_over, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_score_map"]

_COLOURS = "YlGnBu"


def draw_score_map(
    rows: Sequence[str],
    columns: Sequence[str],
    means: Sequence[Sequence[float | None]],
    deviations: Sequence[Sequence[float | None]],
    *,
    breaks: Sequence[int] = (),
    label: str = "score",
) -> Figure:
    """Each cell holds a mean, and below it the standard deviation of the runs.

    Parameters
    ----------
    rows, columns : sequences of str
    means, deviations : (rows, columns), None where there is nothing
    breaks : sequence of int
        Columns before which a line parts families of games.
    label : str, of the colours
    """
    from matplotlib.figure import Figure

    table = np.array([[np.nan if x is None else float(x) for x in row] for row in means])
    ticks, slant, depth = column_ticks(columns, 11)
    size = (3.2 + 0.86 * len(columns), 1.7 + depth + 0.56 * len(rows))
    figure = Figure(figsize=(max(size[0], 6.5), size[1]), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(table, cmap=_COLOURS, vmin=0, vmax=100, aspect="auto")
    cells(axes, *table.shape)
    for (i, j), value in np.ndenumerate(table):
        if np.isnan(value):
            axes.text(j, i, "–", ha="center", va="center", color="#999999")
            continue
        tone, deviation = ink_over(image, value), deviations[i][j]
        axes.text(
            j,
            i - (0.12 if deviation is not None else 0),
            f"{value:.1f}",
            ha="center",
            va="center",
            color=tone,
        )
        if deviation is not None:
            axes.text(j, i + 0.24, f"± {deviation:.1f}", ha="center", va="center", color=tone, fontsize=7)
    for at in breaks:
        axes.axvline(at - 0.5, color="#444444", linewidth=1.2)
    axes.set_xticks(range(len(columns)), ticks, **slant)
    axes.set_yticks(range(len(rows)), [wrapped(row, 30) for row in rows])
    bar = figure.colorbar(image, ax=axes, pad=0.02)
    bar.set_label(label)
    bar.outline.set_visible(False)
    return figure
