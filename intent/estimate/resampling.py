"""Subjects drawn again, and labels of groups exchanged: bootstrap errors, and tests between groups.

Clusters that are alike are drawn together, by a multinomial over their kinds: the number of clusters costs
nothing. Under the null hypothesis that shares and trembles are equal, group labels can be exchanged between
subjects (or clusters), which gives a p that needs no asymptotics and no interior estimates. For "shares" or
"tremble" alone labels are not exchangeable. The p of "shares" is then that of `contrast.equal_shares_of`,
which holds for clusters and for shares of zero; for "tremble" chi-square is all there is.

Labels are exchanged between clusters that lie in one group, and within those that do not. Which of alike
clusters get the labels of a group is a draw without replacement from their kinds (multivariate
hypergeometric), and of n alike clusters of two subjects in two groups, Binomial(n, 1/2) swap their labels.
Larger clusters in several groups are shuffled one by one.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap; Cameron, Gelbach & Miller 2008, Review of Economics
and Statistics 90:414 (pairs cluster bootstrap). Self & Liang 1987, JASA 82:605 (parameters on the boundary);
Phipson & Smyth 2010, SAGMB 9:39 (p of permutations). Pesarin & Salmaso 2010, Permutation Tests for Complex
Data, ch. 1 (exchangeable units, restricted permutations).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.base.workers import SERIAL, Workers
from intent.estimate.contrast import equal_shares_of
from intent.estimate.counts import Counts
from intent.estimate.mixture import (
    NO_TREMBLE,
    PIECE,
    ZERO,
    Layout,
    Method,
    Mixture,
    Optimum,
    Parameters,
    climb,
    layout_of,
    maximise,
)
from intent.estimate.population import Kinds, Population, Sample, kinds_of

__all__ = [
    "Exchange",
    "GroupTest",
    "bootstrap",
    "drawn_weights",
    "group_tests",
    "observed_weights",
    "permuted_groups",
    "resampled_weights",
]


Listed = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]
_CHUNK = 1 << 18
"""Subjects that are shuffled at a time."""


def observed_weights(kinds: Kinds, n_groups: int, n_patterns: int) -> Floats:
    """How often each pattern occurs in each group, (G, P)."""
    weights = np.zeros((n_groups, n_patterns))
    np.add.at(weights, (kinds.group, kinds.pattern), kinds.times * kinds.number[kinds.owner])
    return weights


class Exchange:
    """Draws of exchanged labels.

    Parameters
    ----------
    kinds : Kinds of clusters (or of subjects, where there are none) in G groups
    """

    def __init__(self, kinds: Kinds, n_groups: int, n_patterns: int) -> None:
        self._shape = (n_groups, n_patterns)
        lowest, highest = (how.reduceat(kinds.group, kinds.start[:-1]) for how in (np.minimum, np.maximum))
        size = np.add.reduceat(kinds.times, kinds.start[:-1])
        pure, pair = lowest == highest, (lowest != highest) & (size == 2)
        self._sizes = np.bincount(lowest[pure], weights=kinds.number[pure], minlength=n_groups)
        alike = _some(kinds, pure)
        self._pure = kinds_of(
            alike.owner, alike.pattern, np.zeros_like(alike.group), alike.times, alike.number
        )
        self._pairs = _some(kinds, pair)
        self._others = _some(kinds, ~pure & ~pair)
        self._step = max(1, _CHUNK // max(1, int(size[~pure & ~pair].max(initial=1))))
        self._first = _listed(self._others, 0, min(self._step, self._others.n_clusters))

    def draw(self, rng: np.random.Generator) -> Floats:
        """How often each pattern occurs in each group after one exchange, (G, P)."""
        weights = np.zeros(self._shape)
        left = self._pure.number
        for g, size in enumerate(self._sizes.astype(np.int64)):
            last = g == len(self._sizes) - 1
            drawn = left if last else rng.multivariate_hypergeometric(left, size, method="marginals")
            left = left - drawn
            np.add.at(weights[g], self._pure.pattern, self._pure.times * drawn[self._pure.owner])
        self._swap(weights, rng)
        for pattern, group, cluster in self._chunks():
            np.add.at(weights, (permuted_groups(group, cluster, rng), pattern), 1.0)
        return weights

    def _swap(self, weights: Floats, rng: np.random.Generator) -> None:
        pairs = self._pairs
        swapped = rng.binomial(pairs.number, 0.5)
        for own, other in ((0, 1), (1, 0)):
            np.add.at(weights, (pairs.group[own::2], pairs.pattern[own::2]), pairs.number - swapped)
            np.add.at(weights, (pairs.group[own::2], pairs.pattern[other::2]), swapped)

    def _chunks(self) -> Iterator[Listed]:
        """The larger clusters in several groups, some at a time."""
        n_clusters = self._others.n_clusters
        if n_clusters:
            yield self._first
        for first in range(self._step, n_clusters, self._step):
            yield _listed(self._others, first, min(first + self._step, n_clusters))


def _listed(kinds: Kinds, first: int, last: int) -> Listed:
    """Subjects of the clusters `first` to `last`, one by one: pattern, group and cluster of each."""
    kind = np.searchsorted(np.cumsum(kinds.number), np.arange(first, last), side="right")
    sizes = np.diff(kinds.start)[kind]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    entry = kinds.start[kind].repeat(sizes) + within
    times = kinds.times[entry]
    cluster = np.repeat(np.arange(last - first), sizes).repeat(times)
    return kinds.pattern[entry].repeat(times), kinds.group[entry].repeat(times), cluster


def permuted_groups(
    group: NDArray[np.intp], cluster: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Group labels exchanged between the clusters that lie in one group, and within each that does not.

    Parameters
    ----------
    group, cluster : (n,) int
    """
    n_clusters = int(cluster.max()) + 1
    of_cluster = np.zeros(n_clusters, dtype=group.dtype)
    of_cluster[cluster] = group
    crossed = np.zeros(n_clusters, dtype=bool)
    crossed[cluster[of_cluster[cluster] != group]] = True
    of_cluster[~crossed] = rng.permutation(of_cluster[~crossed])
    shuffled = of_cluster[cluster]
    within = np.flatnonzero(crossed[cluster])
    own = cluster[within]
    order = np.lexsort((rng.random(len(within)), own))
    shuffled[within[np.argsort(own, kind="stable")]] = group[within[order]]
    return shuffled


def _some(kinds: Kinds, which: NDArray[np.bool_]) -> Kinds:
    """Those of the kinds, in the same order."""
    keep = which[kinds.owner]
    sizes = np.diff(kinds.start)[which]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    return Kinds(start, kinds.pattern[keep], kinds.group[keep], kinds.times[keep], kinds.number[which])


Floats = NDArray[np.float64]


def group_tests(
    population: Population,
    codes: Sequence[Any],
    samples: Sequence[Sample],
    free: float,
    method: Method,
    update: Callable[[int], None] = lambda done: None,
) -> tuple[GroupTest, ...]:
    """Tests of equal shares and trembles, of equal shares, and of equal trembles.

    Parameters
    ----------
    codes : of the G groups
    samples : G Sample
    free : float, log-likelihood of the unrestricted fit
    method : Method
        Of that fit. With one tremble for all groups only shares are tested. What is drawn is drawn here, and
        fitted by the workers.
    update : called with the number of permutations done
    """
    tremble, permutations = method.tremble, method.bootstrap
    counts = population.counts
    n_groups, k = len(samples), counts.n_strategies
    kinds = [("shares", "tremble"), ("shares",), ("tremble",)] if tremble != "pooled" else [("shares",)]
    tests = []
    for equal in kinds:
        layout = layout_of(n_groups, k, tremble, equal=equal)
        optimum = climb([s.counts for s in samples], [s.number for s in samples], layout)
        df = _degrees(layout_of(n_groups, k, tremble), counts) - _degrees(layout, counts)
        statistic = max(0.0, 2 * (free - float(optimum.slopes.value[0])))
        p_permutation = None
        if permutations and (len(equal) == 2 or tremble == "pooled"):
            drawn = _permuted(population, optimum, method, update)
            p_permutation = float((1 + (drawn[1:] >= drawn[0] - 1e-8).sum()) / (1 + permutations))
        p_units, draws = None, 0
        if method.shares_rng is not None and equal == ("shares",) and tremble == "common":
            drawn_test = equal_shares_of(population, free, rng=method.shares_rng, alpha=1 - method.level)
            if drawn_test.draws:
                p_units, draws = drawn_test.p, drawn_test.draws
        tests.append(
            GroupTest(
                " and ".join(equal),
                tuple(codes),
                statistic,
                df,
                _chi_square_tail(statistic, df),
                _on_boundary(optimum),
                p_permutation,
                permutations if p_permutation is not None else 0,
                p_units,
                draws,
            )
        )
    return tuple(tests)


def _permuted(
    population: Population, equal: Optimum, method: Method, update: Callable[[int], None]
) -> Floats:
    """Log-likelihood of the free fit for the labels as they are and for permuted ones, (1 + permutations,).

    All fits start from the fit of equal groups, with all shares positive.
    """
    assert method.rng is not None
    tremble, permutations, rng = method.tremble, method.bootstrap, method.rng
    counts, n_groups = population.counts, population.n_groups
    n, k = len(counts), counts.n_strategies
    layout = layout_of(n_groups if tremble == "pooled" else 1, k, tremble)
    mixture = Mixture([counts] * len(layout.block), layout)
    shares = 0.9 * equal.at.shares[:, :1] + 0.1 / k
    odds = np.clip(equal.at.log_odds[:, : layout.n_trembles], np.log(1e-3), np.log(0.45 / 0.55))
    step = max(1, PIECE // (k * n_groups * n))
    exchange = Exchange(population.kinds, n_groups, n)

    def pieces() -> Iterator[Floats]:
        for start in range(0, 1 + permutations, step):
            size = min(step, 1 + permutations - start)
            weights = np.empty((size, n_groups, n))
            for i in range(size):
                as_is = start + i == 0
                weights[i] = observed_weights(population.kinds, n_groups, n) if as_is else exchange.draw(rng)
            yield weights

    values: list[Floats] = []
    done = 0
    fit = partial(_free_fits, mixture, shares, odds, tremble != "pooled")
    for some in method.workers.map(fit, pieces()):
        values.append(some)
        done += len(some)
        update(min(done, permutations))
    return np.concatenate(values)


def _free_fits(mixture: Mixture, shares: Floats, odds: Floats, apart: bool, weights: Floats) -> Floats:
    """Log-likelihoods (size,) of all groups together, of weights (size, G, n) of the distinct subjects."""
    size, n_groups, n = weights.shape
    b = size * n_groups if apart else size
    batch = [weights.reshape(b, n)] if apart else [weights[:, g] for g in range(n_groups)]
    begin = Parameters(np.tile(shares, (b, mixture.layout.n_blocks, 1)), np.tile(odds, (b, 1)))
    heights = maximise(mixture, batch, begin, tol=1e-7).slopes.value
    total: Floats = heights.reshape(size, -1).sum(axis=1)
    return total


def _degrees(layout: Layout, counts: Counts) -> int:
    """Free parameters; the tremble of a strategy that always tosses a fair coin is none."""
    k = counts.n_strategies
    shows = [i for i in range(k) if (counts.p[counts.columns(i)] != 0.5).any()]
    return layout.n_blocks * (k - 1) + len(np.unique(layout.tremble[:, shows]))


def _on_boundary(optimum: Optimum) -> bool:
    odds = optimum.at.log_odds
    return bool(
        (optimum.at.shares <= ZERO).any() or (odds <= NO_TREMBLE).any() or (odds >= optimum.highest).any()
    )


def _chi_square_tail(statistic: float, df: int) -> float:
    from scipy.special import gammaincc

    return float(gammaincc(df / 2, statistic / 2)) if df > 0 else 1.0


@dataclass(frozen=True)
class GroupTest:
    """A likelihood-ratio test between groups.

    Attributes
    ----------
    tested : {"shares and tremble", "shares", "tremble"}
        What is the same in all groups under the null hypothesis; everything else is free.
    groups : codes of the groups
    statistic : float, 2 (log L free - log L equal), at least 0
    p : float, by chi-square
    boundary : bool
        Whether an estimate under the null hypothesis sits on its boundary: chi-square is then only an
        approximation.
    p_permutation : float or None
        By exchanging group labels between subjects (or clusters); for "shares and tremble".
    p_units : float or None
        For "shares" with one tremble per group: by `contrast.equal_shares_of`, whatever the clusters.
    draws : int, of its distribution
    """

    tested: str
    groups: tuple[Any, ...]
    statistic: float
    df: int
    p: float
    boundary: bool
    p_permutation: float | None = None
    permutations: int = 0
    p_units: float | None = None
    draws: int = 0


BATCH = 1 << 19
"""Numbers per array of weights that are drawn together."""


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
    """
    number = np.bincount(pattern)
    if clusters is None:
        return rng.multinomial(len(pattern), number / len(pattern), size=size).astype(float)
    n_clusters = int(clusters.max()) + 1
    drawn = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), size=size)
    order = np.argsort(pattern, kind="stable")
    first = np.concatenate([[0], np.cumsum(number)[:-1]])
    weights: Floats = np.add.reduceat(drawn[:, clusters[order]].astype(float), first, axis=1)
    return weights


def drawn_weights(kinds: Kinds, n_patterns: int, size: int, rng: np.random.Generator) -> Floats:
    """How often each pattern is drawn in each resample, (size, n_patterns).

    C clusters drawn with replacement are a multinomial over the kinds with chances n_d / C.

    Parameters
    ----------
    kinds : Kinds of the clusters of one group
    size : int, number of resamples
    """
    drawn = rng.multinomial(kinds.n_clusters, kinds.number / kinds.n_clusters, size=size)
    order = np.argsort(kinds.pattern, kind="stable")
    number = np.bincount(kinds.pattern, minlength=n_patterns)
    first = np.cumsum(number) - number
    each = (drawn[:, kinds.owner[order]] * kinds.times[order]).astype(float)
    weights: Floats = np.add.reduceat(each, first, axis=1)
    return weights


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
    optimum = maximise(mixture, weights, start, tol=1e-7)
    moves = optimum.slopes.moves
    governs = moves > 1e-6 * moves.sum(axis=1, keepdims=True)
    return optimum.at.shares, np.where(governs, 1 / (1 + np.exp(-optimum.at.log_odds)), np.nan)
