"""Beliefs about which type a subject is, from its moves so far.

With p_k(move) the probability that type k gives to each move, and s_k the share of type k, the belief before
a move is proportional to s_k times the product of p_k over all earlier moves of the subject, its earlier
games included. A subject that draws its type anew before a move with probability h (the hazard) forgets: then
b' = (1 - h) b + h s before every move, which is the forward algorithm of a hidden Markov chain. A move that
does not count leaves the belief as it was before that step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.estimate.choice.choices import Choices
from intent.estimate.choice.laws import softmax

__all__ = ["beliefs"]

Floats = NDArray[np.float64]


def beliefs(log_p: Floats, log_shares: Floats, X: Choices, *, hazard: float = 0.0) -> tuple[Floats, Floats]:
    """Posterior of the types before every move, and after the last one.

    Parameters
    ----------
    log_p : (n, T, K)
        Log probability of the move that was made, by type; 0 where none is counted.
    log_shares : (n, K), log probability of each type before any move
    X : Choices of n rows, those of a subject in the order of play
    hazard : float in [0, 1), probability that a type is drawn anew before a move

    Returns
    -------
    before : (n, T, K), after : (n, K)
    """
    if hazard == 0:
        start = log_shares + X.before(log_p.sum(1))
        upto = np.cumsum(log_p, axis=1)
        before = softmax(start[:, None] + upto - log_p)
        return before, softmax(start + upto[:, -1]) if log_p.shape[1] else softmax(start)
    n, rounds, k = log_p.shape
    shares = softmax(log_shares)
    before, after = np.empty((n, rounds, k)), shares.copy()
    place = X.before(np.ones(n)).astype(np.intp)
    _, subject = np.unique(X.subject, return_inverse=True)
    belief = np.full((int(subject.max(initial=-1)) + 1, k), np.nan)
    for turn in range(int(place.max(initial=-1)) + 1):
        rows = np.flatnonzero(place == turn)
        now = shares[rows] if turn == 0 else belief[subject[rows]]
        for t in range(rounds):
            played = X.counted[rows, t, None]
            ahead = (1 - hazard) * now + hazard * shares[rows] if turn or t else now
            before[rows, t] = ahead
            weight = ahead * np.exp(log_p[rows, t] - log_p[rows, t].max(1, keepdims=True))
            now = np.where(played, weight / weight.sum(1, keepdims=True), now)
        belief[subject[rows]] = after[rows] = now
    return before, after
