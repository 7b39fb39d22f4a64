"""Equilibria of Moran processes: bars with intervals beside the shares at the start.

One Moran process as it went: individuals of each name, birth after birth.

Colours of the names of a population: attitudes and strategies their own, others one each.

Heat maps of what rows earn from columns, and how often they cooperate with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics import interval_words
from intent.figures.panels import check_sizes
from intent.figures.style import (
    Drawing,
    canvas,
    colour,
    colour_bar,
    column_ticks,
    columns_of,
    has_colour,
    hide,
    key,
    outline,
    palette,
    percent_axis,
    pt,
    text_map,
    wrapped,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = ["draw_equilibria", "draw_head_to_head", "draw_path", "equilibria_figure", "name_colours"]


def name_colours(names: Sequence[str]) -> list[str]:
    """A colour for each name, no two alike up to nine names."""
    used = [colour(name) for name in names if has_colour(name)]
    spare = iter([tone for tone in palette(9) if tone not in used] * (1 + len(names) // 6) or palette(9))
    return [colour(name) if has_colour(name) else next(spare) for name in names]


def draw_equilibria(table: pd.DataFrame, *, ended: bool = True) -> Figure:
    """A panel per start, a bar per name.

    Parameters
    ----------
    table : DataFrame
        A row per start and name: start, name, share, low, high, initial (share at the start), fixation (exact
        for mean payoffs, or null).
    ended : bool
        Whether processes ended with one name alone; else shares are of time.
    """
    names, starts = list(dict.fromkeys(table["name"])), list(dict.fromkeys(table["start"]))
    check_sizes(len(starts), names)
    width = max(4.6, 1.1 + 1.05 * len(names))
    wide = columns_of(min(3, len(starts)), 0.45 * len(names))
    high = -(-len(starts) // wide)
    figure, grid = canvas(max(6.0, width * wide), 0.9 + 3.5 * high, high, wide, squeeze=False, sharey=True)
    tones = dict(zip(names, name_colours(names), strict=True))
    for place, axes in enumerate(grid.ravel()):
        if place >= len(starts):
            hide(axes)
            continue
        for row in table[table["start"] == starts[place]].itertuples(index=False):
            k = names.index(row.name)
            axes.bar(
                k, row.share, 0.62, color=tones[row.name], edgecolor=outline(tones[row.name]), linewidth=0.6
            )
            axes.plot([k, k], [row.low, row.high], color="black", linewidth=1.4, solid_capstyle="butt")
            initial = [row.initial, row.initial]
            axes.plot([k - 0.4, k + 0.4], initial, color="#444444", linewidth=1.4, linestyle="--")
            if row.fixation is not None and row.fixation == row.fixation:
                axes.plot(k + 0.2, row.fixation, "D", color="white", markeredgecolor="black", markersize=5)
        axes.set_xticks(range(len(names)), [wrapped(name, 12) for name in names])
        axes.set_ylim(0, 1)
        axes.set_title(wrapped(starts[place], 40), loc="left")
        percent_axis(axes.yaxis)
    for axes in grid[:, 0]:
        axes.set_ylabel("share of runs (%)" if ended else "share of time (%)")
    return figure


def equilibria_figure(
    table: pd.DataFrame, runs: int, individuals: int | None, *, level: float, ended: bool
) -> Drawing:
    """`draw_equilibria` of so many processes and individuals, and intervals of a level."""
    bars = f"Bars: mean share over time, with {interval_words(level, 'batch means')}."
    if ended:
        size = "" if individuals is None else f" of {individuals} individuals"
        bars = f"Bars: share of {runs} Moran processes{size}; {interval_words(level, 'exact binomial')}."
    dashes = "Dashes: share at the start, what drift alone gives. Diamonds: exact for mean payoffs."
    title = "Who is left alone" if ended else "Shares in the long run"
    return Drawing(title, lambda: draw_equilibria(table, ended=ended), (bars, dashes))


def draw_path(names: Sequence[str], path: NDArray[np.integer[Any]]) -> Figure:
    """Stacked steps that fill the population.

    Parameters
    ----------
    names : sequence of m str
    path : (k, 1 + m) int, step and individuals
    """
    from matplotlib.ticker import MaxNLocator

    figure, axes = canvas(9.0, 4.2)
    ends = path[-1:] + np.array([[1, *(0 for _ in names)]])  # so that the last composition is seen
    path = np.concatenate([path, ends])
    steps, tops = path[:, 0], np.cumsum(path[:, 1:], axis=1)
    bottoms = np.column_stack([np.zeros(len(path)), tops[:, :-1]])
    tones = name_colours(names)
    for k, tone in enumerate(tones):
        axes.fill_between(
            steps,
            bottoms[:, k],
            tops[:, k],
            step="post",
            facecolor=tone,
            edgecolor=outline(tone),
            linewidth=0.5,
        )
    axes.set_xlim(0, int(steps[-1]))
    axes.set_ylim(0, int(tops[0, -1]))
    axes.set_xlabel("births")
    axes.set_ylabel("individuals")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    key(figure, [wrapped(name, 18) for name in names][::-1], tones[::-1])
    return figure


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
    names = list(next(iter(values.values())))
    numbered = len(names) <= _NUMBERED
    ticks, slant, depth = column_ticks(names, 12) if numbered else ([], {}, 0.1)
    side = (0.85 if numbered else 0.13) * max(3, len(names))
    width = max(6.5, 2.6 + len(values) * (side + 0.9))
    wide = columns_of(len(values), 0.5 * max(4, len(names)))
    high = -(-len(values) // wide)
    height = 0.95 + high * (0.95 + depth + 0.75 * side)
    figure, grid = canvas(width, height, high, wide, sharey=True, squeeze=False)
    for axes, name in zip(grid.flat, values, strict=True):
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
            axes.set_yticks(range(len(names)), [wrapped(row, 40) for row in names], fontsize=pt(5))
        axes.set_xlabel("against")
        colour_bar(figure, image, axes)
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
    if not numbered:
        axes.tick_params(length=0)
        return axes.imshow(matrix, cmap=colours, vmin=low, aspect="auto")
    texts = [["" if x != x else f"{x:.2f}" for x in row] for row in matrix]
    if ends is not None:
        for (i, j), cell in np.ndenumerate([[ends[r][c] for c in names] for r in names]):
            texts[i][j] += f"\n{cell['low']:.2f}–{cell['high']:.2f}" if cell and texts[i][j] else ""
    return text_map(axes, matrix, texts, sizes=(9, 6.5), cmap=colours, vmin=low)
