"""What an opponent could find out that chooses each move by the moves it has seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from intent.recognise.probe.automata import Automata
from intent.recognise.probe.curve import contributions
from intent.recognise.probe.tree import Tree

__all__ = ["adaptive_optimum"]

_MOST_ENTRIES = 1 << 20
"""Weights of branches of one round, of all opponent moves together, up to which the optimum is computed."""


def adaptive_optimum(
    automata: Automata, rounds: int, *, objective: str = "information", most_entries: int = _MOST_ENTRIES
) -> tuple[float, float] | None:
    """Accuracy and information (bits) of the best adaptive opponent.

    Backward induction: with V_T the value of a branch after the last own move,
    ``V_t(h) = max_x sum_a V_t+1(h, x, a)`` over the opponent's move x and the own move a that follows. V is
    homogeneous of degree one in the weights, so merged branches share it.

    Parameters
    ----------
    automata : Automata of K strategies
    rounds : int, at least 1
    objective : "information" or "accuracy"
        What is maximised; both values are those of the same opponent.
    most_entries : int
        Bound on branches x strategies x values of eps.

    Returns
    -------
    (accuracy, information), or None where there are too many branches
    """
    k = len(automata.start)
    tree = Tree.root(automata)
    steps: list[tuple[Tree, NDArray[np.intp], NDArray[np.float64]]] = []
    played = _own_moves(tree, automata)
    for _ in range(rounds - 1):
        both = played.each_answer(automata)
        tree, place = replace(both, design=both.design * 0).merged_into()
        if tree.weight.size > most_entries:
            return None
        steps.append((played, place, tree.mass))
        played = _own_moves(tree, automata)
    best, doubt = contributions(played)
    for earlier, place, mass in reversed(steps):
        n = len(earlier)
        unit = [np.bincount(played.design, v, len(mass)) / mass for v in (best, doubt)]
        share = np.where(place >= 0, np.tile(earlier.mass, 2), 0.0)
        after = np.stack([u[place] * share for u in unit]).reshape(2, 2, n)
        chosen = after[1].argmin(axis=0) if objective == "information" else after[0].argmax(axis=0)
        best, doubt = after[:, chosen, np.arange(n)]
        played = earlier
    return float(best.sum() / k), float(np.log2(k) - doubt.sum() / k)


def _own_moves(tree: Tree, automata: Automata) -> Tree:
    """The own moves, each with its branch in the place of the design."""
    return replace(tree, design=np.arange(len(tree))).own_moves(automata)
