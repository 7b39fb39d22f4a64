"""How far a way of playing is from the strategies of the catalogue, noise aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.strategies.automaton import Strategy

__all__ = ["MOST_NOISE", "Neighbour", "nearest_strategies", "situation_vector"]

MOST_NOISE = 0.2
"""A strategy that slips more often is not called by its name."""

_AFTER = {False: (1, 2, 3, 4), True: (5, 2, 6, 4)}
"""Situation after CC, CD, DC, DD, by whether the other had defected before that round."""

_HALF = 30.0
"""Moves at which a situation counts half as much as one with very many."""


@dataclass(frozen=True)
class Neighbour:
    """A strategy and its distance.

    Attributes
    ----------
    strategy : str
    distance : float
        Root mean square difference in P(C) between the play and the strategy with this noise.
    eps : float in [0, .2]
        The noise that brings the strategy nearest.
    """

    strategy: str
    distance: float
    eps: float


def nearest_strategies(
    p: NDArray[np.float64], moves: NDArray[np.float64], strategies: Sequence[Strategy], n: int = 3
) -> tuple[Neighbour, ...]:
    """The strategies whose noisy play is nearest to a way of playing, nearest first.

    With v the strategy's P(C) by situation, q = v + eps (1 - 2v) is what noise makes of it; eps minimises

        d^2 = sum_c w_c (p_c - q_c)^2 / sum_c w_c,    w_c = m_c / (m_c + 30),

    m_c being the moves made in situation c, so that hardly seen situations hardly count.

    Parameters
    ----------
    p : (m,), P(C) in each situation
    moves : (m,), number of moves it is known from
    strategies : sequence of Strategy
        Those whose play is not a function of these situations are passed over.
    n : int
        How many to return.
    """
    weights = moves / (moves + _HALF)
    total = weights.sum()
    if not total:
        return ()
    play = np.where(moves > 0, p, 0.5)
    found = []
    for s in strategies:
        vector = situation_vector(s, len(p))
        if vector is None:
            continue
        v = np.array(vector)
        away = 1 - 2 * v
        size = weights @ away**2
        eps = float(np.clip(weights @ (away * (play - v)) / size, 0, MOST_NOISE)) if size else 0.0
        distance = float(np.sqrt(weights @ (play - v - eps * away) ** 2 / total))
        found.append(Neighbour(s.name, distance, eps))
    return tuple(sorted(found, key=lambda neighbour: neighbour.distance)[:n])


def situation_vector(s: Strategy, n_situations: int) -> tuple[float, ...] | None:
    """P(C) of a strategy in each situation, or None where its play depends on more.

    Parameters
    ----------
    s : Strategy
    n_situations : 5 or 7
        First round and after R, S, T, P; with 7 also after R and T where the other had defected before.
    """
    if not s.observed_path:
        return None
    p, next_state = s.arrays()
    values: list[set[float]] = [set() for _ in range(7)]
    values[0].add(float(p[s.start]))
    seen = [(s.start, False)]
    for state, provoked in seen:
        for outcome, situation in enumerate(_AFTER[provoked]):
            after = (int(next_state[state, outcome]), provoked or outcome in (1, 3))
            values[situation].add(float(p[after[0]]))
            if after not in seen:
                seen.append(after)
    if n_situations == 5:
        values = [values[0], values[1] | values[5], values[2], values[3] | values[6], values[4]]
    if any(len(found) != 1 for found in values):
        return None
    return tuple(found.pop() for found in values)
