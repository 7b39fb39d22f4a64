"""The subjects of one group, and the parameters of groups that are fitted together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.counts import Counts
from intent.recognise.sfem.kinds import Kinds
from intent.recognise.sfem.mixture import Layout
from intent.recognise.sfem.population import Population
from intent.recognise.sfem.result import TrembleKind

__all__ = ["Sample", "layout_of", "split"]


@dataclass(frozen=True, eq=False)
class Sample:
    """The subjects of one group, with equal ones counted.

    Attributes
    ----------
    counts : Counts of the patterns that occur in the group
    place : (n_patterns,) which patterns of the population they are
    number : (n_patterns,) float, how often each occurs
    kinds : Kinds of the clusters, or subjects, of the group
    clustered : bool
        Whether errors allow for clusters.
    """

    counts: Counts
    place: NDArray[np.intp]
    number: NDArray[np.float64]
    kinds: Kinds
    clustered: bool

    @property
    def n_subjects(self) -> int:
        """Subjects of the group."""
        return int(self.number.sum())

    @property
    def n_units(self) -> int:
        """Independent observations: clusters where there are any, else subjects."""
        return self.kinds.n_clusters


def split(population: Population) -> list[Sample]:
    """A sample of each group."""
    found = []
    for g in range(population.n_groups):
        place = np.unique(population.kinds.pattern[population.kinds.group == g])
        new = np.full(len(population.counts), -1)
        new[place] = np.arange(len(place))
        kinds = population.kinds.within(g, new)
        number = kinds.subjects(len(place)).astype(float)
        counts = population.counts.take(place)
        found.append(Sample(counts, place, number, kinds, population.clustered))
    return found


def layout_of(n_groups: int, n_strategies: int, tremble: TrembleKind, *, equal: Sequence[str] = ()) -> Layout:
    """The parameters of groups that are fitted together.

    Parameters
    ----------
    n_groups, n_strategies : int
    tremble : {"common", "strategy", "pooled"}
    equal : of "shares" and "tremble", those that are the same in all groups
    """
    groups = np.arange(n_groups)
    block = np.zeros(n_groups, dtype=np.intp) if "shares" in equal else groups
    own = groups if tremble != "pooled" and "tremble" not in equal else np.zeros(n_groups, dtype=np.intp)
    if tremble == "strategy":
        return Layout(block, own[:, None] * n_strategies + np.arange(n_strategies))
    return Layout(block, np.repeat(own[:, None], n_strategies, axis=1))
