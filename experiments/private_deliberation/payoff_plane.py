"""Equilibria and play in the plane of both players' payoffs, a panel per game and pairing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from intent.figures.panels import check_sizes, panels
from intent.figures.style import (
    columns_of,
    hide,
    legend_of,
    pt,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Plane", "draw_planes"]

_WIDE = 3
_MARKS = {
    "pareto": ("o", 15.0, "#5D53A6", "Pareto-efficient"),
    "nash": ("s", 9.5, "#7E8C1C", "pure Nash"),
    "mixed": ("X", 8.0, "#7E8C1C", "mixed Nash"),
    "correlated": ("D", 8.0, "#3091F2", "best correlated"),
    "focal": ("*", 14.0, "#732B00", "focal point"),
}
"""Kind -> marker, size, colour, name."""

_PLAY = "#BF4372"


@dataclass(frozen=True, eq=False)
class Plane:
    """What a panel shows.

    Parameters
    ----------
    title : str
    points : DataFrame
        kind, what, payoff_1, payoff_2, as `equilibrium_points`.
    shares : four float
        How often each outcome was played, in the order of the outcomes of `points`.
    play : DataFrame
        payoff_1, payoff_2: the mean payoffs of each game that was played.
    penalty : bool
        Whether lower is better; the axes are then turned round, so that better is up and to the right.
    seats : (str, str)
        Who sits where.
    """

    title: str
    points: pd.DataFrame
    shares: Sequence[float]
    play: pd.DataFrame
    penalty: bool
    seats: tuple[str, str] = ("seat 1", "seat 2")


def draw_planes(planes: Sequence[Plane]) -> Figure:
    """Draw panels: outcomes with their share of the rounds, single games as dots, their mean as a cross.

    Raises
    ------
    UsageError
        Too many panels.
    """
    check_sizes(len(planes), [None])
    wide = columns_of(min(len(planes), _WIDE), 2.2)
    figure, axes = panels(-(-len(planes) // wide), wide, across=3.2, down=2.9, least=7.5)
    for ax, plane in zip(axes.flat, planes, strict=False):
        _draw(ax, plane)
    for ax in axes.flat[len(planes) :]:
        hide(ax)
    _legend(figure)
    return figure


def _draw(ax: Axes, plane: Plane) -> None:
    outcomes = plane.points[plane.points["kind"] == "outcome"]
    x, y = outcomes["payoff_1"].to_numpy(dtype=float), outcomes["payoff_2"].to_numpy(dtype=float)
    corners = _hull(np.column_stack([x, y]))
    ax.fill(corners[:, 0], corners[:, 1], color="#F0F0F0", zorder=0)
    for kind, (marker, size, tone, _) in _MARKS.items():
        part = plane.points[plane.points["kind"] == kind]
        ax.plot(
            part["payoff_1"], part["payoff_2"], marker, markersize=size, markerfacecolor="none", color=tone,
            markeredgewidth=1.6, linestyle="none", zorder=2,
        )  # fmt: skip
    _name_outcomes(ax, x, y, plane.shares)
    dots = plane.play
    ax.plot(dots["payoff_1"], dots["payoff_2"], ".", color=_PLAY, alpha=0.45, markersize=5, zorder=3)
    if len(dots):
        middle = (float(dots["payoff_1"].mean()), float(dots["payoff_2"].mean()))
        ax.plot(*middle, "P", color=_PLAY, markersize=10, markeredgecolor="white", zorder=4)
    ax.margins(0.16)
    if plane.penalty:
        ax.invert_xaxis()
        ax.invert_yaxis()
    better = "lower is better" if plane.penalty else "higher is better"
    ax.set_title(wrapped(plane.title, 34), loc="left", fontweight="bold")
    ax.set_xlabel(f"payoff of {plane.seats[0]} ({better})", fontsize=pt(8.5))
    ax.set_ylabel(f"payoff of {plane.seats[1]}", fontsize=pt(8.5))


def _name_outcomes(
    ax: Axes, x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], shares: Sequence[float]
) -> None:
    """The share of rounds at each outcome; outcomes with the same payoffs are one."""
    for place in dict.fromkeys(zip(x.tolist(), y.tolist(), strict=True)):
        share = sum(s for s, a, b in zip(shares, x, y, strict=True) if (a, b) == place)
        ax.plot(*place, "o", color="#333333", markersize=2 + 10 * share**0.5, alpha=0.35, zorder=1)
        ax.annotate(f"{share:.0%}", place, (7, 7), textcoords="offset points", fontsize=pt(8), zorder=5)


def _hull(points: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Corners of the convex hull in order, by Andrew's monotone chain."""
    ordered = sorted(set(map(tuple, points.tolist())))

    def half(sequence: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        corners: list[tuple[float, float]] = []
        for p in sequence:
            while len(corners) > 1 and _turn(corners[-2], corners[-1], p) <= 0:
                corners.pop()
            corners.append(p)
        return corners[:-1]

    return np.array(half(ordered) + half(ordered[::-1]) or ordered)


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _legend(figure: Figure) -> None:
    from matplotlib.lines import Line2D

    rows = [(m, s, t, name, "none") for m, s, t, name in _MARKS.values()]
    rows += [
        ("o", 8.0, "#999999", "outcome, size by share", "#999999"),
        (".", 7.0, _PLAY, "mean of a game", _PLAY),
        ("P", 9.0, _PLAY, "mean play", _PLAY),
    ]
    handles = [
        Line2D(
            [], [], linestyle="none", marker=m, markersize=min(s, 10), color=t, markerfacecolor=f, label=name
        )
        for m, s, t, name, f in rows
    ]
    legend_of(figure, handles)
