"""Bootstrap over subjects or clusters: many resamples are one batch of weights on the distinct subjects.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap; Cameron, Gelbach & Miller 2008, Review of Economics
and Statistics 90:414 (pairs cluster bootstrap).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.maximise import maximise
from intent.recognise.sfem.mixture import Mixture, Parameters

__all__ = ["BATCH", "bootstrap", "resampled_weights"]

Floats = NDArray[np.float64]
BATCH = 1 << 19
"""Numbers per array of a batch of fits."""


def resampled_weights(
    pattern: NDArray[np.intp],
    clusters: NDArray[np.intp] | None,
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """How often each distinct subject is drawn in each resample, (size, n_patterns).

    Parameters
    ----------
    pattern : (n,) which distinct subject each subject is
    clusters : (n,) int in 0 .. C - 1, or None to draw subjects
    size : int, number of resamples
    rng : Generator
    """
    number = np.bincount(pattern)
    if clusters is None:
        return rng.multinomial(len(pattern), number / len(pattern), size=size).astype(float)
    n_clusters = int(clusters.max()) + 1
    drawn = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), size=size)
    order = np.argsort(pattern, kind="stable")
    first = np.concatenate([[0], np.cumsum(number)[:-1]])
    found: Floats = np.add.reduceat(drawn[:, clusters[order]].astype(float), first, axis=1)
    return found


def bootstrap(
    mixture: Mixture,
    patterns: Sequence[NDArray[np.intp]],
    clusters: Sequence[NDArray[np.intp] | None],
    at: Parameters,
    samples: int,
    rng: np.random.Generator,
    update: Callable[[int], None] = lambda done: None,
) -> tuple[Floats, Floats]:
    """Estimates of resampled data: shares (samples, A, K) and trembles (samples, J), NaN where undefined.

    Groups are resampled apart, each at its size. Every fit starts near the estimate, with all shares
    positive.

    Parameters
    ----------
    mixture : Mixture of distinct subjects
    patterns, clusters
        Of each group, as `resampled_weights`.
    at : Parameters, the estimate
    samples : int
    rng : Generator
    update : called with the number of resamples done
    """
    k = mixture.n_strategies
    size = k * sum(map(len, mixture.groups))
    step = max(1, min(samples, BATCH // max(size, 1)))
    begin = 0.9 * at.shares + 0.1 / k
    odds = np.clip(at.log_odds, np.log(1e-3), np.log(0.45 / 0.55))
    shares, trembles = [], []
    for done in range(0, samples, step):
        b = min(step, samples - done)
        weights = [
            resampled_weights(pattern, own, b, rng) for pattern, own in zip(patterns, clusters, strict=True)
        ]
        start = Parameters(np.repeat(begin, b, axis=0), np.repeat(odds, b, axis=0))
        found = maximise(mixture, weights, start, tol=1e-7)
        shares.append(found.at.shares)
        moves = found.slopes.moves
        seen = moves > 1e-6 * moves.sum(axis=1, keepdims=True)
        trembles.append(np.where(seen, 1 / (1 + np.exp(-found.at.log_odds)), np.nan))
        update(done + b)
    return np.concatenate(shares), np.concatenate(trembles)
