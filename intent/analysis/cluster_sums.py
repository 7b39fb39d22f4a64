"""Totals of clusters: all that means and intervals need to know, and they add up over the pieces of a log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["ClusterSums"]


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """What clusters of rows hold, and how many clusters hold the same.

    With values w_i of the m_c rows of cluster c, s_c = sum w_i and r_c = sum (w_i - s_c / m_c)^2. The
    sum of squares about any centre p is then sum_c r_c + m_c (s_c / m_c - p)^2, without cancellation.

    Parameters
    ----------
    sizes : (d,) float, rows m_c
    sums, spreads : (d, k) float, s_c and r_c of k values of each row
    numbers : (d,) int64, clusters that are so
    """

    sizes: NDArray[np.float64]
    sums: NDArray[np.float64]
    spreads: NDArray[np.float64]
    numbers: NDArray[np.int64]

    @classmethod
    def of(cls, values: NDArray[np.float64], clusters: NDArray[np.intp]) -> ClusterSums:
        """Of rows, one entry per cluster in the order of their numbers.

        Parameters
        ----------
        values : (n, k) float
        clusters : (n,) int
        """
        codes = clusters
        if len(codes) and not 0 <= codes.min() <= codes.max() < 4 * len(codes):
            codes = np.unique(clusters, return_inverse=True)[1]
        counts = np.bincount(codes)
        there = counts > 0
        sizes = np.maximum(counts, 1).astype(float)
        sums, spreads = [], []
        for column in values.T:
            total = np.bincount(codes, weights=column)
            apart = column - (total / sizes)[codes]
            sums.append(total[there] + 0.0)
            spreads.append(np.bincount(codes, weights=apart * apart)[there])
        shape = (int(there.sum()), values.shape[1])
        return cls(
            sizes[there],
            np.array(sums).reshape(shape[::-1]).T,
            np.array(spreads).reshape(shape[::-1]).T,
            np.ones(shape[0], dtype=np.int64),
        )

    @classmethod
    def joined(cls, parts: Iterable[ClusterSums]) -> ClusterSums:
        """Of all clusters of the parts, as `merged`: the same whatever the parts are."""
        found = list(parts)
        whole = cls(
            *(
                np.concatenate([getattr(part, name) for part in found])
                for name in ("sizes", "sums", "spreads", "numbers")
            )
        )
        return whole.merged()

    def merged(self) -> ClusterSums:
        """Each distinct entry once, sorted by size, sums and spreads."""
        columns = [self.sizes, *self.sums.T, *self.spreads.T]
        codes = np.zeros(len(self.sizes), dtype=np.intp)
        for column in columns:
            if (column == column[:1]).all():
                continue
            own, found = pd.factorize(column)
            codes = pd.factorize(codes * len(found) + own)[0] if codes.any() else own
        first = np.flatnonzero(~pd.Series(codes).duplicated().to_numpy())
        order = np.lexsort([column[first] for column in reversed(columns)])
        numbers = np.bincount(codes, weights=self.numbers, minlength=len(first)).astype(np.int64)
        rows = first[order]
        return ClusterSums(self.sizes[rows], self.sums[rows], self.spreads[rows], numbers[order])

    def scaled(self, low: float, span: float) -> ClusterSums:
        """Of the values less `low`, over `span`."""
        if (low, span) == (0.0, 1.0):
            return self
        sums = (self.sums - self.sizes[:, None] * low) / span
        return ClusterSums(self.sizes, sums, self.spreads / span**2, self.numbers)

    @property
    def n(self) -> int:
        """Rows."""
        return int((self.sizes * self.numbers).sum())

    @property
    def n_clusters(self) -> int:
        """Clusters."""
        return int(self.numbers.sum())

    @property
    def means(self) -> NDArray[np.float64]:
        """(k,) means over rows."""
        return self.total(self.sums) / self.n

    def total(self, entries: NDArray[np.float64]) -> NDArray[np.float64]:
        """(k,) sums over all clusters of (d, k) entries."""
        found: NDArray[np.float64] = np.ascontiguousarray((entries * self.numbers[:, None]).T).sum(axis=1)
        return found

    def squares(self, centres: NDArray[np.float64]) -> NDArray[np.float64]:
        """(k,) sums over rows of the squared distances of the values from (k,) centres."""
        size = self.sizes[:, None]
        return self.total(self.spreads + size * (self.sums / size - centres) ** 2)
