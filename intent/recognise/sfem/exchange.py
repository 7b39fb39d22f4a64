"""Group labels exchanged between clusters that lie in one group, and within those that do not.

Clusters that are alike are exchanged together: which of them get the labels of a group is a draw without
replacement from their kinds (multivariate hypergeometric), and of n alike clusters of two subjects in two
groups, Binomial(n, 1/2) swap their labels. Larger clusters in several groups are shuffled one by one.

References
----------
Pesarin & Salmaso 2010, Permutation Tests for Complex Data, ch. 1 (exchangeable units, restricted
permutations).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.kinds import Kinds, kinds_of

__all__ = ["Exchange", "observed_weights", "permuted_groups"]

Floats = NDArray[np.float64]
Listed = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]
_CHUNK = 1 << 18
"""Subjects that are shuffled at a time."""


def observed_weights(kinds: Kinds, n_groups: int, n_patterns: int) -> Floats:
    """How often each pattern occurs in each group, (G, P)."""
    found = np.zeros((n_groups, n_patterns))
    np.add.at(found, (kinds.group, kinds.pattern), kinds.times * kinds.number[kinds.owner])
    return found


class Exchange:
    """Draws of exchanged labels.

    Parameters
    ----------
    kinds : Kinds of clusters (or of subjects, where there are none) in G groups
    n_groups, n_patterns : int
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
        found = np.zeros(self._shape)
        left = self._pure.number
        for g, size in enumerate(self._sizes.astype(np.int64)):
            last = g == len(self._sizes) - 1
            drawn = left if last else rng.multivariate_hypergeometric(left, size, method="marginals")
            left = left - drawn
            np.add.at(found[g], self._pure.pattern, self._pure.times * drawn[self._pure.owner])
        self._swap(found, rng)
        for pattern, group, cluster in self._chunks():
            np.add.at(found, (permuted_groups(group, cluster, rng), pattern), 1.0)
        return found

    def _swap(self, found: Floats, rng: np.random.Generator) -> None:
        pairs = self._pairs
        swapped = rng.binomial(pairs.number, 0.5)
        for own, other in ((0, 1), (1, 0)):
            np.add.at(found, (pairs.group[own::2], pairs.pattern[own::2]), pairs.number - swapped)
            np.add.at(found, (pairs.group[own::2], pairs.pattern[other::2]), swapped)

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
    rng : Generator
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
