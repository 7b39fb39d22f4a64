"""What one opponent reveals, round by round: accuracy of the Bayes rule and information in bits.

After t own moves the Bayes rule is right with probability ``(1/K) sum_h max_k P(h | k)``, and the history
says

    I(strategy; own history) = log2 K - (1/K) sum_h sum_k P(h | k) log2 (sum_j P(h | j) / P(h | k))

bits on the strategy (Lindley 1956, Ann. Math. Stat. 27:986), where the K strategies are equally frequent.
Both are exact as long as the branches fit in memory; from there on sampled histories are followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from intent.recognise.probe.automata import Automata
from intent.recognise.probe.tree import Tree

__all__ = ["Round", "contributions", "follow", "scores"]

Floats = NDArray[np.float64]

_MOST_ENTRIES = 1 << 21
"""Weights of branches (branches x strategies x values of eps) that are followed exactly."""

_SAMPLES = 20_000


@dataclass(frozen=True)
class Round:
    """What is known after some rounds.

    Attributes
    ----------
    round : int, from 1
    accuracy : float, probability that the most probable strategy is the true one
    information : float, bits
    accuracy_error, information_error : float, standard errors; 0 where the values are exact
    """

    round: int
    accuracy: float
    information: float
    accuracy_error: float = 0.0
    information_error: float = 0.0


def follow(
    automata: Automata,
    rounds: int,
    opponent: NDArray[np.int8] | None,
    *,
    rng: np.random.Generator,
    most_entries: int = _MOST_ENTRIES,
    samples: int = _SAMPLES,
) -> Iterator[Round]:
    """The rounds against one opponent, one after the other.

    Parameters
    ----------
    automata : Automata of K strategies
    rounds : int
    opponent : (T,) int8, or None
        Its moves, 1 = cooperate, begun again where they end; None for a fair coin, whose moves are seen.
    rng : numpy Generator
        Draws histories once there are more branches than `most_entries` allow; not touched before.
    most_entries : int
        Bound on branches x strategies x values of eps.
    samples : int
        Histories followed from there on.

    Yields
    ------
    Round
    """
    tree, drawn = Tree.root(automata), False
    for t in range(1, rounds + 1):
        if not drawn and tree.weight.size > most_entries:
            tree, drawn = _sample(tree, samples, rng), True
        played = tree.one_own_move(automata, rng) if drawn else tree.own_moves(automata)
        yield _round(t, played, drawn)
        if drawn and opponent is None:
            tree = played.answered(automata, rng.integers(2, size=len(played), dtype=np.int8))
        elif opponent is None:
            both = played.each_answer(automata)
            tree = replace(both, design=both.design * 0, weight=both.weight / 2)
        else:
            tree = played.answered(automata, int(opponent[(t - 1) % len(opponent)]))
        if not drawn:
            tree = tree.merged()


def scores(played: Tree, designs: int) -> tuple[Floats, Floats]:
    """Accuracy and information (bits) of each design, (D,) each, after the own move."""
    n_strategies = played.state.shape[1]
    best, doubt = contributions(played)
    accuracy = np.bincount(played.design, best, designs) / n_strategies
    missing = np.bincount(played.design, doubt, designs) / n_strategies
    return accuracy, np.maximum(np.log2(n_strategies) - missing, 0.0)


def contributions(played: Tree) -> tuple[Floats, Floats]:
    """Per branch the largest weight of a strategy, and the entropy of the strategies times the mass."""
    per = played.weight.sum(axis=2)
    total = per.sum(axis=1, keepdims=True)
    ratio = np.divide(total, per, out=np.ones_like(per), where=per > 0)
    return per.max(axis=1), (per * np.log2(ratio)).sum(axis=1)


def _round(t: int, played: Tree, drawn: bool) -> Round:
    if not drawn:
        accuracy, information = scores(played, 1)
        return Round(t, float(accuracy[0]), float(information[0]))
    n, k = len(played), played.state.shape[1]
    best, doubt = (n / k * values for values in contributions(played))
    bits = max(0.0, float(np.log2(k) - doubt.mean()))
    return Round(t, float(best.mean()), bits, *(float(v.std() / n**0.5) for v in (best, doubt)))


def _sample(tree: Tree, n: int, rng: np.random.Generator) -> Tree:
    """`n` independent draws of a branch, equally heavy: what follows them is unbiased."""
    mass = tree.mass
    rows = rng.choice(len(tree), size=n, p=mass / mass.sum())
    drawn = tree.take(rows)
    scale = tree.state.shape[1] / (n * mass[rows])
    return replace(drawn, weight=drawn.weight * scale[:, None, None])
