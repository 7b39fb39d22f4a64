"""Memory-one portraits: P(C) at the start and after each outcome, of groups and of the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.statistics.groups import group_name
from intent.behaviour.measures import SITUATIONS
from intent.figures.style import cells, ink_over, wrapped
from intent.strategies.catalogue import strategy_set

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PORTRAIT_LINES", "REFERENCES", "draw_portraits"]

REFERENCES = ("ALLC", "ALLD", "TFT", "DTFT", "WSLS", "GTFT", "EXTORT2", "BULLY")
"""Strategies of the catalogue that stand beside groups, unless others are asked for."""

PORTRAIT_LINES = (
    "P(C): share of cooperation in round 1 and after each joint outcome, own move first, all moves of a "
    "group together; below it the interval, which resamples whole games, and the number of moves.",
    "Lower block: what strategies of the catalogue do without noise. Pale and hatched: never came about.",
)

_MOST_ROWS = 60
_TICKS = {"first": "first\nmove"} | {name: f"after\n{name}" for name in SITUATIONS[1:]}


def draw_portraits(
    table: pd.DataFrame, by: Sequence[str] = (), *, references: Sequence[str] = REFERENCES
) -> Figure:
    """A row per group, then one per strategy of the catalogue; columns are the situations.

    Parameters
    ----------
    table : DataFrame
        As `intent.behaviour.measures.portraits` gives it.
    by : sequence of str
    references : names of strategies that remember one round

    Raises
    ------
    UsageError
        More than 60 rows.
    """
    from matplotlib.figure import Figure

    keys = [tuple(row) for row in table[list(by)].itertuples(index=False)]
    groups = list(dict.fromkeys(keys))
    found = {
        (key, cell.situation): cell for key, cell in zip(keys, table.itertuples(index=False), strict=True)
    }
    named = [(s.name, s.memory_one_vector()) for name in references for s in strategy_set(name)]
    known = [(name, vector) for name, vector in named if vector is not None]
    n_rows = len(groups) + len(known)
    if n_rows > _MOST_ROWS:
        raise UsageError(
            f"{len(groups)} groups are too many for a figure of portraits, expected at most "
            f"{_MOST_ROWS - len(known)}"
        )
    heights = [0.62 * max(1, len(groups)), 0.34 * max(1, len(known))]
    figure = Figure(figsize=(8.6, 2.3 + sum(heights)), layout="constrained")
    upper, lower = figure.subplots(2, 1, height_ratios=heights, sharex=True)
    image = _groups(upper, groups, found)
    _catalogue(lower, known)
    upper.set_yticks(range(len(groups)), [wrapped(group_name(group), 28) for group in groups])
    upper.set_ylabel(wrapped(" · ".join(by), 30))
    upper.tick_params(labeltop=True, labelbottom=False)
    lower.tick_params(labelbottom=False)
    upper.set_xticks(range(len(SITUATIONS)), [_TICKS[name] for name in SITUATIONS])
    bar = figure.colorbar(image, ax=[upper, lower], pad=0.02, aspect=30)
    bar.set_label("P(C)")
    bar.outline.set_visible(False)
    return figure


def _groups(axes: Axes, groups: Sequence[Any], found: dict[Any, Any]) -> Any:
    values = np.full((max(1, len(groups)), len(SITUATIONS)), np.nan)
    for i, group in enumerate(groups):
        for j, name in enumerate(SITUATIONS):
            values[i, j] = found[group, name].estimate
    image = _map(axes, values)
    for (i, j), value in np.ndenumerate(values):
        if i >= len(groups) or np.isnan(value):
            continue
        cell, tone = found[groups[i], SITUATIONS[j]], ink_over(image, value)
        axes.text(j, i - 0.2, f"{value:.2f}", ha="center", va="center", color=tone, fontsize=9.5)
        small = f"{cell.low:.2f}–{cell.high:.2f}\nn = {cell.n:,}"
        axes.text(j, i + 0.2, small, ha="center", va="center", color=tone, fontsize=6.5, linespacing=1.1)
    return image


def _catalogue(axes: Axes, known: Sequence[tuple[str, Any]]) -> None:
    if not known:
        axes.set_visible(False)
        return
    values = np.array([vector for _, vector in known], dtype=float)
    image = _map(axes, values)
    for (i, j), value in np.ndenumerate(values):
        text = f"{value:.2f}".rstrip("0").rstrip(".") or "0"
        axes.text(j, i, text, ha="center", va="center", color=ink_over(image, value), fontsize=8)
    axes.set_yticks(range(len(known)), [name for name, _ in known], fontsize=8.5)
    axes.set_ylabel("catalogue")


def _map(axes: Axes, values: NDArray[np.float64]) -> Any:
    """Cells from 0 (red) over .5 (white) to 1 (blue); hatched where there is no value."""
    from matplotlib.patches import Rectangle

    image = axes.imshow(values, cmap="RdBu", vmin=0, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        if np.isnan(value):
            axes.add_patch(
                Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor="#F4F4F4", edgecolor="#DDDDDD", hatch="///")
            )
    cells(axes, *values.shape)
    return image
