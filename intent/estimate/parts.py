"""What an estimate needs of one piece of a log: patterns of play, and the subjects and clusters they make.

Clusters with subjects in several pieces: how many of each pattern and group they hold.

Subjects with games in several pieces: one row of counts each.

Parts of a log added up, in order, to the population of the whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.statistics.groups import Grouping, grouping
from intent.estimate.counts import Counts, Gaps
from intent.estimate.population import (
    Population,
    distinct_rows,
    join_populations,
    kinds_of,
    merge_patterns,
    population_of,
)
from intent.estimate.sfem_result import first_games
from intent.estimate.units import Columns, Key
from intent.logs.chunks import Runs

__all__ = [
    "Entries",
    "Gathering",
    "OpenClusters",
    "OpenSubjects",
    "Part",
    "Unfinished",
    "Units",
    "several_clusters",
]


@dataclass(frozen=True, eq=False)
class Entries:
    """Subjects of this piece alone, in clusters that may go on elsewhere.

    Attributes
    ----------
    counts : Counts of their patterns
    cluster, group, pattern : (E,) int, each cluster, group and pattern once
    times : (E,) int, that many subjects
    names : key of each cluster
    """

    counts: Counts
    cluster: NDArray[np.intp]
    group: NDArray[np.intp]
    pattern: NDArray[np.intp]
    times: NDArray[np.int64]
    names: list[Key]


@dataclass(frozen=True, eq=False)
class Unfinished:
    """Subjects that may have games elsewhere.

    Attributes
    ----------
    counts : Counts of u units, a subject in one group
    group : (u,) int
    names : u keys of the subjects
    clusters : u keys of their clusters, or None where subjects are drawn one by one
    """

    counts: Counts
    group: NDArray[np.intp]
    names: list[Key]
    clusters: list[Key] | None


@dataclass(frozen=True, eq=False)
class Part:
    """A piece, counted.

    Attributes
    ----------
    n, silent : trajectories that count, and those without a readable move
    read : Runs, games that meet the conditions
    skipped : reason -> Runs
    columns : Columns
    valued : those of them that have a value here
    nested : those of them that hold lists
    games : names of games played
    groups : values of the columns that make groups, one tuple per group here
    unseen : whether a game flips decisions that are not recorded
    shared : subjects of this piece alone that are in several groups
    settled : Population of the subjects whose games and clusters are all here
    entries : Entries, or None
    unfinished : Unfinished, or None
    """

    n: int
    silent: int
    read: Runs
    skipped: dict[str, Runs]
    columns: Columns
    valued: set[str] = field(default_factory=set)
    nested: set[str] = field(default_factory=set)
    games: set[str] = field(default_factory=set)
    groups: list[Key] = field(default_factory=list)
    unseen: bool = False
    shared: int = 0
    settled: Population | None = None
    entries: Entries | None = None
    unfinished: Unfinished | None = None


def several_clusters(columns: tuple[str, ...], name: Key) -> UsageError:
    """The error of a subject whose games are in several clusters, one of which is `name`."""
    from intent.estimate.units import several_clusters as error

    return error(columns, ", ".join(map(str, name)) if name[0] is not None else "without a value")


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
    counts, maps = merge_patterns([own for own, _, _ in tables])
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
            parts.append(population_of(counts, group, subject, len(self.groups), clustered=False)[0])
        whole = join_populations(parts)
        return Population(whole.counts, whole.kinds, len(found), clustered).grouped(found.codes, len(found))

    def several(self) -> int:
        """Subjects in several groups."""
        return self.shared + self._subjects.several()

    def _join(self, least: int) -> None:
        """Join what waits once it is as much as what is joined."""
        sizes = [len(p.counts) + len(p.kinds.pattern) for p in self._settled]
        if sum(sizes[1:]) >= max(least, sizes[0]):
            self._settled = [join_populations(self._settled)]
