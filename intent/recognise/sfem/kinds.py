"""Kinds of clusters: clusters whose subjects play and belong alike are counted, not listed.

A cluster is a multiset of subjects, each with a pattern of counts and a group. What is resampled, exchanged
between groups, or summed to a sandwich depends on nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.distinct_rows import distinct_rows

__all__ = ["Kinds", "kinds_of"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Kinds:
    """D kinds of clusters with E entries, sorted by what they hold.

    Attributes
    ----------
    start : (D + 1,) entries of kind d are start[d] .. start[d + 1] - 1
    pattern, group, times : (E,) that many subjects of that pattern and group
    number : (D,) clusters of the kind
    """

    start: NDArray[np.intp]
    pattern: NDArray[np.intp]
    group: NDArray[np.intp]
    times: Ints
    number: Ints

    def __len__(self) -> int:
        return len(self.number)

    @property
    def owner(self) -> NDArray[np.intp]:
        """(E,) kind of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @property
    def n_clusters(self) -> int:
        """Clusters of all kinds."""
        return int(self.number.sum())

    def subjects(self, n_patterns: int) -> Ints:
        """(n_patterns,), subjects of each pattern in all clusters."""
        found: Ints = np.zeros(n_patterns, dtype=np.int64)
        np.add.at(found, self.pattern, self.times * self.number[self.owner])
        return found

    def renamed(self, pattern: NDArray[np.intp], group: NDArray[np.intp] | None = None) -> Kinds:
        """The same clusters, with patterns (and groups) called by new numbers."""
        groups = self.group if group is None else group[self.group]
        return kinds_of(self.owner, pattern[self.pattern], groups, self.times, self.number)

    def within(self, group: int, pattern: NDArray[np.intp]) -> Kinds:
        """What lies of them in one group, as group 0, with patterns called by new numbers."""
        keep = self.group == group
        present, owner = np.unique(self.owner[keep], return_inverse=True)
        own = pattern[self.pattern[keep]]
        return kinds_of(owner, own, np.zeros_like(own), self.times[keep], self.number[present])

    @classmethod
    def join(cls, parts: Sequence[Kinds]) -> Kinds:
        """The clusters of several parts, whose patterns and groups have the same numbers."""
        starts = np.cumsum([0, *(len(part) for part in parts)])
        owner = np.concatenate([part.owner + start for part, start in zip(parts, starts, strict=False)])
        pattern, group, times, number = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("pattern", "group", "times", "number")
        )
        return kinds_of(owner, pattern, group, times, number)


def kinds_of(
    owner: NDArray[np.intp],
    pattern: NDArray[np.intp],
    group: NDArray[np.intp],
    times: Ints | None = None,
    number: Ints | None = None,
) -> Kinds:
    """Clusters that are alike, counted.

    Parameters
    ----------
    owner : (E,) int in 0 .. C - 1, the cluster of each entry
    pattern, group : (E,) int
    times : (E,) int, subjects of each entry; default: one
    number : (C,) int, how many clusters each of them stands for; default: one
    """
    n = int(owner.max(initial=-1)) + 1
    times = np.ones(len(owner), dtype=np.int64) if times is None else times
    number = np.ones(n, dtype=np.int64) if number is None else number
    n_groups = int(group.max(initial=0)) + 1
    n_types = (int(pattern.max(initial=0)) + 1) * n_groups
    of_type = pattern.astype(np.int64) * n_groups + group
    pairs, first = np.unique(owner.astype(np.int64) * n_types + of_type, return_inverse=True)
    summed = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(summed, first.reshape(-1), times)
    owners, types = np.divmod(pairs, n_types)
    sizes = np.bincount(owners, minlength=n)
    begin = np.cumsum(sizes) - sizes
    found: list[tuple[Ints, Ints, Ints]] = []
    for size in np.unique(sizes[sizes > 0]):
        those = np.flatnonzero(sizes == size)
        entries = begin[those, None] + np.arange(size)
        place, code = distinct_rows(types[entries], summed[entries])
        together = np.zeros(len(place), dtype=np.int64)
        np.add.at(together, code, number[those])
        found.append((types[entries[place]].reshape(-1), summed[entries[place]].reshape(-1), together))
    nothing: Ints = np.empty(0, dtype=np.int64)
    of_type, times, number = (np.concatenate([nothing, *(one[i] for one in found)]) for i in range(3))
    lengths = np.repeat(np.unique(sizes[sizes > 0]), [len(one[2]) for one in found])
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    patterns, groups = np.divmod(of_type, n_groups)
    return Kinds(start, patterns.astype(np.intp), groups.astype(np.intp), times, number)
