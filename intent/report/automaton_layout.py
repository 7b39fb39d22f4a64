"""Where the states and arrows of an automaton go: a circle, curves between its points, loops outside."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.strategies.automaton import OUTCOMES, Strategy

__all__ = ["RADIUS", "Arrow", "arrows", "curve", "loop", "places"]

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
    found = []
    for source in strategy.reachable():
        p = strategy.p_cooperate[source]
        by_target: dict[int, tuple[list[str], list[str]]] = {}
        for outcome, target in zip(OUTCOMES, strategy.next_state[source], strict=True):
            mistake = (p == 0 and outcome[0] == "C") or (p == 1 and outcome[0] == "D")
            by_target.setdefault(target, ([], []))[mistake].append(outcome)
        for target, (meant, mistaken) in by_target.items():
            texts = [", ".join(meant), f"({', '.join(mistaken)})" if mistaken else ""]
            label = "any" if len(meant) + len(mistaken) == len(OUTCOMES) else " ".join(filter(None, texts))
            found.append(Arrow(source, target, label, not meant))
    return found


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
