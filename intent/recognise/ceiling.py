"""The best accuracy that any recogniser can have: that of the exact Bayes rule.

With equally frequent strategies and an opponent that does not depend on the label, the Bayes rule is right
with probability (1/K) sum_histories P(other | own) max_k P(own | other, k).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intent.errors import RecogniserError
from intent.logs.trajectories import Trajectories
from intent.recognise.evidence import log_evidence, normalise
from intent.strategies.automaton import Strategy
from intent.strategies.likelihood import log_likelihood

__all__ = ["EXACT_ROUNDS", "all_histories", "exact_ceiling", "most_likely", "sampled_ceiling"]

EXACT_ROUNDS = 10
"""Longest play that is enumerated (4**10 histories)."""

_CHUNK = 1 << 16
_TIE = 1e-9


def all_histories(rounds: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Every pair of move sequences: own, other (4**T, T) int8, column-major."""
    code = np.arange(4**rounds, dtype=np.int64)
    bits = np.empty((2 * rounds, len(code)), dtype=np.int8)
    for i in range(2 * rounds):
        bits[i] = (code >> i) & 1
    return bits[:rounds].T, bits[rounds:].T


def exact_ceiling(
    strategies: Sequence[Strategy],
    rounds: int,
    eps: float,
    *,
    opponent: Strategy,
    opponent_eps: float = 0.0,
    rule_eps: float | Literal["integrate"] | None = None,
    rule_prior: tuple[float, ...] = (0.0, 0.2),
) -> float:
    """Accuracy of a Bayes rule by enumeration of all histories.

    Parameters
    ----------
    strategies : sequence of K Strategy, equally frequent
    rounds : int, at most `EXACT_ROUNDS`
    eps : float
        Noise with which they play.
    opponent : Strategy
        Met by all; RANDOM for the fair coin.
    opponent_eps : float
        Its noise.
    rule_eps : float or "integrate", optional
        Noise that the rule assumes, or that it integrates; default: the true one. Ties go to the first.
    rule_prior : (low, high) or (a, b, scale)
        Over which the rule integrates, as `eps_nodes`.

    Raises
    ------
    RecogniserError
        More rounds than can be enumerated.
    """
    if not 1 <= rounds <= EXACT_ROUNDS:
        raise RecogniserError(f"{rounds} rounds, expected 1 to {EXACT_ROUNDS} for enumeration")
    every_own, every_other = all_histories(rounds)
    total = 0.0
    for first in range(0, len(every_own), _CHUNK):
        own, other = every_own[first : first + _CHUNK], every_other[first : first + _CHUNK]
        ll = log_likelihood(own, other, None, strategies, eps)
        met = np.exp(log_likelihood(other, own, None, [opponent], opponent_eps)[:, 0])
        if rule_eps is None or rule_eps == eps:
            best = ll.max(axis=1)
        else:
            rule = log_evidence(Trajectories.trusted(own, other), strategies, rule_eps, rule_prior)
            best = np.take_along_axis(ll, most_likely(rule)[:, None], axis=1)[:, 0]
        total += float(met @ np.exp(best))
    return total / len(strategies)


def most_likely(log_weights: NDArray[np.float64]) -> NDArray[np.intp]:
    """Index of the most likely class of each row; of those within 1e-9 the first, as recognisers do."""
    top = log_weights.max(axis=1, keepdims=True)
    best: NDArray[np.intp] = (log_weights >= top - _TIE).argmax(axis=1)
    return best


def sampled_ceiling(evidence: NDArray[np.float64], prior: NDArray[np.float64]) -> tuple[float, float]:
    """Accuracy of the Bayes rule on sampled play, and its standard error.

    Parameters
    ----------
    evidence : (n, K) log-probability of each sampled history under each strategy
    prior : (K,) frequencies of the strategies in the sample

    Notes
    -----
    The posterior probability of the best strategy is averaged, not the hits: the same expectation with
    less variance. A history that no strategy allows gets the highest prior.
    """
    best = normalise(evidence, prior).max(axis=1)
    return float(best.mean()), float(best.std() / np.sqrt(len(best)))
