"""A population: what is known of all subjects, with equal ones counted.

Likelihood, errors, bootstrap and permutations need the distinct patterns of counts and the kinds of clusters
that subjects make of them, not the subjects one by one. A cluster is a multiset of subjects, each with a
pattern of counts and a group. A population holds these in an order that depends on nothing else, so that a
log read at once and a log read piece by piece (`Gathering`) give the same digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import DataError, UnknownNameError
from intent.base.statistics import Grouping, grouping
from intent.base.tables import column_names
from intent.estimate.counts import Counts, Gaps, distinct_rows, merge_patterns, patterns
from intent.estimate.design_units import SEAT, several_clusters
from intent.logs.chunks import Runs

__all__ = [
    "MOST_GAMES",
    "Columns",
    "Entries",
    "Gathering",
    "Key",
    "Kinds",
    "Part",
    "Population",
    "Sample",
    "Unfinished",
    "Units",
    "find_units",
    "first_games",
    "join_populations",
    "kinds_of",
    "population_of",
    "split",
]


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
        number: Ints = np.zeros(n_patterns, dtype=np.int64)
        np.add.at(number, self.pattern, self.times * self.number[self.owner])
        return number

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
    blocks: list[tuple[Ints, Ints, Ints]] = []
    for size in np.unique(sizes[sizes > 0]):
        those = np.flatnonzero(sizes == size)
        entries = begin[those, None] + np.arange(size)
        place, code = distinct_rows(types[entries], summed[entries])
        together = np.zeros(len(place), dtype=np.int64)
        np.add.at(together, code, number[those])
        blocks.append((types[entries[place]].reshape(-1), summed[entries[place]].reshape(-1), together))
    nothing: Ints = np.empty(0, dtype=np.int64)
    of_type, times, number = (np.concatenate([nothing, *(one[i] for one in blocks)]) for i in range(3))
    lengths = np.repeat(np.unique(sizes[sizes > 0]), [len(one[2]) for one in blocks])
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    patterns, groups = np.divmod(of_type, n_groups)
    return Kinds(start, patterns.astype(np.intp), groups.astype(np.intp), times, number)


@dataclass(frozen=True, eq=False)
class Population:
    """Subjects of G groups.

    Attributes
    ----------
    counts : Counts of the P patterns, as `patterns` sorts them
    kinds : Kinds of clusters; without clusters a subject, in all its groups, is one
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
        if n_groups == self.n_groups == len(group) and (group == np.arange(n_groups)).all():
            return self
        same = np.arange(len(self.counts))
        return Population(self.counts, self.kinds.renamed(same, group), n_groups, self.clustered)


def population_of(
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
    """
    distinct, pattern = patterns(counts)
    return Population(distinct, kinds_of(cluster, pattern, group), n_groups, clustered), pattern


def join_populations(parts: Sequence[Population]) -> Population:
    """All subjects of several populations, of which no cluster is in two; groups have the same numbers."""
    if len(parts) == 1:
        return parts[0]
    counts, maps = merge_patterns([part.counts for part in parts])
    kinds = Kinds.join([_named(part.kinds, own) for part, own in zip(parts, maps, strict=True)])
    n_groups = max(part.n_groups for part in parts)
    return Population(counts, kinds, n_groups, any(part.clustered for part in parts))


def _named(kinds: Kinds, pattern: NDArray[np.intp]) -> Kinds:
    """With new numbers of patterns, not yet in order."""
    return Kinds(kinds.start, pattern[kinds.pattern], kinds.group, kinds.times, kinds.number)


@dataclass(frozen=True, eq=False)
class Units:
    """A subject in one group; who plays in two groups is a unit in each.

    Attributes
    ----------
    of_row : (N,) unit of each trajectory, in 0 .. n - 1
    subject : (n,) codes as given
    group : (n,) in 0 .. G - 1
    cluster : (n,) in 0 .. C - 1, or None where subjects are drawn one by one
    group_codes : G codes as given, sorted
    """

    of_row: NDArray[np.intp]
    subject: NDArray[Any]
    group: NDArray[np.intp]
    cluster: NDArray[np.intp] | None
    group_codes: tuple[Any, ...]

    def rows(self, g: int) -> NDArray[np.intp]:
        """Units of group g."""
        return np.flatnonzero(self.group == g)


def find_units(n: int, subjects: ArrayLike, groups: ArrayLike | None, clusters: ArrayLike | None) -> Units:
    """Units of n trajectories.

    Raises
    ------
    DataError
        No trajectory, arrays of another length, or a subject in two clusters of one group.
    """
    if n == 0:
        raise DataError("no trajectory to estimate from, expected at least one")
    subject_codes, subject = _coded("subjects", subjects, n)
    group_codes, group = _coded("groups", np.zeros(n, dtype=np.intp) if groups is None else groups, n)
    _, first, of_row = np.unique(group * len(subject_codes) + subject, return_index=True, return_inverse=True)
    own = None
    if clusters is not None:
        _, cluster = _coded("clusters", clusters, n)
        own = cluster[first]
        if (own[of_row] != cluster).any():
            row = int(np.flatnonzero(own[of_row] != cluster)[0])
            raise DataError(
                f"subject {subject_codes[subject[row]]} is in two clusters, expected each subject in one"
            )
    codes = tuple(code.item() if hasattr(code, "item") else code for code in group_codes)
    return Units(of_row.reshape(-1), subject_codes[subject[first]], group[first], own, codes)


def _coded(name: str, values: ArrayLike, n: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    array = np.asarray(values)
    if array.shape != (n,):
        raise DataError(f"{name} have shape {array.shape}, expected ({n},)")
    codes, inverse = np.unique(array, return_inverse=True)
    return codes, inverse.reshape(-1)


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
    samples = []
    for g in range(population.n_groups):
        place = np.unique(population.kinds.pattern[population.kinds.group == g])
        new = np.full(len(population.counts), -1)
        new[place] = np.arange(len(place))
        kinds = population.kinds.within(g, new)
        number = kinds.subjects(len(place)).astype(float)
        counts = population.counts.take(place)
        samples.append(Sample(counts, place, number, kinds, population.clustered))
    return samples


Key = tuple[Any, ...]
"""Values of the columns that name something."""

MOST_GAMES = 1000
"""Names of games that are kept."""


def first_games(names: Iterable[object]) -> tuple[str, ...]:
    """The names sorted, as many as memory may hold."""
    return tuple(sorted(map(str, names))[: MOST_GAMES + 1])


@dataclass(frozen=True)
class Columns:
    """Columns that make groups, subjects and clusters (none: each subject is its own)."""

    by: tuple[str, ...]
    subject: tuple[str, ...]
    cluster: tuple[str, ...]

    @classmethod
    def of(
        cls,
        by: str | Sequence[str],
        subject: str | Sequence[str],
        cluster: str | Sequence[str],
        known: list[str],
    ) -> Columns:
        """Those of a log with the columns `known`, from the settings of `intent.estimate.sfem.sfem`.

        Raises
        ------
        UnknownNameError
            A column that the log does not have.
        """
        groups, named = column_names(by, known), column_names(subject, known)
        unit = named or (("player",) if "player" in known else SEAT)
        within = column_names(cluster, known) or (("game_id",) if unit == SEAT else ())
        for column in (*groups, *unit, *within):
            if column not in known:
                raise UnknownNameError("column", column, known)
        return cls(groups, unit, within)

    @property
    def wanted(self) -> list[str]:
        """All of them, each once."""
        return list(dict.fromkeys([*self.by, *self.subject, *self.cluster]))


@dataclass(frozen=True, eq=False)
class Entries:
    """Subjects of this chunk alone, in clusters that may go on elsewhere.

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
    times: Ints
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
    """A chunk, counted.

    Attributes
    ----------
    n, silent : trajectories that count, and those without a readable move
    read : Runs, games that meet the conditions
    skipped : reason -> Runs
    valued : those of them that have a value here
    nested : those of them that hold lists
    games : names of games played
    groups : values of the columns that make groups, one tuple per group here
    order : Grouping, where the groups of this chunk are those of the log
    unseen : trajectories of games that flip decisions which are not recorded
    shared : subjects of this chunk alone that are in several groups
    settled : Population of the subjects whose games and clusters are all here
    units, pattern : of the settled ones, where the chunk is the log
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
    order: Grouping | None = None
    unseen: int = 0
    shared: int = 0
    settled: Population | None = None
    units: Units | None = None
    pattern: NDArray[np.intp] | None = None
    entries: Entries | None = None
    unfinished: Unfinished | None = None


_WAITING = 1 << 16
"""Patterns and kinds of parts that wait to be added, at least."""

_Table = tuple[Counts, Ints, Ints]
"""Counts of patterns; (E, 3) cluster, group and pattern; (E,) subjects."""


@dataclass
class _OpenClusters:
    """Clusters with subjects in several chunks: how many of each pattern and group they hold."""

    names: dict[Key, int] = field(default_factory=dict)
    _tables: list[_Table] = field(default_factory=list)

    def number(self, name: Key) -> int:
        return self.names.setdefault(name, len(self.names))

    def add(self, entries: Entries, group: NDArray[np.intp]) -> None:
        """Add the entries of a chunk, whose groups have the numbers `group`."""
        own = np.array([self.number(name) for name in entries.names], dtype=np.int64)
        where = np.stack([own[entries.cluster], group[entries.group], entries.pattern], axis=1)
        self._tables.append((entries.counts, where.astype(np.int64), entries.times))
        sizes = [len(where) for _, where, _ in self._tables]
        if sum(sizes[1:]) >= max(_WAITING, sizes[0]):
            self._tables = [_together(self._tables)]

    def population(self, units: _OpenUnits | None, n_groups: int) -> Population | None:
        """All clusters, with the open subjects that lie in them; None where none is."""
        tables = list(self._tables)
        if units is not None:
            counts, _, group, cluster = units
            where = np.stack([cluster, group, np.arange(len(counts))], axis=1).astype(np.int64)
            tables.append((counts, where, np.ones(len(counts), dtype=np.int64)))
        if not tables:
            return None
        counts, where, times = _together(tables)
        present, owner = np.unique(where[:, 0], return_inverse=True)
        pattern, group = where[:, 2].astype(np.intp), where[:, 1].astype(np.intp)
        kinds = kinds_of(owner.reshape(-1), pattern, group, times, np.ones(len(present), dtype=np.int64))
        return Population(counts, kinds, n_groups, clustered=True)


def _together(tables: list[_Table]) -> _Table:
    """One table of several, with the same entries once."""
    counts, maps = merge_patterns([own for own, _, _ in tables])
    where = np.concatenate(
        [
            np.concatenate([entry[:, :2], own[entry[:, 2]][:, None]], axis=1)
            for (_, entry, _), own in zip(tables, maps, strict=True)
        ]
    )
    times = np.concatenate([own for _, _, own in tables])
    place, code = distinct_rows(where)
    summed = np.zeros(len(place), dtype=np.int64)
    np.add.at(summed, code, times)
    return counts, where[place], summed


_OpenUnits = tuple[Counts, NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]
"""Counts of units, and of each the number of its subject, group and cluster."""


@dataclass
class _OpenSubjects:
    """Subjects with games in several chunks: one row of counts for each of them and group."""

    names: dict[Key, int] = field(default_factory=dict)
    rows: dict[tuple[int, int], int] = field(default_factory=dict)
    _moves: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 0), dtype=np.int32))
    _choices: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    _cluster: list[int] = field(default_factory=list)
    _gaps: list[Gaps] = field(default_factory=list)
    _like: Counts | None = None

    def add(
        self, part: Unfinished, group: NDArray[np.intp], columns: tuple[str, ...], clusters: _OpenClusters
    ) -> None:
        """Add the counts of a chunk, whose groups have the numbers `group`.

        Raises
        ------
        UsageError
            A subject in several clusters of one group.
        """
        self._like = part.counts if self._like is None else self._like
        own = np.empty(len(part.names), dtype=np.intp)
        for i, (name, g) in enumerate(zip(part.names, group[part.group].tolist(), strict=True)):
            subject = self.names.setdefault(name, len(self.names))
            own[i] = row = self.rows.setdefault((subject, g), len(self.rows))
            cluster = -1 if part.clusters is None else clusters.number(part.clusters[i])
            if row == len(self._cluster):
                self._cluster.append(cluster)
            elif self._cluster[row] != cluster:
                assert part.clusters is not None
                raise several_clusters(columns, part.clusters[i])
        self._reserve(part.counts.moves.shape[1])
        self._moves[own] += part.counts.moves
        self._choices[own] += part.counts.choices
        gaps = part.counts.gaps
        if len(gaps):
            self._gaps.append(gaps.take(np.arange(len(gaps)), own[gaps.row], gaps.strategy))

    def units(self) -> _OpenUnits | None:
        """All subjects by group; None where there are none."""
        if self._like is None:
            return None
        n = len(self.rows)
        of = np.array(list(self.rows), dtype=np.intp).reshape(n, 2)
        gaps = Gaps.join(self._gaps)
        counts = Counts(self._like.p, self._like.first, self._moves[:n], self._choices[:n], gaps)
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


@dataclass
class Gathering:
    """The parts so far; attributes as of `Part`, summed or united.

    Attributes
    ----------
    columns : Columns, None before the first part
    groups : values of the columns that make groups -> number, by appearance
    """

    n: int = 0
    silent: int = 0
    shared: int = 0
    unseen: int = 0
    read: Runs = field(default_factory=Runs)
    skipped: dict[str, Runs] = field(default_factory=dict)
    columns: Columns | None = None
    valued: set[str] = field(default_factory=set)
    nested: set[str] = field(default_factory=set)
    games: set[str] = field(default_factory=set)
    groups: dict[Key, int] = field(default_factory=dict)
    _order: Grouping | None = None
    _settled: list[Population] = field(default_factory=list)
    _clusters: _OpenClusters = field(default_factory=_OpenClusters)
    _subjects: _OpenSubjects = field(default_factory=_OpenSubjects)

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
        self.unseen += part.unseen
        self.read += part.read
        for reason, games in part.skipped.items():
            self.skipped[reason] = self.skipped.get(reason, Runs()) + games
        self.columns, self._order = part.columns, part.order
        self.valued |= part.valued
        self.nested |= part.nested
        self.games = set(first_games(self.games | part.games))
        known = len(self.groups)
        numbers = [self.groups.setdefault(key, len(self.groups)) for key in part.groups]
        group = np.array(numbers, dtype=np.intp)
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
        """The groups so far, sorted as those of a table."""
        if self._order is not None:
            return self._order
        by = () if self.columns is None else self.columns.by
        values = {column: [key[i] for key in self.groups] for i, column in enumerate(by)}
        return grouping(pd.DataFrame(values, index=range(len(self.groups))), by)

    def codes(self) -> NDArray[np.intp]:
        """Of each of `groups`, its place in `grouping`."""
        return np.arange(len(self.groups)) if self._order is not None else self.grouping().codes

    def population(self) -> Population:
        """All subjects, in groups as `grouping` numbers them."""
        parts = list(self._settled)
        assert self.columns is not None
        subjects = self._subjects.units()
        if self.columns.cluster:
            opened = self._clusters.population(subjects, len(self.groups))
            parts += [] if opened is None else [opened]
        elif subjects is not None:
            counts, subject, group, _ = subjects
            parts.append(population_of(counts, group, subject, len(self.groups), clustered=False)[0])
        return join_populations(parts).grouped(self.codes(), len(self.grouping()))

    def several(self) -> int:
        """Subjects in several groups."""
        return self.shared + self._subjects.several()

    def _join(self, least: int) -> None:
        """Join what waits once it is as much as what is joined."""
        sizes = [len(p.counts) + len(p.kinds.pattern) for p in self._settled]
        if sum(sizes[1:]) >= max(least, sizes[0]):
            self._settled = [join_populations(self._settled)]
