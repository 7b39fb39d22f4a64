"""Equilibria of Moran processes: bars with intervals beside the shares at the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intent.report.evolution_colours import name_colours
from intent.report.panels import check_sizes, percent_axis
from intent.report.style import wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["draw_equilibria", "equilibria_lines"]


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
    from matplotlib.figure import Figure

    names, starts = list(dict.fromkeys(table["name"])), list(dict.fromkeys(table["start"]))
    check_sizes(len(starts), names)
    width = max(4.6, 1.1 + 1.05 * len(names))
    wide = min(3, len(starts))
    high = -(-len(starts) // wide)
    figure = Figure(figsize=(max(6.0, width * wide), 0.9 + 3.5 * high), layout="constrained")
    grid = figure.subplots(high, wide, squeeze=False, sharey=True)
    tones = dict(zip(names, name_colours(names), strict=True))
    for place, axes in enumerate(grid.ravel()):
        if place >= len(starts):
            axes.set_axis_off()
            continue
        for row in table[table["start"] == starts[place]].itertuples(index=False):
            k = names.index(row.name)
            axes.bar(k, row.share, 0.62, color=tones[row.name])
            axes.plot([k, k], [row.low, row.high], color="black", linewidth=1.4, solid_capstyle="butt")
            initial = [row.initial, row.initial]
            axes.plot([k - 0.4, k + 0.4], initial, color="#444444", linewidth=1.4, linestyle="--")
            if row.fixation is not None and row.fixation == row.fixation:
                axes.plot(k + 0.2, row.fixation, "D", color="white", markeredgecolor="black", markersize=5)
        axes.set_xticks(range(len(names)), [wrapped(name, 12) for name in names])
        axes.set_ylim(0, 1)
        axes.set_title(wrapped(starts[place], 40), loc="left")
        percent_axis(axes)
    for axes in grid[:, 0]:
        axes.set_ylabel("share of runs (%)" if ended else "share of time (%)")
    return figure


def equilibria_lines(*, runs: int, individuals: int | None, level: float, ended: bool) -> tuple[str, ...]:
    """How to read the figure, for its caption."""
    bars = f"Bars: mean share over time, with {level:.0%} intervals by batch means."
    if ended:
        size = "" if individuals is None else f" of {individuals} individuals"
        bars = f"Bars: share of {runs} Moran processes{size}; exact binomial {level:.0%} intervals."
    return (
        bars,
        "Dashes: share at the start, what drift alone gives. Diamonds: exact for mean payoffs.",
    )
