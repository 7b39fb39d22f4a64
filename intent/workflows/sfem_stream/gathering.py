"""Parts of a log added up, in order, to the population of the whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from intent.analysis.groups import Grouping, grouping
from intent.recognise.sfem.population import Population, joined, populated
from intent.workflows.log_stream.pieces import Runs
from intent.workflows.sfem_notes import first_games
from intent.workflows.sfem_stream.columns import Columns
from intent.workflows.sfem_stream.open_clusters import OpenClusters
from intent.workflows.sfem_stream.open_subjects import OpenSubjects
from intent.workflows.sfem_stream.part import Part

__all__ = ["Gathering"]

_WAITING = 1 << 16
"""Patterns and kinds of parts that wait to be added, at least."""


@dataclass
class Gathering:
    """The parts so far.

    Attributes
    ----------
    n, silent, shared : int
        As of `Part`, summed.
    unseen : bool
        As of `Part`, of any.
    read : Runs
    skipped : reason -> Runs
    columns : Columns, None before the first part
    valued, nested, games : as of `Part`, united
    groups : values of the columns that make groups -> number, by appearance
    """

    n: int = 0
    silent: int = 0
    shared: int = 0
    unseen: bool = False
    read: Runs = field(default_factory=Runs)
    skipped: dict[str, Runs] = field(default_factory=dict)
    columns: Columns | None = None
    valued: set[str] = field(default_factory=set)
    nested: set[str] = field(default_factory=set)
    games: set[str] = field(default_factory=set)
    groups: dict[tuple[Any, ...], int] = field(default_factory=dict)
    _settled: list[Population] = field(default_factory=list)
    _clusters: OpenClusters = field(default_factory=OpenClusters)
    _subjects: OpenSubjects = field(default_factory=OpenSubjects)

    def add(self, part: Part) -> None:
        """Add the next part.

        Raises
        ------
        UsageError
            Too many groups, or a subject in several clusters.
        """
        self.n += part.n
        self.silent += part.silent
        self.shared += part.shared
        self.unseen |= part.unseen
        self.read += part.read
        for reason, games in part.skipped.items():
            self.skipped[reason] = self.skipped.get(reason, Runs()) + games
        self.columns = part.columns
        self.valued |= part.valued
        self.nested |= part.nested
        self.games = set(first_games(self.games | part.games))
        known = len(self.groups)
        group = np.array(
            [self.groups.setdefault(key, len(self.groups)) for key in part.groups], dtype=np.intp
        )
        if len(self.groups) > known:
            self.grouping()
        if part.settled is not None:
            self._settled.append(part.settled.grouped(group, len(self.groups)))
            self._join(_WAITING)
        if part.entries is not None:
            self._clusters.add(part.entries, group)
        if part.unfinished is not None:
            self._subjects.add(part.unfinished, group, part.columns.cluster, self._clusters)

    def grouping(self) -> Grouping:
        """The groups so far, sorted as those of a table; its rows are `groups`."""
        by = () if self.columns is None else self.columns.by
        values = {column: [key[i] for key in self.groups] for i, column in enumerate(by)}
        return grouping(pd.DataFrame(values, index=range(len(self.groups))), by)

    def population(self) -> Population:
        """All subjects, in groups as `grouping` numbers them."""
        found = self.grouping()
        parts = list(self._settled)
        assert self.columns is not None
        clustered = bool(self.columns.cluster)
        subjects = self._subjects.units()
        if clustered:
            opened = self._clusters.population(subjects, len(self.groups))
            parts += [] if opened is None else [opened]
        elif subjects is not None:
            counts, subject, group, _ = subjects
            parts.append(populated(counts, group, subject, len(self.groups), clustered=False)[0])
        whole = joined(parts)
        return Population(whole.counts, whole.kinds, len(found), clustered).grouped(found.codes, len(found))

    def several(self) -> int:
        """Subjects in several groups."""
        return self.shared + self._subjects.several()

    def _join(self, least: int) -> None:
        """Join what waits once it is as much as what is joined."""
        sizes = [len(p.counts) + len(p.kinds.pattern) for p in self._settled]
        if sum(sizes[1:]) >= max(least, sizes[0]):
            self._settled = [joined(self._settled)]
