"""Bootstrap over subjects or clusters: many resamples are one batch of weights on the distinct subjects.

Clusters that are alike are drawn together, by a multinomial over their kinds: the number of clusters costs
nothing.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap; Cameron, Gelbach & Miller 2008, Review of Economics
and Statistics 90:414 (pairs cluster bootstrap).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from intent.parallel import SERIAL, Workers
from intent.recognise.sfem.kinds import Kinds
from intent.recognise.sfem.maximise import maximise
from intent.recognise.sfem.mixture import Mixture, Parameters

__all__ = ["BATCH", "PIECE", "bootstrap", "drawn_weights", "resampled_weights"]

Floats = NDArray[np.float64]
BATCH = 1 << 19
"""Numbers per array of weights that are drawn together."""

PIECE = 1 << 16
"""Numbers per array of fits that a worker makes together. They do not depend on the number of workers, since
the last digits of a fit may depend on what it is fitted with."""


def resampled_weights(
    pattern: NDArray[np.intp],
    clusters: NDArray[np.intp] | None,
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """How often each distinct subject is drawn in each resample, (size, n_patterns), clusters one by one.

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


def drawn_weights(kinds: Kinds, n_patterns: int, size: int, rng: np.random.Generator) -> Floats:
    """How often each pattern is drawn in each resample, (size, n_patterns).

    C clusters drawn with replacement are a multinomial over the kinds with chances n_d / C.

    Parameters
    ----------
    kinds : Kinds of the clusters of one group
    n_patterns : int
    size : int, number of resamples
    rng : Generator
    """
    drawn = rng.multinomial(kinds.n_clusters, kinds.number / kinds.n_clusters, size=size)
    order = np.argsort(kinds.pattern, kind="stable")
    number = np.bincount(kinds.pattern, minlength=n_patterns)
    first = np.cumsum(number) - number
    each = (drawn[:, kinds.owner[order]] * kinds.times[order]).astype(float)
    found: Floats = np.add.reduceat(each, first, axis=1)
    return found


def bootstrap(
    mixture: Mixture,
    kinds: Sequence[Kinds],
    at: Parameters,
    samples: int,
    rng: np.random.Generator,
    update: Callable[[int], None] = lambda done: None,
    workers: Workers = SERIAL,
) -> tuple[Floats, Floats]:
    """Estimates of resampled data: shares (samples, A, K) and trembles (samples, J), NaN where undefined.

    Groups are resampled apart, each at its size. Every fit starts near the estimate, with all shares
    positive.

    Parameters
    ----------
    mixture : Mixture of distinct subjects
    kinds : Kinds of the clusters of each group
    at : Parameters, the estimate
    samples : int
    rng : Generator
    update : called with the number of resamples done
    workers : Workers, which fit; what is drawn is drawn here
    """
    k = mixture.n_strategies
    size = k * sum(map(len, mixture.groups))
    most = max(size, *(len(own.pattern) for own in kinds))
    step = max(1, min(samples, BATCH // max(most, 1)))
    begin = 0.9 * at.shares + 0.1 / k
    odds = np.clip(at.log_odds, np.log(1e-3), np.log(0.45 / 0.55))
    piece = max(1, PIECE // max(size, 1))

    def pieces() -> Iterator[list[Floats]]:
        for done in range(0, samples, step):
            b = min(step, samples - done)
            drawn = [
                drawn_weights(own, len(counts), b, rng)
                for own, counts in zip(kinds, mixture.groups, strict=True)
            ]
            yield from ([weights[i : i + piece] for weights in drawn] for i in range(0, b, piece))

    shares, trembles = [], []
    done = 0
    for some, own in workers.map(partial(_refitted, mixture, begin, odds), pieces()):
        shares.append(some)
        trembles.append(own)
        update(done := done + len(some))
    return np.concatenate(shares), np.concatenate(trembles)


def _refitted(
    mixture: Mixture, begin: Floats, odds: Floats, weights: Sequence[Floats]
) -> tuple[Floats, Floats]:
    """Shares (b, A, K) and trembles (b, J) of b resamples, NaN where no move tells a tremble."""
    b = len(weights[0])
    start = Parameters(np.repeat(begin, b, axis=0), np.repeat(odds, b, axis=0))
    found = maximise(mixture, weights, start, tol=1e-7)
    moves = found.slopes.moves
    seen = moves > 1e-6 * moves.sum(axis=1, keepdims=True)
    return found.at.shares, np.where(seen, 1 / (1 + np.exp(-found.at.log_odds)), np.nan)
