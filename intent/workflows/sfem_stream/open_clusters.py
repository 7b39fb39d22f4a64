"""Clusters with subjects in several pieces: how many of each pattern and group they hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.counts import Counts
from intent.recognise.sfem.distinct_rows import distinct_rows
from intent.recognise.sfem.kinds import kinds_of
from intent.recognise.sfem.patterns import merged
from intent.recognise.sfem.population import Population
from intent.workflows.sfem_stream.columns import Key
from intent.workflows.sfem_stream.part import Entries

__all__ = ["OpenClusters"]

_WAITING = 1 << 16

Table = tuple[Counts, NDArray[np.int64], NDArray[np.int64]]
"""Counts of patterns; (E, 3) cluster, group and pattern; (E,) subjects."""


@dataclass
class OpenClusters:
    """Subjects by cluster, group and pattern.

    Attributes
    ----------
    names : key of a cluster -> its number
    """

    names: dict[Key, int] = field(default_factory=dict)
    _tables: list[Table] = field(default_factory=list)

    def number(self, name: Key) -> int:
        """The number of a cluster."""
        return self.names.setdefault(name, len(self.names))

    def add(self, found: Entries, group: NDArray[np.intp]) -> None:
        """Add the entries of a piece, whose groups have the numbers `group`."""
        own = np.array([self.number(name) for name in found.names], dtype=np.int64)
        where = np.stack([own[found.cluster], group[found.group], found.pattern], axis=1).astype(np.int64)
        self._tables.append((found.counts, where, found.times))
        sizes = [len(where) for _, where, _ in self._tables]
        if sum(sizes[1:]) >= max(_WAITING, sizes[0]):
            self._tables = [_together(self._tables)]

    def population(self, units: Any, n_groups: int) -> Population | None:
        """All clusters, with the units of `OpenSubjects` (or None) that lie in them; None where none is."""
        tables = list(self._tables)
        if units is not None:
            counts, _, group, cluster = units
            where = np.stack([cluster, group, np.arange(len(counts))], axis=1).astype(np.int64)
            tables.append((counts, where, np.ones(len(counts), dtype=np.int64)))
        if not tables:
            return None
        counts, where, times = _together(tables)
        present, owner = np.unique(where[:, 0], return_inverse=True)
        kinds = kinds_of(
            owner.reshape(-1),
            where[:, 2].astype(np.intp),
            where[:, 1].astype(np.intp),
            times,
            np.ones(len(present), dtype=np.int64),
        )
        return Population(counts, kinds, n_groups, clustered=True)


def _together(tables: list[Table]) -> Table:
    """One table of several, with the same entries once."""
    counts, maps = merged([own for own, _, _ in tables])
    where = np.concatenate(
        [
            np.concatenate([found[:, :2], own[found[:, 2]][:, None]], axis=1)
            for (_, found, _), own in zip(tables, maps, strict=True)
        ]
    )
    times = np.concatenate([own for _, _, own in tables])
    place, code = distinct_rows(where)
    summed = np.zeros(len(place), dtype=np.int64)
    np.add.at(summed, code, times)
    return counts, where[place], summed
