"""The simplex of posteriors: where the labels of each group lie between the strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from intent import schema
from intent.analysis.comparison import group_name
from intent.analysis.posterior_points import PosteriorPoints
from intent.report.panels import check_sizes, hide
from intent.report.simplex_net import Net, simplex_net
from intent.report.style import colour, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_simplex", "simplex_lines"]

_WIDE = 4
_LARGEST = 900.0
"""Area of the disc of a whole group, in square points."""
_LEAST = 6.0


def draw_simplex(points: PosteriorPoints) -> Figure:
    """A panel per group: discs whose area is the share of the group's trajectories with that posterior.

    Parameters
    ----------
    points : PosteriorPoints

    Raises
    ------
    UsageError
        More than 30 groups.
    """
    from matplotlib.figure import Figure

    table = points.table
    keys = [tuple(row) for row in table[list(points.by)].itertuples(index=False)]
    groups = list(dict.fromkeys(keys)) or [()]
    check_sizes(len(groups), ())
    wide = min(len(groups), _WIDE)
    high = -(-len(groups) // wide)
    across = 4.6 if wide == 1 else 3.5
    figure = Figure(figsize=(max(7.5, 1.9 + across * wide), 1.7 + 0.97 * across * high), layout="constrained")
    grid = figure.subplots(high, wide, squeeze=False)
    for place, axes in enumerate(grid.flat):
        if place >= len(groups):
            hide(axes)
            continue
        inside = np.array([key == groups[place] for key in keys], dtype=bool)
        _panel(axes, points, inside)
        n = int(table["n"][inside].sum())
        heading = f"{wrapped(group_name(groups[place]), 30)}\n" if points.by else ""
        axes.set_title(f"{heading}n = {n:,}", loc="left", fontsize=9.5)
    _legend(figure, list(dict.fromkeys(table["outcome"])))
    return figure


def simplex_lines(points: PosteriorPoints) -> list[str]:
    """How to read the figure, for its caption."""
    lines = [
        "Discs: trajectories with the same posterior; area: their share of the panel. In a corner a strategy "
        "is certain, on an edge two share the probability, in the middle of an edge equally."
    ]
    if len(points.names) > 3:
        left_out = simplex_net(_posterior(points)).left_out
        n = points.table["n"].to_numpy(dtype=float)
        mean = float((left_out * n).sum() / n.sum()) if n.sum() else 0.0
        lines.append(
            f"A tetrahedron laid flat: {points.names[-1]} is the corner at all three tips. Each disc lies on "
            f"the face of its three most probable strategies; the fourth's probability (mean {mean:.3f}, at "
            f"most {left_out.max(initial=0.0):.2f}) is not shown."
        )
    if points.elsewhere > 5e-4 or points.dropped:
        lines.append(
            f"Other strategies have {points.elsewhere:.1%} of the probability; {points.dropped:,} "
            "trajectories that give them more than half are left out."
        )
    lines.append("Coloured: confident labels; grey: no label is given, for the reason named.")
    return lines


def _posterior(points: PosteriorPoints) -> Any:
    """(m, K) posteriors of the points."""
    columns = [f"{schema.PROBABILITY_PREFIX}{name}" for name in points.names]
    return points.table[columns].to_numpy(dtype=float)


def _panel(axes: Axes, points: PosteriorPoints, inside: Any) -> None:
    net = simplex_net(_posterior(points)[inside])
    for edge in net.edges:
        axes.plot(edge[:, 0], edge[:, 1], color="#BBBBBB", linewidth=1, zorder=1)
    _names(axes, net, points.names)
    n = points.table["n"].to_numpy(dtype=float)[inside]
    outcomes = points.table["outcome"].to_numpy(dtype=object)[inside]
    order = np.argsort(-n, kind="stable")
    tones = [colour(str(outcomes[i])) for i in order]
    area = np.maximum(_LEAST, _LARGEST * n / max(n.sum(), 1.0))[order]
    x, y = net.points[order].T
    axes.scatter(
        x, y, s=area, c=tones, alpha=0.85, edgecolors="white", linewidths=0.6, zorder=3, clip_on=False
    )
    axes.set_aspect("equal")
    axes.margins(0.14)
    axes.set_axis_off()


def _names(axes: Axes, net: Net, names: Sequence[str]) -> None:
    """Names beside the corners, away from the middle."""
    middle = np.mean([place for _, place in net.corners], axis=0)
    for k, place in net.corners:
        out = place - middle
        out = out / max(float(np.hypot(*out)), 1e-9)
        side = "left" if out[0] > 0.3 else "right" if out[0] < -0.3 else "center"
        level = "bottom" if out[1] > 0.3 else "top" if out[1] < -0.3 else "center"
        if abs(out[1]) > 0.3 and place[1] < 1e-9:
            side = "center"
        x, y = map(float, place)
        beside = (12 * float(out[0]), 12 * float(out[1]))
        axes.annotate(
            wrapped(names[k], 14), (x, y), beside, textcoords="offset points", ha=side, va=level,
            fontsize=8.5, color="#333333", annotation_clip=False,
        )  # fmt: skip


def _legend(figure: Figure, outcomes: list[str]) -> None:
    from matplotlib.lines import Line2D

    statuses = [name for name in schema.STATUSES if name in outcomes]
    names = [*sorted(name for name in outcomes if name not in statuses), *statuses]
    handles = [
        Line2D(
            [], [], color=colour(name), marker="o", linestyle="", label=wrapped(name.replace("_", " "), 18)
        )
        for name in names
    ]
    if handles:
        figure.legend(
            handles=handles, loc="outside right upper", frameon=False, title="label", alignment="left"
        )
