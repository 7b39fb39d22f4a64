"""A population: what is known of all subjects, with equal ones counted.

Likelihood, errors, bootstrap and permutations need the distinct patterns of counts and the kinds of clusters
that subjects make of them, not the subjects one by one. A population holds these in an order that depends on
nothing else, so that a log read at once and a log read piece by piece give the same digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.counts import Counts
from intent.recognise.sfem.kinds import Kinds, kinds_of
from intent.recognise.sfem.patterns import merged, patterns

__all__ = ["Population", "joined", "populated"]


@dataclass(frozen=True, eq=False)
class Population:
    """Subjects of G groups.

    Attributes
    ----------
    counts : Counts of the P patterns, as `patterns` sorts them
    kinds : Kinds of clusters; without clusters a subject, in all its groups, is one
    n_groups : int
    clustered : bool
        Whether errors allow for clusters.
    """

    counts: Counts
    kinds: Kinds
    n_groups: int
    clustered: bool

    def only(self, strategies: Sequence[int]) -> tuple[Population, NDArray[np.intp]]:
        """The same subjects, looked at with some of the strategies, and what each pattern becomes (P,)."""
        counts, pattern = patterns(self.counts.only(strategies))
        return Population(counts, self.kinds.renamed(pattern), self.n_groups, self.clustered), pattern

    def grouped(self, group: NDArray[np.intp], n_groups: int) -> Population:
        """The same subjects in groups of other numbers."""
        same = np.arange(len(self.counts))
        return Population(self.counts, self.kinds.renamed(same, group), n_groups, self.clustered)


def populated(
    counts: Counts,
    group: NDArray[np.intp],
    cluster: NDArray[np.intp],
    n_groups: int,
    *,
    clustered: bool,
) -> tuple[Population, NDArray[np.intp]]:
    """The population of n units (a subject in one group), and which pattern each of them is (n,).

    Parameters
    ----------
    counts : Counts of all units
    group : (n,) int in 0 .. G - 1
    cluster : (n,) int; the subject where there are no clusters
    n_groups : int, G
    clustered : bool
    """
    distinct, pattern = patterns(counts)
    return Population(distinct, kinds_of(cluster, pattern, group), n_groups, clustered), pattern


def joined(parts: Sequence[Population]) -> Population:
    """All subjects of several populations, of which no cluster is in two; groups have the same numbers."""
    counts, maps = merged([part.counts for part in parts])
    kinds = Kinds.join([_named(part.kinds, found) for part, found in zip(parts, maps, strict=True)])
    n_groups = max(part.n_groups for part in parts)
    return Population(counts, kinds, n_groups, any(part.clustered for part in parts))


def _named(kinds: Kinds, pattern: NDArray[np.intp]) -> Kinds:
    """With new numbers of patterns, not yet in order."""
    return Kinds(kinds.start, pattern[kinds.pattern], kinds.group, kinds.times, kinds.number)
