"""Counts of all units, apart by group and with identical subjects counted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.counts import Counts
from intent.recognise.sfem.mixture import Layout
from intent.recognise.sfem.result import TrembleKind
from intent.recognise.sfem.units import Units

__all__ = ["Sample", "layout_of", "split"]


@dataclass(frozen=True, eq=False)
class Sample:
    """The subjects of one group.

    Attributes
    ----------
    counts : Counts of the distinct subjects
    pattern : (n,) which of them each subject is
    number : (n_patterns,) float, how often each occurs
    cluster : (n,) int in 0 .. C - 1, or None
    """

    counts: Counts
    pattern: NDArray[np.intp]
    number: NDArray[np.float64]
    cluster: NDArray[np.intp] | None

    @property
    def n_units(self) -> int:
        """Independent observations: clusters where there are any, else subjects."""
        return len(self.pattern) if self.cluster is None else int(self.cluster.max()) + 1


def split(counts: Counts, units: Units) -> list[Sample]:
    """A sample of each group, from the counts of all units."""
    found = []
    for g in range(len(units.group_codes)):
        rows = units.rows(g)
        own = counts if len(rows) == len(counts) else counts.take(rows)
        cluster = None
        if units.cluster is not None:
            cluster = np.unique(units.cluster[rows], return_inverse=True)[1].reshape(-1)
        distinct, pattern, number = own.distinct()
        found.append(Sample(distinct, pattern, number.astype(float), cluster))
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
