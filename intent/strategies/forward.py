"""Likelihood where the state path is unknown: a forward pass carries the distribution over states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.strategies.automaton import Strategy, outcome_code

__all__ = ["CASES", "Case", "case_codes", "forward_path"]

Moves = NDArray[np.int8]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

CASES = 24
"""Cases of a round: own move D, C (counted), -, D, C (not counted), unknown, D decided as C, C decided as D
(counted); by other's D, C, unknown."""


@dataclass(frozen=True)
class Case:
    """What is known of a round.

    Attributes
    ----------
    own : int, the realised own move, 1 = cooperate; 2: unknown
    decided : int, what the player decided; 2: unknown
    other : int, the other's realised move; 2: unknown
    counts : bool, whether the decision is evidence
    """

    own: int
    decided: int
    other: int
    counts: bool

    @classmethod
    def of(cls, code: int) -> Case:
        """The case of a code that `case_codes` makes."""
        mine, other = divmod(code, 3)
        own = mine % 3
        return cls(own, 1 - own if mine > 5 else own, other, mine < 2 or mine > 5)


def case_codes(own: Moves, other: Moves, mask: Mask | None, decided: Moves | None = None) -> Moves:
    """Case of every round, (n, T): (own, and 3 more where it does not count) * 3 + other; unknown is 2.

    A counted move that was decided otherwise than it was played has 6 more instead.

    Parameters
    ----------
    own, other, mask, decided
        As `intent.strategies.likelihood.log_likelihood`.
    """
    known = own >= 0
    mine = np.where(known, own, np.int8(2))
    mine = np.where(known if mask is None else mask & known, mine, mine + np.int8(3))
    if decided is not None:
        mine = np.where((mine < 2) & (decided >= 0) & (decided != own), mine + np.int8(6), mine)
    codes: Moves = mine * np.int8(3) + np.where(other < 0, np.int8(2), other)
    return codes


def forward_path(
    own: Moves,
    other: Moves,
    mask: Mask | None,
    s: Strategy,
    grid: Floats,
    last_only: bool = False,
    decided: Moves | None = None,
) -> Floats:
    """Log-likelihood after every round (n, T, E), or after the last only (n, 1, E).

    alpha_{t+1}(s') = sum_s alpha_t(s) P(decided_t | s) P(s' | s, own_t, other_t), where an unknown move is
    summed out: the own one with its probability, the other's with one half each.

    Parameters
    ----------
    own, other, mask, decided
        As `intent.strategies.likelihood.log_likelihood`.
    s : Strategy
    grid : (E,) in [0, .5), noises
    last_only : bool
    """
    n, horizon = own.shape
    case = case_codes(own, other, mask, decided)
    out = np.empty((n, 1 if last_only else horizon, len(grid)))
    if horizon == 0:
        return np.zeros((n, 1 if last_only else 0, len(grid)))
    for e, eps in enumerate(grid):
        weights = _case_weights(s, float(eps))
        alpha = np.zeros((n, s.n_states))
        alpha[:, s.start] = 1.0
        total = np.zeros(n)
        for t in range(horizon):
            for c in np.unique(case[:, t]):
                rows = case[:, t] == c
                alpha[rows] = alpha[rows] @ weights[c]
            norm = alpha.sum(axis=1)
            with np.errstate(divide="ignore"):
                total += np.log(norm)
            alpha /= np.where(norm > 0, norm, 1.0)[:, None]
            if not last_only:
                out[:, t, e] = total
        if last_only:
            out[:, 0, e] = total
    return out


def _case_weights(s: Strategy, eps: float) -> dict[int, Floats]:
    """Transition weights (S, S) for each case of `forward_path`."""
    p, nxt = s.arrays()
    n = len(p)
    hidden = not s.observed_path

    def step(own: int, other: int, decided: int) -> Floats:
        """Weights for a counted own move and a known other move."""
        w = np.zeros((n, n))
        for state in range(n):
            for intent in (0, 1):
                chance = p[state] if intent else 1 - p[state]
                flip = (1 - eps) if decided == intent else eps
                remembered = intent if hidden else own
                w[state, nxt[state, outcome_code(remembered, other)]] += chance * flip
        return w

    def move(own: int, other: int) -> Floats:
        """Weights for an own move that is known but no evidence."""
        if hidden:
            return step(0, other, 0) + step(1, other, 1)
        w = np.zeros((n, n))
        w[np.arange(n), nxt[:, outcome_code(own, other)]] = 1.0
        return w

    cases: dict[int, Floats] = {}
    for own in (0, 1):
        for other in (0, 1):
            cases[own * 3 + other] = step(own, other, own)
            cases[(own + 3) * 3 + other] = move(own, other)
            cases[(own + 6) * 3 + other] = step(own, other, 1 - own)
    for other in (0, 1):
        cases[5 * 3 + other] = step(0, other, 0) + step(1, other, 1)
    for own in (0, 1, 3, 4, 5, 6, 7):
        cases[own * 3 + 2] = (cases[own * 3] + cases[own * 3 + 1]) / 2
    return cases
