"""State-action encoding: each own move with the situation in which it was made.

The situation of a move is the outcome of the round before, from the agent's side (R = CC, S = CD,
T = DC, P = DD; the paper's encoding), whether the other had ever defected before that round, or "first
round". A memory-one strategy, and a trigger on the other's defection, is linear in these symbols.

References
----------
The strategy-recognition paper of the FAIRGAME group, section 3.2.2 (R, S, T, P of round t-1; move of t).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.logs.trajectories import Trajectories

__all__ = ["CONTEXTS", "N_SYMBOLS", "SYMBOLS", "symbols"]

CONTEXTS = ("first", "R", "S", "T", "P", "R after other's defection", "T after other's defection")
"""Situations. After S and P the other has just defected, so an earlier defection adds nothing."""

SYMBOLS = tuple(f"{move} | {context}" for context in CONTEXTS for move in ("C", "D"))
"""Symbol ``2 * context + (own move is D)``."""

N_SYMBOLS = len(SYMBOLS)


def symbols(X: Trajectories) -> NDArray[np.int8]:
    """Symbol of every own move.

    Parameters
    ----------
    X : Trajectories of shape (n, T)

    Returns
    -------
    (n, T) int8, index into `SYMBOLS`, -1 where the move is no evidence or the situation unknown.
    """
    own, other, chosen = X.own, X.other, X.decisions
    n, horizon = X.shape
    out = np.full((n, horizon), -1, dtype=np.int8)
    triggered = np.zeros(n, dtype=bool)
    for t in range(horizon):
        if t == 0:
            context = np.zeros(n, dtype=np.int8)
        else:
            before_own, before_other = own[:, t - 1], other[:, t - 1]
            context = 4 - 2 * before_own - before_other
            context += np.where(triggered & (context == 1), np.int8(4), np.int8(0))
            context += np.where(triggered & (context == 3), np.int8(3), np.int8(0))
            context[(before_own < 0) | (before_other < 0)] = -1
            triggered |= before_other == 0
        known = X.evidence[:, t] & (context >= 0)
        out[:, t] = np.where(known, 2 * context + 1 - chosen[:, t], -1)
    return out
