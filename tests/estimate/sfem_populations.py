"""Simulated populations with known shares."""

from __future__ import annotations

import numpy as np

from intent import Trajectories
from intent.play.corpora import Corpus, generate_arrays
from intent.strategies.sets import strategy_set


def population(strategies, numbers, games, rng, *, rounds=8, eps=0.06):
    """Play of `numbers[k]` subjects of each strategy, `games` games each, and the subject of each game."""
    chosen = strategy_set(strategies)
    most = max(numbers) * games
    X, y = generate_arrays(Corpus(chosen, most * len(chosen), (rounds, rounds), (eps, eps)), rng)
    rows = np.concatenate([np.flatnonzero(y == k)[: n * games] for k, n in enumerate(numbers)])
    return X[rows], np.repeat(np.arange(sum(numbers)), games), chosen


def joined(*parts):
    """Several Trajectories of equal length as one."""
    return Trajectories(np.concatenate([p.own for p in parts]), np.concatenate([p.other for p in parts]))
