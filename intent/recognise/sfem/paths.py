"""Which moves of a history have a known probability: the automaton over sets of possible states.

An unknown move, or an intention that is hidden, leaves several states possible; a later outcome may lead all
of them to one state again (any automaton of memory one that listens to the other). The sets that can
arise are the states of another, deterministic automaton (the subset construction of Rabin & Scott 1959).
A move counts where all states of the set agree on its probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from intent.strategies.automaton import Strategy, outcome_code
from intent.strategies.forward import CASES, Case

__all__ = ["PathTable", "path_table"]


@dataclass(frozen=True, eq=False)
class PathTable:
    """The automaton over sets of states.

    Attributes
    ----------
    p : (m,) distinct probabilities that the strategy gives to a counted move
    next_set : (S, 18) next set
    column : (S, 18) index into p; m where no factor counts, m + 1 where its probability is unknown
    """

    p: NDArray[np.float64]
    next_set: NDArray[np.intp]
    column: NDArray[np.intp]


@lru_cache(maxsize=512)
def path_table(s: Strategy) -> PathTable:
    """Sets of states that can arise, in order of discovery, and what each round does to them."""
    sets = [frozenset([s.start])]
    follows: list[list[int]] = []
    factor: list[list[float | None]] = []
    for current in sets:
        row: list[int] = []
        known: list[float | None] = []
        for case in range(CASES):
            seen = Case.of(case)
            reached = _reached(s, current, seen.own, seen.other)
            if reached not in sets:
                sets.append(reached)
            row.append(sets.index(reached))
            chances = {s.p_cooperate[state] for state in current}
            if not seen.counts:
                known.append(None)
            elif len(chances) > 1:
                known.append(-1.0)
            else:
                p = chances.pop()
                known.append(p if seen.decided else 1 - p)
        follows.append(row)
        factor.append(known)
    levels = np.unique(np.array([f for row in factor for f in row if f is not None and f >= 0]))
    column = np.array(
        [
            [
                len(levels) if f is None else len(levels) + 1 if f < 0 else int(np.searchsorted(levels, f))
                for f in row
            ]
            for row in factor
        ]
    )
    return PathTable(levels, np.array(follows), column)


def _reached(s: Strategy, current: frozenset[int], mine: int, theirs: int) -> frozenset[int]:
    others = (0, 1) if theirs == 2 else (theirs,)
    found = set()
    for state in current:
        p = s.p_cooperate[state]
        if s.memory == "intended":
            remembered = [m for m in (0, 1) if (p if m else 1 - p) > 0]
        else:
            remembered = [mine] if mine < 2 else [0, 1]
        found |= {s.next_state[state][outcome_code(m, other)] for m in remembered for other in others}
    return frozenset(found)
