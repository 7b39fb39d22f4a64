"""One Moran process as it went: individuals of each name, birth after birth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.report.evolution_colours import name_colours
from intent.report.style import wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_path"]


def draw_path(names: Sequence[str], path: NDArray[np.integer[Any]]) -> Figure:
    """Stacked steps that fill the population.

    Parameters
    ----------
    names : sequence of m str
    path : (k, 1 + m) int, step and individuals
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(9.0, 4.2), layout="constrained")
    axes = figure.subplots()
    ends = path[-1:] + np.array([[1, *(0 for _ in names)]])  # so that the last composition is seen
    path = np.concatenate([path, ends])
    steps, tops = path[:, 0], np.cumsum(path[:, 1:], axis=1)
    bottoms = np.column_stack([np.zeros(len(path)), tops[:, :-1]])
    tones = name_colours(names)
    for k, tone in enumerate(tones):
        axes.fill_between(
            steps, bottoms[:, k], tops[:, k], step="post", color=tone, edgecolor="white", linewidth=0.5
        )
    axes.set_xlim(0, int(steps[-1]))
    axes.set_ylim(0, int(tops[0, -1]))
    axes.set_xlabel("births")
    axes.set_ylabel("individuals")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    handles = [Patch(facecolor=t, label=wrapped(n, 18)) for n, t in zip(names, tones, strict=True)][::-1]
    figure.legend(handles=handles, loc="outside right upper", frameon=False)
    return figure
