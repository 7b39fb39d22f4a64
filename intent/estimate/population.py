"""A population: what is known of all subjects, with equal ones counted.

Likelihood, errors, bootstrap and permutations need the distinct patterns of counts and the kinds of clusters
that subjects make of them, not the subjects one by one. A population holds these in an order that depends on
nothing else, so that a log read at once and a log read piece by piece give the same digits.

Patterns: the distinct counts of subjects, in an order that depends on nothing but what they hold.

Two subjects with the same counts, and the same likelihoods where moves are unknown, are one pattern. Patterns
of parts of a log become those of the whole by `merged`, in any order of the parts.

Kinds of clusters: clusters whose subjects play and belong alike are counted, not listed.

A cluster is a multiset of subjects, each with a pattern of counts and a group. What is resampled, exchanged
between groups, or summed to a sandwich depends on nothing else.

The distinct rows of a table of whole numbers, in an order that depends on nothing but the rows.

Subjects within groups: the units of the likelihood, their groups and clusters.

The subjects of one group, and the parameters of groups that are fitted together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import DataError
from intent.estimate.counts import Counts, Gaps
from intent.estimate.mixture import Layout
from intent.estimate.mixture_fit import TrembleKind

__all__ = [
    "Kinds",
    "Population",
    "Sample",
    "Units",
    "distinct_rows",
    "find_units",
    "join_populations",
    "kinds_of",
    "layout_of",
    "merge_patterns",
    "patterns",
    "population_of",
    "split",
    "stack_counts",
]


_FACTOR, _FINAL = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_CHUNK = 1 << 21
"""Numbers that are compared at a time."""


def distinct_rows(*blocks: NDArray[np.integer]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One place of each distinct row, and which of these each row is; distinct rows sorted by their columns.

    Rows are told apart by 64-bit hashes, which are then checked.

    Parameters
    ----------
    *blocks : (n, m) int each, columns that stand side by side

    Returns
    -------
    place : (d,) intp
    codes : (n,) intp; row i is the same as row ``place[codes[i]]``
    """
    n, width = len(blocks[0]), sum(block.shape[1] for block in blocks)
    if n < 2 or not width:
        return np.arange(min(n, 1)), np.zeros(n, dtype=np.intp)
    if n < width:
        return _by_bytes(blocks)
    codes = pd.factorize(_hashes(blocks))[0]
    place = np.flatnonzero(~pd.Series(codes).duplicated().to_numpy())
    step = max(1, _CHUNK // max(width, 1))
    for a in range(0, n, step):
        same = place[codes[a : a + step]]
        if not all((block[same] == block[a : a + step]).all() for block in blocks):
            return _by_bytes(blocks)
    columns = [block[place, c] for block in blocks for c in range(block.shape[1])]
    order = np.lexsort(columns[::-1])
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return place[order], rank[codes]


def _hashes(blocks: Sequence[NDArray[np.integer]]) -> NDArray[np.uint64]:
    key = np.zeros(len(blocks[0]), dtype=np.uint64)
    for block in blocks:
        for c in range(block.shape[1]):
            key *= _FACTOR
            key ^= key >> np.uint64(29)
            key += block[:, c].astype(np.uint64) + np.uint64(1)
    key *= _FINAL
    return key


def _by_bytes(blocks: Sequence[NDArray[np.integer]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For few long rows: as bytes that sort like the numbers."""
    rows = np.concatenate([block.astype(np.int64) for block in blocks], axis=1)
    ordered = (rows.view(np.uint64) ^ np.uint64(1 << 63)).astype(">u8")
    written = [row.tobytes() for row in ordered]
    first: dict[bytes, int] = {}
    for i, row in enumerate(written):
        first.setdefault(row, i)
    rank = {row: i for i, row in enumerate(sorted(first))}
    place = np.array([first[row] for row in rank], dtype=np.intp)
    return place, np.array([rank[row] for row in written], dtype=np.intp)


_WIDEST = 1 << 15


def patterns(counts: Counts) -> tuple[Counts, NDArray[np.intp]]:
    """Counts of the distinct subjects, sorted, and which of them each subject is (n,)."""
    gaps, rank = _sorted(counts.gaps)
    place, pattern = distinct_rows(counts.moves, counts.choices[:, None], _listed(gaps, rank, len(counts)))
    moves = counts.moves[place]
    dtype = np.int16 if moves.max(initial=0) < _WIDEST else np.int32
    new = np.full(len(counts), -1)
    new[place] = np.arange(len(place))
    keep = np.flatnonzero(new[gaps.row] >= 0)
    keep = keep[np.argsort(new[gaps.row[keep]], kind="stable")]
    own = gaps.take(keep, new[gaps.row[keep]], gaps.strategy[keep])
    return Counts(counts.p, counts.first, moves.astype(dtype), counts.choices[place], own), pattern


def merge_patterns(parts: Sequence[Counts]) -> tuple[Counts, list[NDArray[np.intp]]]:
    """The patterns of several parts, and which of them each pattern of each part is."""
    whole, pattern = patterns(stack_counts(parts))
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return whole, np.split(pattern, ends)


def stack_counts(parts: Sequence[Counts]) -> Counts:
    """Counts of the subjects of several parts, one below the other."""
    starts = np.cumsum([0, *(len(part) for part in parts)])
    gaps = Gaps.join(
        [
            part.gaps.take(np.arange(len(part.gaps)), part.gaps.row + start, part.gaps.strategy)
            for part, start in zip(parts, starts, strict=False)
        ]
    )
    moves = np.concatenate([part.moves for part in parts])
    choices = np.concatenate([part.choices for part in parts])
    return Counts(parts[0].p, parts[0].first, moves, choices, gaps)


def _sorted(gaps: Gaps) -> tuple[Gaps, NDArray[np.intp]]:
    """Gaps by subject and content, without columns that hold nothing; the rank of each one's content."""
    width = max(1, int(np.flatnonzero(gaps.coefficients.any(axis=0)).max(initial=0)) + 1)
    coefficients = np.ascontiguousarray(gaps.coefficients[:, :width])
    facts = np.stack([gaps.strategy, gaps.degree, gaps.fewest, gaps.log_scale.view(np.int64)], axis=1)
    rank = distinct_rows(facts, coefficients.view(np.int64))[1]
    order = np.lexsort([rank, gaps.row])
    trimmed = Gaps(gaps.row, gaps.strategy, gaps.degree, gaps.fewest, coefficients, gaps.log_scale)
    return trimmed.take(order, gaps.row[order], gaps.strategy[order]), rank[order]


def _listed(gaps: Gaps, rank: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """Ranks (from 1) of the gaps of each subject, zeros after the last one."""
    number = np.bincount(gaps.row, minlength=n)
    start = np.cumsum(number) - number
    found = np.zeros((n, int(number.max(initial=0))), dtype=np.intp)
    found[gaps.row, np.arange(len(gaps)) - start[gaps.row]] = rank + 1
    return found


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
    clustered : bool
    """
    distinct, pattern = patterns(counts)
    return Population(distinct, kinds_of(cluster, pattern, group), n_groups, clustered), pattern


def join_populations(parts: Sequence[Population]) -> Population:
    """All subjects of several populations, of which no cluster is in two; groups have the same numbers."""
    counts, maps = merge_patterns([part.counts for part in parts])
    kinds = Kinds.join([_named(part.kinds, found) for part, found in zip(parts, maps, strict=True)])
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
    given = np.asarray(values)
    if given.shape != (n,):
        raise DataError(f"{name} have shape {given.shape}, expected ({n},)")
    codes, inverse = np.unique(given, return_inverse=True)
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
