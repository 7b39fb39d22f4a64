"""Heat maps of shares: groups by outcomes, or one factor by another with a panel per outcome."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.analysis.comparison import Comparison
from intent.report.style import cells, column_ticks, ink_over, percent_ends, share_label, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_heatmap"]

_COLOURS = "YlGnBu"
_PANELS_PER_ROW = 5
_COLUMNS_PER_ROW = 24
_LETTERS = 8
"""Letters of a label that fit in a column of a panel."""


def draw_heatmap(comparison: Comparison) -> Figure:
    """Each cell holds a share in per cent, and below it the interval."""
    return _panels(comparison) if len(comparison.by) > 1 else _one_map(comparison)


def _one_map(comparison: Comparison) -> Figure:
    from matplotlib.figure import Figure

    groups, names = comparison.groups, _occurring(comparison)
    shares = np.array([[g.intervals[k].estimate for k in names] for g in groups])
    texts = [[_cell(g.intervals[k]) for k in names] for g in groups]
    ticks, slant, depth = column_ticks([comparison.outcomes[k].replace("_", " ") for k in names], 13)
    size = (2.9 + 1.15 * len(names), 2.1 + depth + 0.62 * len(groups))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    image = _draw(axes, shares, texts, float(shares.max()))
    axes.set_xticks(range(len(names)), ticks, **slant)
    labels = [wrapped(" · ".join(map(str, g.values)) or "all") + f"\nn = {g.n:,}" for g in groups]
    axes.set_yticks(range(len(groups)), labels)
    axes.set_xlabel("outcome")
    axes.set_ylabel(" · ".join(comparison.by))
    _colour_bar(figure, image, axes, share_label(comparison))
    return figure


def _panels(comparison: Comparison) -> Figure:
    from matplotlib.figure import Figure

    rows = list(dict.fromkeys(g.values[0] for g in comparison.groups))
    columns = sorted({g.values[1:] for g in comparison.groups}, key=_order(comparison))
    place = {(g.values[0], g.values[1:]): g for g in comparison.groups}
    names = _occurring(comparison)
    used = len(names) + 1
    wide, high = _grid(used, len(columns))
    ticks, slant, depth = column_ticks([" · ".join(map(str, c)) for c in columns], _LETTERS)
    across, down = 0.45 + 0.56 * max(3, len(columns)), 0.55 + depth + 0.46 * max(2, len(rows))
    figure = Figure(figsize=(1.9 + wide * across, 1.9 + high * down), layout="constrained")
    grid: NDArray[Any] = figure.subplots(high, wide, squeeze=False, sharex=True, sharey=True)
    shares = np.full((len(names), len(rows), len(columns)), np.nan)
    numbers = np.zeros((len(rows), len(columns)), dtype=int)
    texts = [[["" for _ in columns] for _ in rows] for _ in names]
    for (first, rest), group in place.items():
        i, j = rows.index(first), columns.index(rest)
        numbers[i, j] = group.n
        for p, k in enumerate(names):
            shares[p, i, j] = group.intervals[k].estimate
            texts[p][i][j] = _cell(group.intervals[k])
    top = float(np.nanmax(shares))
    flat = grid.ravel()
    image = None
    for p, k in enumerate(names):
        image = _draw(flat[p], shares[p], texts[p], top, small=True)
        flat[p].set_title(comparison.outcomes[k].replace("_", " "), loc="left", fontweight="bold")
    _draw(flat[len(names)], np.full(numbers.shape, np.nan), [[f"{n:,}" for n in row] for row in numbers], 1.0)
    flat[len(names)].set_title(
        f"n, number of {'subjects' if comparison.count == 'sfem' else 'trajectories'}", loc="left"
    )
    for p, axes in enumerate(flat):
        axes.set_visible(p < used)
        axes.set_xticks(range(len(columns)), ticks, **slant)
        axes.set_yticks(range(len(rows)), [wrapped(r) for r in rows])
        axes.tick_params(labelbottom=True, labelleft=p % wide == 0)
        axes.set_xlabel(" · ".join(comparison.by[1:]) if p + wide >= used else "")
        axes.set_ylabel(comparison.by[0] if p % wide == 0 else "")
    _colour_bar(figure, image, grid, share_label(comparison))
    return figure


def _grid(panels: int, columns: int) -> tuple[int, int]:
    """Panels per row and rows of panels: as few places left empty as can be, then as wide as can be."""
    most = max(1, min(_PANELS_PER_ROW, panels, _COLUMNS_PER_ROW // columns))
    wide = min(range(most, 0, -1), key=lambda w: (-panels % w if w > 1 else panels, -w))
    return wide, math.ceil(panels / wide)


def _order(comparison: Comparison) -> Any:
    """Sort key that keeps the order in which the values of each factor come."""
    seen = [list(dict.fromkeys(g.values[i] for g in comparison.groups)) for i in range(len(comparison.by))]
    ranks = [{value: rank for rank, value in enumerate(_sorted(values))} for values in seen]
    return lambda rest: tuple(ranks[i + 1][value] for i, value in enumerate(rest))


def _sorted(values: list[Any]) -> list[Any]:
    from intent.analysis.groups import NONE

    try:
        return sorted(values, key=lambda v: (v == NONE, v))
    except TypeError:
        return values


def _occurring(comparison: Comparison) -> list[int]:
    return [
        k
        for k in range(len(comparison.outcomes))
        if any(g.intervals[k].estimate > 0 for g in comparison.groups)
    ]


def _cell(interval: Any) -> str:
    return f"{interval.estimate * 100:.0f}\n{percent_ends(interval)}"


def _draw(
    axes: Axes, values: NDArray[np.float64], texts: list[list[str]], top: float, *, small: bool = False
) -> Any:
    image = axes.imshow(values, cmap=_COLOURS, vmin=0, vmax=top, aspect="auto")
    cells(axes, *values.shape)
    for (i, j), value in np.ndenumerate(values):
        number, _, ends = texts[i][j].partition("\n")
        tone = ink_over(image, value)
        axes.text(j, i - (0.13 if ends else 0), number, ha="center", va="center", color=tone, fontsize=9)
        axes.text(j, i + 0.24, ends, ha="center", va="center", color=tone, fontsize=6 if small else 7)
    return image


def _colour_bar(figure: Figure, image: Any, axes: Any, label: str) -> None:
    from matplotlib.ticker import PercentFormatter

    bar = figure.colorbar(image, ax=axes, format=PercentFormatter(1, decimals=0, symbol=""), pad=0.02)
    bar.set_label(label)
    bar.outline.set_visible(False)
