"""Three names in a triangle: where the replicator dynamics lead, and where Moran processes ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.evolution.replicator import flow, rest_points
from intent.report.style import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_field", "ternary"]

_CORNERS = np.array([[0.0, 0.0], [0.5, 3**0.5 / 2], [1.0, 0.0]])
"""Of the first name at the left, the second on top, the third at the right."""


def ternary(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """(..., 2) places in the triangle of shares (..., 3).

    Examples
    --------
    >>> ternary(np.array([0.0, 0.0, 1.0])).tolist()
    [1.0, 0.0]
    """
    return np.asarray(shares @ _CORNERS)


def draw_field(found: Any) -> Figure:
    """The triangle.

    Parameters
    ----------
    found : intent.workflows.evolve_result.Evolution
        Of three names; ``pool.names``, ``payoffs`` and ``mixes`` are drawn.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 6.8), layout="constrained")
    axes = figure.subplots()
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-0.24, 1.24)
    axes.set_ylim(-0.2, 1.02)
    loop = _CORNERS[[0, 1, 2, 0]]
    axes.plot(loop[:, 0], loop[:, 1], color="#444444", linewidth=1.2)
    _arrows(axes, found.payoffs)
    for mix in found.mixes:
        line = ternary(mix.course.shares)
        axes.plot(line[:, 0], line[:, 1], color="#333333", linewidth=1.6)
        axes.plot(*line[0], "s", color="white", markeredgecolor="#333333", markersize=7, clip_on=False)
    for point in rest_points(found.payoffs):
        face = "#BBBBBB" if point.stable is None else "black" if point.stable else "white"
        place = ternary(np.array(point.shares))
        axes.plot(*place, "o", color=face, markeredgecolor="black", markersize=9, clip_on=False)
    places: list[dict[str, Any]] = [
        {"ha": "center", "va": "top", "xytext": (0, -12)},
        {"ha": "center", "va": "bottom", "xytext": (0, 10)},
        {"ha": "center", "va": "top", "xytext": (0, -12)},
    ]
    for k, name in enumerate(found.pool.names):
        ends = " · ".join(f"{mix.equilibria[k].share.estimate:.0%}" for mix in found.mixes)
        text = wrapped(name, 18) + (f"\n{ends}" if found.mixes[0].long_run is None else "")
        axes.annotate(
            text,
            tuple(_CORNERS[k]),
            textcoords="offset points",
            color="#222222",
            fontweight="bold",
            **places[k],
        )
    return figure


def _arrows(axes: Axes, payoffs: NDArray[np.float64], n: int = 14) -> None:
    """Directions of the flow at inner compositions, longer where it is faster."""
    inner = np.array([(i, j, n - i - j) for i in range(1, n) for j in range(1, n - i)]) / n
    change = flow(payoffs, inner)
    at, way = ternary(inner), ternary(change)
    speed = np.hypot(*way.T)
    if not speed.max() > 0:
        return
    length = 0.6 / n * (0.35 + 0.65 * np.sqrt(speed / speed.max()))
    unit = way / np.where(speed > 0, speed, 1.0)[:, None] * length[:, None] * (speed > 0)[:, None]
    axes.quiver(
        *(at - unit / 2).T,
        *unit.T,
        angles="xy",
        scale_units="xy",
        scale=1,
        color="#8AA4B8",
        width=0.0035,
        headwidth=4.5,
    )
