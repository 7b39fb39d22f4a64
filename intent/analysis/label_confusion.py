"""What labels make of strategies: the probability of every counted outcome, given who really plays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intent.analysis.shares import ABSTENTIONS
from intent.logs.trajectories import Trajectories
from intent.play.corpora import FAIR_COIN, Corpus, generate_arrays
from intent.play.opponents import Opponent
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.ceiling import all_histories
from intent.recognise.verdict import LabelSettings, judge
from intent.strategies.automaton import Strategy
from intent.strategies.likelihood import log_likelihood

__all__ = ["EXACT_ROUNDS", "label_confusion"]

EXACT_ROUNDS = 7
"""Longest play whose histories (4^T) are all judged; longer play is sampled."""

Floats = NDArray[np.float64]


def label_confusion(
    strategies: Sequence[Strategy],
    rounds: int,
    eps: float,
    *,
    count: Literal["status", "best"] = "status",
    opponent: Opponent = FAIR_COIN,
    settings: LabelSettings | None = None,
    samples: int = 4000,
    rng: np.random.Generator,
) -> Floats:
    """P(counted outcome | strategy) of the exact Bayes recogniser that knows eps.

    Against a fair coin, play of up to `EXACT_ROUNDS` rounds is enumerated: every history is labelled, and
    weighted with its probability under each strategy. Longer play, and other opponents, are sampled.

    Parameters
    ----------
    strategies : sequence of K Strategy
    rounds : int
    eps : float in [0, .5)
    count : str
        ``status``: strategies where labels are confident, then ambiguous, low_confidence, no_fit; ``best``:
        the most probable strategy.
    opponent : Opponent
    settings : LabelSettings, optional
    samples : int
        Trajectories per strategy where play is sampled.
    rng : Generator

    Returns
    -------
    (K, K + 3) or (K, K) float, rows sum to one
    """
    known = tuple(strategies)
    recogniser = BayesRecogniser(known, eps=eps).fit()
    k = len(known)
    if rounds <= EXACT_ROUNDS and opponent is FAIR_COIN:
        own, other = all_histories(rounds)
        X = Trajectories.trusted(own, other)
        weights = np.exp(log_likelihood(own, other, None, known, eps)) / 2.0**rounds
    else:
        corpus = Corpus(known, samples * k, (rounds, rounds), (eps, eps), opponent=opponent)
        X, played = generate_arrays(corpus, rng)
        drawn = played[:, None] == np.arange(k)
        weights = drawn / drawn.sum(axis=0)
    verdict = judge(X, recogniser, settings or LabelSettings(), rng)
    outcome = verdict.best.copy()
    if count == "status":
        for i, status in enumerate(ABSTENTIONS):
            outcome[verdict.status == status] = k + i
    width = k + len(ABSTENTIONS) if count == "status" else k
    confusion = np.stack([np.bincount(outcome, weights=w, minlength=width) for w in weights.T])
    return np.asarray(confusion / confusion.sum(axis=1, keepdims=True))
