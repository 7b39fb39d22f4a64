"""All that a set of strategies may do against given opponent moves: a tree whose equal branches are merged.

A branch is a class of own histories. It carries, per strategy k and value of eps, the probability of
its histories, ``weight[k, e] = P(eps_e) P(histories | k, eps_e)``, and the state that each automaton has
reached. Whatever follows depends on the states and is linear in the weights, and what is asked of them (the
probability of a correct guess, the entropy) is homogeneous of degree one. So branches of equal states and
proportional weights are one branch, whose weights are their sum: nothing is lost. Between deterministic
strategies the ratios depend on counts of mismatches only, so the number of branches grows with a
power of the rounds and not as 2**T.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from intent.recognise.probe.automata import Automata

__all__ = ["Tree"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_DEAD = 1e-13
"""Posterior below which a strategy is taken as excluded on a branch."""

_LOST = 1e-11
"""Probability of the branches that may be forgotten in one round, together."""

_RESOLUTION = 2.0**30
_MULTIPLIER = 0x9E3779B97F4A7C15


@dataclass(frozen=True, eq=False)
class Tree:
    """The branches of one or more designs (opponents that are tried), all after the same round.

    Attributes
    ----------
    design : (N,) intp, the design that a branch belongs to
    state : (N, K) intp
    weight : (N, K, E) float64
    own : (N,) int8, own move of the round under way; -1 before it is made
    """

    design: Ints
    state: Ints
    weight: Floats
    own: NDArray[np.int8]

    @classmethod
    def root(cls, automata: Automata) -> Self:
        """One branch before the first round."""
        k = len(automata.start)
        weight = np.broadcast_to(automata.chance, (1, k, len(automata.chance))).copy()
        return cls(np.zeros(1, dtype=np.intp), automata.start[None], weight, np.full(1, -1, dtype=np.int8))

    def __len__(self) -> int:
        return len(self.design)

    @property
    def mass(self) -> Floats:
        """(N,) probability of each branch, summed over strategies (they are weighed equally, as 1)."""
        total: Floats = self.weight.sum(axis=(1, 2))
        return total

    def take(self, rows: NDArray[np.bool_] | Ints) -> Tree:
        """Some of the branches."""
        return Tree(self.design[rows], self.state[rows], self.weight[rows], self.own[rows])

    def own_moves(self, automata: Automata) -> Tree:
        """Both own moves of the next round on every branch, where they are possible."""
        q = automata.intentions(self.state)
        weight = np.concatenate([self.weight * q, self.weight * (1 - q)])
        own = np.repeat(np.array([1, 0], dtype=np.int8), len(self))
        both = Tree(np.tile(self.design, 2), np.tile(self.state, (2, 1)), weight, own)
        possible = both.mass > 0
        return both if possible.all() else both.take(possible)

    def one_own_move(self, automata: Automata, rng: np.random.Generator) -> Tree:
        """One own move on every branch, drawn with its probability; the branch stays as heavy as it was."""
        mass = self.mass
        cooperating = self.weight * automata.intentions(self.state)
        p = cooperating.sum(axis=(1, 2)) / mass
        own = rng.random(len(self)) < p
        weight = np.where(own[:, None, None], cooperating, self.weight - cooperating)
        weight /= np.where(own, p, 1 - p)[:, None, None]
        return replace(self, weight=weight, own=own.astype(np.int8))

    def answered(self, automata: Automata, other: int | NDArray[np.int8]) -> Tree:
        """The states after the opponent's move of the round (1 = cooperate), one or one per branch."""
        code = (3 - 2 * self.own - other).astype(np.intp)
        after = automata.following[np.arange(self.state.shape[1]), self.state, code[:, None]]
        return replace(self, state=after, own=np.full(len(self), -1, dtype=np.int8))

    def each_answer(self, automata: Automata) -> Tree:
        """Every branch after C, then every branch after D; designs are doubled: 2 d and 2 d + 1."""
        answers = [self.answered(automata, x) for x in (1, 0)]
        return Tree(
            np.concatenate([2 * self.design, 2 * self.design + 1]),
            np.concatenate([a.state for a in answers]),
            np.concatenate([a.weight for a in answers]),
            np.concatenate([a.own for a in answers]),
        )

    def merged(self) -> Tree:
        """Branches of the same design with equal states and proportional weights made one.

        A strategy with a posterior below 1e-13 counts as excluded on its branch; branches that together
        have a probability below 1e-11 in their design are forgotten.
        """
        return self.merged_into()[0]

    def merged_into(self) -> tuple[Tree, Ints]:
        """As `merged`, and where each branch went (N,); -1 where it was forgotten."""
        tidy = self._settled()
        order, first = tidy._groups()
        weight = np.add.reduceat(tidy.weight[order], first, axis=0)
        kept = order[first]
        joined = Tree(tidy.design[kept], tidy.state[kept], weight, tidy.own[kept])
        heavy = joined.mass * np.bincount(joined.design)[joined.design] >= _LOST
        place = np.where(heavy, np.cumsum(heavy) - 1, -1)
        group = np.empty(len(self), dtype=np.intp)
        group[order] = np.repeat(np.arange(len(first)), np.diff([*first.tolist(), len(self)]))
        return (joined if heavy.all() else joined.take(heavy)), place[group]

    def _settled(self) -> Tree:
        """Without what no longer matters: excluded strategies, and eps where one strategy is left."""
        per = self.weight.sum(axis=2)
        dead = per < _DEAD * per.sum(axis=1, keepdims=True)
        alone = (~dead).sum(axis=1) == 1
        if not dead.any():
            return self
        weight = np.where(dead[:, :, None], 0.0, self.weight)
        weight[alone, :, 0] = weight[alone].sum(axis=2)
        weight[alone, :, 1:] = 0.0
        return replace(self, weight=weight, state=np.where(dead | alone[:, None], 0, self.state))

    def _groups(self) -> tuple[Ints, Ints]:
        """Order that puts equal branches side by side, and where each group begins.

        Ratios are compared to a billionth, through a 64-bit hash (polynomial, modulo 2**64).
        """
        key = self.design.astype(np.uint64)
        multiplier, mass = np.uint64(_MULTIPLIER), self.mass
        for state in self.state.T:
            key *= multiplier
            key += state.astype(np.uint64)
        for weight in self.weight.reshape(len(self), -1).T:
            digits = np.log(np.maximum(weight / mass, 1e-200)) * _RESOLUTION
            key *= multiplier
            key += np.rint(digits).astype(np.int64).view(np.uint64)
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        return order, first
