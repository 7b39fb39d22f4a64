"""What an estimate needs of one piece of a log: patterns of play, and the subjects and clusters they make."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from intent.errors import UsageError
from intent.recognise.sfem.counts import Counts
from intent.recognise.sfem.population import Population
from intent.workflows.log_stream.pieces import Runs
from intent.workflows.sfem_stream.columns import Columns, Key

__all__ = ["Entries", "Part", "Unfinished", "several_clusters"]


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
    from intent.workflows.sfem_unit import several_clusters as error

    return error(columns, ", ".join(map(str, name)) if name[0] is not None else "without a value")
