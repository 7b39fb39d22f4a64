"""The drawing of a strategy's automaton: states as discs on a circle, joint outcomes as arrows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.figures.style import Drawing, canvas, ink, pt
from intent.strategies.catalogue import OUTCOMES, Strategy, state_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = ["RADIUS", "Arrow", "arrows", "curve", "draw_automaton", "loop", "places", "write_automaton"]


RADIUS = 0.36
"""Of the disc of a state; the unit of all places."""

_BEND = 0.2
_LOOP = 0.62


@dataclass(frozen=True)
class Arrow:
    """What leads from one state to another.

    Parameters
    ----------
    source, target : int
    label : str
        Joint outcomes, own move first; in brackets those that only a mistake of the player brings about.
    by_mistake : bool
        Whether all of them are.
    """

    source: int
    target: int
    label: str
    by_mistake: bool


def arrows(strategy: Strategy) -> list[Arrow]:
    """One arrow per pair of reachable states that an outcome connects.

    An outcome comes of a mistake where its own move is one that the state never intends.
    """
    lines = []
    for source in strategy.reachable():
        p = strategy.p_cooperate[source]
        by_target: dict[int, tuple[list[str], list[str]]] = {}
        for outcome, target in zip(OUTCOMES, strategy.next_state[source], strict=True):
            mistake = (p == 0 and outcome[0] == "C") or (p == 1 and outcome[0] == "D")
            by_target.setdefault(target, ([], []))[mistake].append(outcome)
        for target, (outcomes, mistaken) in by_target.items():
            texts = [", ".join(outcomes), f"({', '.join(mistaken)})" if mistaken else ""]
            label = "any" if len(outcomes) + len(mistaken) == len(OUTCOMES) else " ".join(filter(None, texts))
            lines.append(Arrow(source, target, label, not outcomes))
    return lines


def places(n: int) -> NDArray[np.float64]:
    """(n, 2) places of states: one alone, two beside each other, more in a circle from the left on."""
    if n == 1:
        return np.zeros((1, 2))
    size = 1.0 if n == 2 else max(1.25, 1.15 / math.sin(math.pi / n))
    angles = math.pi - 2 * math.pi * np.arange(n) / n
    return size * np.column_stack([np.cos(angles), np.sin(angles)]).round(12)


def curve(
    start: NDArray[np.float64], end: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Three points of a quadratic curve between two discs, bent to the left, and its label's place."""
    way = end - start
    control = (start + end) / 2 + _BEND * np.array([-way[1], way[0]])
    a = start + RADIUS * _unit(control - start)
    b = end + (RADIUS + 0.03) * _unit(control - end)
    t = 0.42
    on = (1 - t) ** 2 * a + 2 * t * (1 - t) * control + t**2 * b
    return np.stack([a, control, b]), on + 0.1 * _unit(np.array([-way[1], way[0]]))


def loop(
    centre: NDArray[np.float64], outward: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Four points of a cubic curve from a disc back to it, and its label's place."""
    angle = math.atan2(outward[1], outward[0])
    ends = [angle + 0.5, angle - 0.5]
    near = [centre + RADIUS * np.array([math.cos(a), math.sin(a)]) for a in ends]
    far = [
        centre + (RADIUS + _LOOP) * np.array([math.cos(a), math.sin(a)]) for a in (angle + 0.45, angle - 0.45)
    ]
    return np.stack([near[0], far[0], far[1], near[1]]), centre + (RADIUS + 0.62) * np.array(
        [math.cos(angle), math.sin(angle)]
    )


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return vector / max(float(np.hypot(*vector)), 1e-12)


_MOST_STATES = 12
_ARROW, _MISTAKE = "#333333", "#8A8A8A"


def write_automaton(
    strategy: Strategy, path: str | Path, *, description: str = "", overwrite: bool = False
) -> Path:
    """Draw an automaton and write it as `Drawing.write` does.

    Raises
    ------
    UsageError
        More than twelve states.
    OutputError
        The path cannot be written or has another suffix.
    """
    drawing = Drawing(strategy.name, lambda: draw_automaton(strategy), _explained(strategy))
    return drawing.write(path, description=description, overwrite=overwrite)


def draw_automaton(strategy: Strategy) -> Figure:
    """The states that play can reach, with P(C), and the outcomes that lead from each to the next.

    Raises
    ------
    UsageError
        More than twelve states.
    """
    states = strategy.reachable()
    if len(states) > _MOST_STATES:
        raise UsageError(
            f"{strategy.name} has {len(states)} states, expected at most {_MOST_STATES} for a drawing"
        )
    at = dict(zip(states, places(len(states)), strict=True))
    reach = np.abs(places(len(states))).max(axis=0) + RADIUS + np.array([1.25, 0.75])
    figure, axes = canvas(max(5.6, 1.9 * reach[0]), 1.3 + 1.9 * reach[1])
    for arrow in arrows(strategy):
        _arrow(axes, arrow, at)
    names = state_names(strategy)
    for state in states:
        _state(axes, at[state], names[state], strategy.p_cooperate[state])
    _start(axes, at[strategy.start], len(states))
    axes.set_xlim(-reach[0], reach[0])
    axes.set_ylim(-reach[1], reach[1])
    axes.set_aspect("equal")
    axes.set_axis_off()
    return figure


def _explained(strategy: Strategy) -> list[str]:
    lines = [strategy.rule, "Arrows: joint outcome of the round, own move first."]
    if any("(" in arrow.label for arrow in arrows(strategy)):
        lines[-1] += " In brackets, dashed where there is nothing else: only after a mistake of its own."
    vector = strategy.memory_one_vector()
    if vector is not None:
        first, *rest = (f"{value:.3g}" for value in vector)
        lines.append(f"P(C) in round 1: {first}; after CC, CD, DC, DD: {', '.join(rest)}.")
    return [*lines, f"Source: {strategy.citation}." if strategy.citation else ""]


def _state(axes: Axes, place: Any, name: str, p: float) -> None:
    from matplotlib import colormaps
    from matplotlib.colors import to_hex
    from matplotlib.patches import Circle

    face = to_hex(colormaps["RdBu"](0.12 + 0.76 * p))
    axes.add_patch(Circle(place, RADIUS, facecolor=face, edgecolor="#333333", linewidth=1.2, zorder=4))
    plays = {0.0: "plays D", 1.0: "plays C"}.get(p, f"P(C) {p:.3g}".replace(" 0.", " ."))
    tone = ink(face)
    axes.text(
        place[0], place[1] + 0.09, name, ha="center", va="center", color=tone, fontsize=pt(11), zorder=5
    )
    axes.text(
        place[0], place[1] - 0.13, plays, ha="center", va="center", color=tone, fontsize=pt(7.5), zorder=5
    )


def _arrow(axes: Axes, arrow: Arrow, at: dict[int, Any]) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path as Curve

    here, there = at[arrow.source], at[arrow.target]
    if arrow.source == arrow.target:
        outward = here if float(np.hypot(*here)) > 0 else np.array([0.0, 1.0])
        points, label = loop(here, outward)
        codes = [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4]
    else:
        points, label = curve(here, there)
        codes = [Curve.MOVETO, Curve.CURVE3, Curve.CURVE3]
    tone = _MISTAKE if arrow.by_mistake else _ARROW
    axes.add_patch(
        FancyArrowPatch(
            path=Curve(points, codes), arrowstyle="-|>", mutation_scale=13, color=tone, linewidth=1.3,
            linestyle="--" if arrow.by_mistake else "-", zorder=2,
        )
    )  # fmt: skip
    side = "center"
    if arrow.source == arrow.target and abs(label[0] - here[0]) > RADIUS:
        side = "left" if label[0] > here[0] else "right"
    box = {"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    axes.text(
        float(label[0]),
        float(label[1]),
        arrow.label,
        ha=side,
        va="center",
        fontsize=pt(9),
        color=tone,
        bbox=box,
        zorder=3,
    )


def _start(axes: Axes, place: Any, n: int) -> None:
    """A short arrow into the state of round 1, from beside its loop."""
    way = np.array([-0.7, -0.7]) if n <= 2 else np.array([0.0, -1.0])
    axes.annotate(
        "start", place + RADIUS * way / float(np.hypot(*way)), place + 0.95 * way, ha="center", va="center",
        fontsize=pt(9), color=_ARROW, arrowprops={"arrowstyle": "-|>", "color": _ARROW, "linewidth": 1.3},
    )  # fmt: skip
