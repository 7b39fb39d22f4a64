"""Equilibria of Moran processes: bars with intervals beside the shares at the start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from intent.report.evolution_colours import name_colours
from intent.report.panels import percent_axis
from intent.report.style import wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_equilibria"]


def draw_equilibria(found: Any, titles: Sequence[str]) -> Figure:
    """A panel per start, a bar per name.

    Parameters
    ----------
    found : intent.workflows.evolve_result.Evolution
        Its ``pool.names`` and ``mixes`` are drawn.
    titles : sequence of str, one per start
    """
    from matplotlib.figure import Figure

    names, mixes = found.pool.names, found.mixes
    width = max(4.6, 1.1 + 1.05 * len(names))
    wide = min(3, len(mixes))
    high = -(-len(mixes) // wide)
    figure = Figure(figsize=(max(6.0, width * wide), 0.9 + 3.5 * high), layout="constrained")
    grid = figure.subplots(high, wide, squeeze=False, sharey=True)
    tones = name_colours(names)
    for place, axes in enumerate(grid.ravel()):
        if place >= len(mixes):
            axes.set_axis_off()
            continue
        mix = mixes[place]
        for k, (name, tone) in enumerate(zip(names, tones, strict=True)):
            share = mix.equilibria[k].share if mix.long_run is None else mix.long_run[name]
            exact = mix.fixation if mix.long_run is None else mix.stationary
            axes.bar(k, share.estimate, 0.62, color=tone)
            axes.plot([k, k], [share.low, share.high], color="black", linewidth=1.4, solid_capstyle="butt")
            initial = mix.equilibria[k].initial
            axes.plot([k - 0.4, k + 0.4], [initial, initial], color="#444444", linewidth=1.4, linestyle="--")
            if exact is not None:
                axes.plot(k + 0.2, float(exact[k]), "D", color="white", markeredgecolor="black", markersize=5)
        axes.set_xticks(range(len(names)), [wrapped(name, 12) for name in names])
        axes.set_ylim(0, 1)
        axes.set_title(wrapped(titles[place], 40), loc="left")
        percent_axis(axes)
    for axes in grid[:, 0]:
        axes.set_ylabel("share of runs (%)" if mixes[0].long_run is None else "share of time (%)")
    return figure
