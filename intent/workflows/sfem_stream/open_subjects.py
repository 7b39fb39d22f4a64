"""Subjects with games in several pieces: one row of counts each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.counts import Counts
from intent.recognise.sfem.gaps import Gaps
from intent.workflows.sfem_stream.columns import Key
from intent.workflows.sfem_stream.open_clusters import OpenClusters
from intent.workflows.sfem_stream.part import Unfinished, several_clusters

__all__ = ["OpenSubjects", "Units"]

Units = tuple[Counts, NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]
"""Counts of units, and of each the number of its subject, group and cluster."""


@dataclass
class OpenSubjects:
    """Counts by subject and group.

    Attributes
    ----------
    names : key of a subject -> its number
    rows : (subject, group) -> row of the counts
    """

    names: dict[Key, int] = field(default_factory=dict)
    rows: dict[tuple[int, int], int] = field(default_factory=dict)
    _moves: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 0), dtype=np.int32))
    _choices: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    _cluster: list[int] = field(default_factory=list)
    _gaps: list[Gaps] = field(default_factory=list)
    _like: Counts | None = None

    def add(
        self, found: Unfinished, group: NDArray[np.intp], columns: tuple[str, ...], clusters: OpenClusters
    ) -> None:
        """Add the counts of a piece.

        Parameters
        ----------
        found : Unfinished
        group : number of each of its groups
        columns : those that make clusters, for the message
        clusters : OpenClusters, which number them

        Raises
        ------
        UsageError
            A subject in several clusters of one group.
        """
        self._like = found.counts if self._like is None else self._like
        own = np.empty(len(found.names), dtype=np.intp)
        for i, (name, g) in enumerate(zip(found.names, group[found.group].tolist(), strict=True)):
            subject = self.names.setdefault(name, len(self.names))
            own[i] = row = self.rows.setdefault((subject, g), len(self.rows))
            cluster = -1 if found.clusters is None else clusters.number(found.clusters[i])
            if row == len(self._cluster):
                self._cluster.append(cluster)
            elif self._cluster[row] != cluster:
                assert found.clusters is not None
                raise several_clusters(columns, found.clusters[i])
        self._reserve(found.counts.moves.shape[1])
        self._moves[own] += found.counts.moves
        self._choices[own] += found.counts.choices
        gaps = found.counts.gaps
        if len(gaps):
            self._gaps.append(gaps.take(np.arange(len(gaps)), own[gaps.row], gaps.strategy))

    def units(self) -> Units | None:
        """All subjects by group; None where there are none."""
        if self._like is None:
            return None
        n = len(self.rows)
        of = np.array(list(self.rows), dtype=np.intp).reshape(n, 2)
        counts = Counts(
            self._like.p, self._like.first, self._moves[:n], self._choices[:n], Gaps.join(self._gaps)
        )
        return counts, of[:, 0], of[:, 1], np.array(self._cluster, dtype=np.intp)

    def several(self) -> int:
        """Subjects in several groups."""
        if not self.rows:
            return 0
        return int((np.bincount(np.array([subject for subject, _ in self.rows])) > 1).sum())

    def _reserve(self, width: int) -> None:
        """Room for all rows, half of it spare."""
        n = len(self.rows)
        if n > len(self._moves):
            more = n + n // 2
            moves, choices = np.zeros((more, width), dtype=np.int32), np.zeros(more, dtype=np.int64)
            if len(self._moves):
                moves[: len(self._moves)] = self._moves
                choices[: len(self._choices)] = self._choices
            self._moves, self._choices = moves, choices
