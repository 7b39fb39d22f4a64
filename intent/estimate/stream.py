"""Strategy shares of logs larger than memory: counted piece by piece, estimated from the counts.

The population of a log on disk, counted piece by piece by any number of workers.

One piece of a log, counted.

The unit of a design that is read piece by piece: a first pass over what describes the rows.

Posteriors of the seats of a log, piece by piece: each has the posterior of its pattern of play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.codebook import column_names
from intent.base.errors import UsageError
from intent.base.statistics.groups import NONE, cluster_codes, grouping
from intent.base.workers import SERIAL, Workers
from intent.estimate.counts import Counts, count_moves
from intent.estimate.design_units import CELL, SESSIONS, cell_columns
from intent.estimate.mixture_fit import MixtureFit
from intent.estimate.parts import Entries, Part, Unfinished, several_clusters
from intent.estimate.population import Population, merge_patterns, patterns, population_of
from intent.estimate.sfem_result import first_games
from intent.estimate.units import (
    SEAT,
    Columns,
    SubjectUnit,
    alone,
    first_rows,
    frame,
    joined_names,
    named_unit,
    names_of,
    own_unit,
    subject_unit,
)
from intent.logs.chunks import Piece, Play, Source, named
from intent.recognise.recogniser import most_probable
from intent.strategies.automaton import Strategy

if TYPE_CHECKING:
    from intent.base.statistics.groups import Grouping
    from intent.estimate.parts import Gathering


__all__ = [
    "CLUSTER",
    "MOST",
    "Derived",
    "Design",
    "Job",
    "Streamed",
    "by_piece",
    "count_piece",
    "design_by_piece",
    "posterior_tables",
    "readable_play",
    "stream_population",
]


T = TypeVar("T")

_CELLS = 1 << 22
"""Moves of a piece where some are unknown: each may need a polynomial of its own."""


_LARGER = 8
"""How many rows of the compact form take the memory of a game in tables."""

_FEW = 1 << 17
"""Rows up to which a log that has no game to count is read at once: its error says what there is."""


@dataclass(frozen=True, eq=False)
class Streamed:
    """A log, counted.

    Attributes
    ----------
    population : Population
    grouping : Grouping, one row for each way that its columns combine
    place : values of the columns that make groups -> number of the group
    columns : Columns
    skipped : reason -> games that are left out
    silent : int, trajectories without a readable move
    games : names of the games played, sorted
    several : int, subjects in several groups
    """

    population: Population
    grouping: Grouping
    place: dict[tuple[Any, ...], int]
    columns: Columns
    skipped: dict[str, int]
    silent: int
    games: tuple[str, ...]
    several: int


def by_piece(
    source: Source, function: Callable[[Piece], T], size: int, workers: Workers
) -> Iterator[tuple[Piece, T]]:
    """The pieces of a log, each with what a function makes of it, in order.

    Parameters
    ----------
    source : Source
    function : callable of a piece
    size : int, rows of a piece; fewer where moves are unknown or stand in tables
    workers : Workers; one piece is done in this process
    """
    rows = size if source.format == "compact" else size // _LARGER
    most = rows if source.complete else min(rows, _CELLS // source.rounds)
    pieces = list(source.pieces(max(1, most)))
    spread = SERIAL if len(pieces) == 1 else workers
    yield from zip(pieces, spread.map(function, pieces), strict=True)


def stream_population(
    source: Source,
    job: Job,
    size: int,
    workers: Workers,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> Streamed | None:
    """Count a log; None where it has to be read at once.

    The counts are the same for any number of workers and any size of pieces.

    Parameters
    ----------
    source : Source
    job : Job
    size : int, rows of a piece
    workers : Workers
    update : called with (rows counted, in all)

    Raises
    ------
    UsageError
        No game of a large log meets the conditions, columns make too many groups, or a subject is in several
        clusters.
    UnknownNameError
        A column that the log does not have.
    """
    from intent.estimate.parts import Gathering
    from intent.estimate.units import SEAT

    found, done = Gathering(), 0
    for one, part in by_piece(source, partial(count_piece, job), size, workers):
        found.add(part)
        done += one.n
        update(done, source.n)
        if found.nested or found.unseen:
            return None
    if not found.read.n and source.n > _FEW:
        raise UsageError(f"no game of {source.n:,} rows is left that meets the conditions (--where)")
    columns = found.columns
    if not found.n or columns is None:
        return None
    if not job.subject and columns.subject != SEAT and not found.valued & set(columns.subject):
        return stream_population(source, replace(job, subject=SEAT), size, workers, update)
    if not found.valued.issuperset(columns.wanted):
        return None
    return _told(found, columns)


def _told(found: Gathering, columns: Columns) -> Streamed:
    from intent.estimate.sfem_result import first_games

    groups = found.grouping()
    return Streamed(
        found.population(),
        groups,
        dict(zip(found.groups, groups.codes.tolist(), strict=True)),
        columns,
        {reason: games.n for reason, games in sorted(found.skipped.items())},
        found.silent,
        first_games(found.games),
        found.several(),
    )


MOST = 1 << 20
"""Rows up to which a log is searched for conditions that repeat and subjects who met."""

CLUSTER = "\0unit"
"""A column of keys that names the unit of each row, where no column of the log does."""

_OWN = "\0conditions"

Numbers = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Derived:
    """Units that no column names: conditions of games, or subjects who met.

    Parameters
    ----------
    columns : those that make a condition, or that name a subject
    components : name of a subject -> number of those who met, or None for conditions
    """

    columns: tuple[str, ...]
    components: Mapping[str, int] | None = None

    def named(self, keys: pa.Table) -> pa.Table:
        """The keys of a piece and the column `CLUSTER`."""
        if not len(keys):
            return keys.append_column(CLUSTER, pa.array([], pa.int64()))
        game = _games(keys)
        if self.components is None:
            unit = pa.array(_of_games(_hashed(keys, self.columns), game).view(np.int64))
        else:
            unit = self._met(keys, game, self.components)
        return keys.append_column(CLUSTER, unit)

    def _met(self, keys: pa.Table, game: NDArray[np.intp], components: Mapping[str, int]) -> pa.Array:
        """Those whom each row belongs to: through its subject, else through who else is in the game."""
        names = joined_names(_frame(keys, self.columns), self.columns)
        own = np.array([-1 if name is None else components[name] for name in names], dtype=np.int64)
        most = np.full(int(game.max()) + 1, -1, dtype=np.int64)
        np.maximum.at(most, game, own)
        ids = keys.column("game_id").to_pylist()
        return pa.array([f"met {m}" if m >= 0 else f"game {g}" for m, g in zip(most[game], ids, strict=True)])


@dataclass(frozen=True, eq=False)
class Design:
    """How the clusters of a log are told in pieces.

    Parameters
    ----------
    job : Job, whose clusters are those of the unit
    found : SubjectUnit, or None where the first pass was not needed or too long
    """

    job: Job
    found: SubjectUnit | None = None

    def unit(self, columns: Columns, n: int) -> SubjectUnit:
        """The unit, of which the log has turned out to have n."""
        if self.found is not None:
            return self.found
        codes = np.arange(n)
        if self.job.cluster:
            return SubjectUnit(named_unit(columns.cluster, codes), codes)
        why = f"a log of more than {MOST:,} rows is not searched for conditions that repeat (--cluster)"
        if columns.cluster:
            unit = replace(named_unit(columns.cluster, codes), reason=why)
            return SubjectUnit(unit, codes)
        why = f"a log of more than {MOST:,} rows is not searched for subjects who met (--cluster)"
        return SubjectUnit(own_unit(codes, columns.subject, why), None)


def design_by_piece(source: Source, job: Job, size: int, workers: Workers) -> Design | None:
    """What is independent in a log, as `subject_unit` says of it at once; None where it must be read so.

    Parameters
    ----------
    source : Source
    job : Job, with the columns that the user names
    size : int, rows of a piece
    workers : Workers
    """

    cells = _named(job.cluster) == CELL
    if (job.cluster and not cells) or (source.n > MOST and not cells):
        return Design(job)
    parts = [part for _, part in by_piece(source, partial(_slim, job), size, workers)]
    if any(part is None for part in parts):
        return None
    slim = [part for part in parts if part is not None and len(part[1])]
    if not slim:
        return Design(job)
    columns, table = slim[0][0], _joined([part for _, part in slim])
    if cells and "cell" in slim[0][1].column_names:
        return Design(job)
    if not job.subject and columns.subject != SEAT and not table.get("player", pd.Series()).notna().any():
        columns = replace(columns, subject=SEAT)
    if any(c not in table for c in (*columns.by, *columns.subject)):
        return None
    one_by_one = columns.subject == SEAT
    subjects = np.arange(len(table)) if one_by_one else cluster_codes(table, columns.subject)
    found = subject_unit(table, columns.by, columns.subject, subjects, CELL if cells else ())
    kind, own = found.unit.kind, ("player",) if one_by_one else columns.subject
    own_job = replace(job, subject=columns.subject)
    if found.clusters is None:
        return Design(own_job, found)
    if kind == "condition":
        hashed = _candidates(source_columns(slim), columns.by)
        lost = [c for c in hashed if c in table and c not in cell_columns(table)]
        derived = Derived(tuple(c for c in hashed if c not in lost))
        return Design(replace(own_job, cluster=(CLUSTER,), derived=derived), found)
    if kind == "component":
        names = joined_names(table, own)
        met = {name: int(code) for name, code in zip(names, found.clusters, strict=True) if name is not None}
        return Design(replace(own_job, cluster=(CLUSTER,), derived=Derived(own, met)), found)
    return Design(replace(own_job, cluster=found.unit.columns), found)


def source_columns(parts: Sequence[tuple[Columns, pa.Table]]) -> list[str]:
    """Columns that describe the rows of the log."""
    return [name.decode() for name in (parts[0][1].schema.metadata or {}).get(b"keys", b"").split(b"\n")]


def _slim(job: Job, piece: Piece) -> tuple[Columns, pa.Table] | None:
    """Of the rows of a piece: what may name units, fractions, and a number for all other conditions.

    None where a column that is wanted holds lists.
    """
    played = readable_play

    keys = played(piece)[0].keys
    names = keys.column_names
    cluster = () if _named(job.cluster) == CELL else job.cluster
    columns = Columns.of(job.by, job.subject, cluster, names)
    plain = {_plain(name) for name in SESSIONS}
    raw = {*columns.by, *columns.subject, "player", "model", "cell"}
    kept = [
        c
        for c in names
        if c != "game_id"
        and (c in raw or _plain(c) in plain or pa.types.is_floating(keys.column(c).type))
        and (c in columns.by or c != "strategy" or c in columns.subject)
    ]
    if any(pa.types.is_nested(keys.column(c).type) for c in kept):
        return None
    hashed = [c for c in _candidates(names, columns.by) if c not in kept]
    made: dict[str, Any] = {"game_id": pa.array(_games(keys)) if len(keys) else pa.array([], pa.int64())}
    made |= {c: keys.column(c) for c in kept}
    made[_OWN] = pa.array(_hashed(keys, hashed).view(np.int64))
    return columns, pa.table(made).replace_schema_metadata({"keys": "\n".join(names)})


def _candidates(names: Sequence[str], by: Sequence[str]) -> tuple[str, ...]:
    """Columns that may say what a game's condition is, by their names."""
    some = pd.DataFrame({name: ["some"] for name in names if name != "strategy" or name in by})
    return cell_columns(some)


def _joined(parts: Sequence[pa.Table]) -> pd.DataFrame:
    """One table of the rows of all pieces, without columns that hold nothing; games have numbers."""
    found, before = [], 0
    for part in parts:
        numbers = pc.add(part.column("game_id"), before)
        before = pc.max(numbers).as_py() + 1
        found.append(part.set_column(0, "game_id", numbers).replace_schema_metadata(None))
    whole = pa.concat_tables([part.unify_dictionaries() for part in found]).unify_dictionaries()
    return _frame(whole, [c for c in whole.column_names if whole.column(c).null_count < len(whole)])


def _frame(keys: pa.Table, columns: Sequence[str]) -> pd.DataFrame:
    kinds = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    made: pd.DataFrame = keys.select(list(columns)).to_pandas(ignore_metadata=True, types_mapper=kinds.get)
    return made


def _games(keys: pa.Table) -> NDArray[np.intp]:
    """(n,) number of the game of each row."""
    return np.asarray(pc.dictionary_encode(keys.column("game_id")).combine_chunks().indices, dtype=np.intp)


def _hashed(keys: pa.Table, columns: Sequence[str]) -> Numbers:
    """(n,) a number for the values of columns, equal where their texts are; nulls are equal."""
    found: Numbers = np.zeros(len(keys), dtype=np.uint64)
    for name in columns:
        column = keys.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_nested(column.type):
            texts = [NONE if value is None else str(value) for value in column.to_pylist()]
        else:
            texts = pc.fill_null(column.cast(pa.string()), NONE).to_pylist()
        own = pd.util.hash_array(np.array(texts, dtype=object))
        found = found * np.uint64(0x9E3779B97F4A7C15) + own
    return found


def _of_games(own: Numbers, game: NDArray[np.intp]) -> Numbers:
    """(n,) a number for what all seats of each row's game have, whatever their order."""
    order = np.lexsort((own, game))
    start = np.flatnonzero(np.append(True, np.diff(game[order]) != 0))
    place = np.arange(len(own)) - np.repeat(start, np.diff(np.append(start, len(own))))
    mixed = pd.util.hash_array(own[order] + place.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    sums = np.zeros(int(game.max()) + 1, dtype=np.uint64)
    sums[game[order][start]] = np.add.reduceat(mixed, start)
    return sums[game]


def _named(columns: str | Sequence[str]) -> tuple[str, ...]:
    return column_names(columns, ())


def _plain(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())


@dataclass(frozen=True)
class Job:
    """How the pieces of a log are counted.

    Parameters
    ----------
    strategies : those that compete
    by, subject, cluster : as `intent.estimate.sfem.sfem`
    derived : Derived, where no column of the log names the clusters
    """

    strategies: tuple[Strategy, ...]
    by: str | tuple[str, ...] = ()
    subject: str | tuple[str, ...] = ()
    cluster: str | tuple[str, ...] = ()
    derived: Derived | None = None


def count_piece(job: Job, piece: Piece) -> Part:
    """Count the play of a piece.

    Raises
    ------
    UnknownNameError
        A column that the log does not have.
    UsageError
        Columns that make too many groups.
    """
    play, silent = readable_play(piece)
    if job.derived is not None:
        play = replace(play, keys=job.derived.named(play.keys))
    columns = Columns.of(job.by, job.subject, job.cluster, play.keys.column_names)
    facts: dict[str, Any] = {
        "n": len(play.X),
        "silent": silent,
        "read": play.games,
        "skipped": play.skipped,
        "columns": columns,
        "nested": {c for c in columns.wanted if pa.types.is_nested(play.keys.column(c).type)},
    }
    facts["unseen"] = play.X.implementation_error is not None
    if facts["nested"] or facts["unseen"] or not len(play.X):
        return Part(**facts)
    keys = play.keys
    facts["valued"] = {c for c in columns.wanted if keys.column(c).null_count < len(keys)}
    if "game" in keys.column_names:
        facts["games"] = set(first_games(pc.unique(keys.column("game")).drop_null().to_pylist()))
    groups = grouping(frame(keys, columns.by), columns.by)
    facts["groups"] = first_rows(keys, columns.by, groups.codes, len(groups))
    return Part(**facts, **_counted(job, columns, play, groups.codes, len(groups)))


def readable_play(piece: Piece) -> tuple[Play, int]:
    """The play of a piece without trajectories that have no readable move, and how many these are."""
    play = piece.read()
    moved = play.X.n_rounds > 0
    silent = int(len(moved) - moved.sum())
    if not silent:
        return play, 0
    kept = np.flatnonzero(moved)
    return Play(play.X[kept], play.keys.take(pa.array(kept)), play.games, play.skipped), silent


def _counted(
    job: Job, columns: Columns, play: Play, group: NDArray[np.intp], n_groups: int
) -> dict[str, Any]:
    """The subjects of a piece, apart by what of them may go on elsewhere."""
    n = len(play.X)
    one_by_one = columns.subject == SEAT
    subject = (
        np.arange(n) if one_by_one else cluster_codes(frame(play.keys, columns.subject), columns.subject)
    )
    _, first, unit = np.unique(subject * n_groups + group, return_index=True, return_inverse=True)
    counts = count_moves(play.X, unit.reshape(-1), job.strategies)
    finished = _bounded(play.keys, columns.subject)[first]
    ends, clusters = finished, subject
    if columns.cluster:
        clusters = cluster_codes(frame(play.keys, columns.cluster), columns.cluster)
        _check_one_cluster(columns.cluster, play.keys, unit.reshape(-1), clusters, first)
        shared = np.isin(clusters[first], clusters[first][~finished])
        ends = finished & _bounded(play.keys, columns.cluster)[first] & ~shared
    found: dict[str, Any] = {}
    numbers = np.bincount(subject[first][finished], minlength=1)
    found["shared"] = int((numbers > 1).sum())
    settled = np.flatnonzero(ends)
    if len(settled):
        own = np.unique(clusters[first][settled], return_inverse=True)[1].reshape(-1)
        found["settled"] = population_of(
            counts.take(settled), group[first][settled], own, n_groups, clustered=bool(columns.cluster)
        )[0]
    rest = np.flatnonzero(finished & ~ends)
    if len(rest):
        found["entries"] = _entries(columns, play.keys, counts.take(rest), group, clusters, first[rest])
    going = np.flatnonzero(~finished)
    if len(going):
        rows = first[going]
        found["unfinished"] = Unfinished(
            counts.take(going),
            group[rows],
            names_of(play.keys, columns.subject, rows),
            names_of(play.keys, columns.cluster, rows) if columns.cluster else None,
        )
    return found


def _entries(
    columns: Columns,
    keys: pa.Table,
    counts: Counts,
    group: NDArray[np.intp],
    clusters: NDArray[np.intp],
    rows: NDArray[np.intp],
) -> Entries:
    distinct, pattern = patterns(counts)
    _, at, cluster = np.unique(clusters[rows], return_index=True, return_inverse=True)
    together = np.stack([cluster.reshape(-1), group[rows], pattern], axis=1)
    each, times = np.unique(together, axis=0, return_counts=True)
    names = names_of(keys, columns.cluster, rows[at])
    return Entries(distinct, each[:, 0], each[:, 1], each[:, 2], times.astype(np.int64), names)


def _check_one_cluster(
    columns: tuple[str, ...],
    keys: pa.Table,
    unit: NDArray[np.intp],
    clusters: NDArray[np.intp],
    first: NDArray[np.intp],
) -> None:
    other = np.flatnonzero(clusters[first][unit] != clusters)
    if len(other):
        raise several_clusters(columns, names_of(keys, columns, other[:1])[0])


def _bounded(keys: pa.Table, columns: tuple[str, ...]) -> NDArray[np.bool_]:
    """(n,) bool, whether what the columns name in each row lies within one game."""
    return np.ones(len(keys), dtype=bool) if "game_id" in columns else alone(keys, columns)


@dataclass(frozen=True, eq=False)
class _Known:
    """Posteriors of R pairs of group and pattern.

    Parameters
    ----------
    strategies : those that stayed
    by : columns that make groups
    place : their values -> number of the group
    counts : Counts of the P patterns
    row : (G, P) int, place of each pair below
    posterior : (R, K)
    """

    strategies: tuple[Strategy, ...]
    by: tuple[str, ...]
    place: Mapping[tuple[Any, ...], int]
    counts: Counts
    row: NDArray[np.int32]
    posterior: NDArray[np.float64]


def posterior_tables(
    source: Source,
    strategies: tuple[Strategy, ...],
    population: Population,
    fits: Sequence[MixtureFit],
    by: tuple[str, ...],
    place: Mapping[tuple[Any, ...], int],
    size: int,
    workers: Workers,
) -> Iterator[pa.Table]:
    """Rows of `sfem_tables.posterior_table` in order, where each subject is one seat of one game.

    Parameters
    ----------
    source : Source
    strategies : those of the fits
    population : Population of these strategies
    fits : MixtureFit of each group
    by : columns that make groups
    place : their values -> number of the group
    size : int, rows of a piece
    workers : Workers
    """
    row = np.full((len(fits), len(population.counts)), -1, dtype=np.int32)
    kinds, found, done = population.kinds, [], 0
    for g, fit in enumerate(fits):
        assert fit.patterns is not None
        row[g, np.unique(kinds.pattern[kinds.group == g])] = done + np.arange(len(fit.patterns))
        done += len(fit.patterns)
        found.append(fit.patterns)
    known = _Known(strategies, by, place, population.counts, row, np.concatenate(found))
    for _, table in by_piece(source, partial(_table, known), size, workers):
        if table is not None:
            yield table


def _table(known: _Known, piece: Piece) -> pa.Table | None:
    play, _ = readable_play(piece)
    n = len(play.X)
    if not n:
        return None
    distinct, pattern = patterns(count_moves(play.X, np.arange(n), known.strategies))
    _, (theirs, ours) = merge_patterns([known.counts, distinct])
    same = np.empty(len(theirs) + len(ours), dtype=np.intp)
    same[theirs] = np.arange(len(theirs))
    groups = grouping(frame(play.keys, known.by), known.by)
    names = first_rows(play.keys, known.by, groups.codes, len(groups))
    group = np.array([known.place[name] for name in names], dtype=np.intp)[groups.codes]
    posterior = known.posterior[known.row[group, same[ours][pattern]]]
    strategies = [s.name for s in known.strategies]
    best = most_probable(posterior).astype(np.int32)
    columns = list(dict.fromkeys([*SEAT, *known.by]))
    return named(
        [
            *((column, play.keys.column(column)) for column in columns),
            ("n_trajectories", pa.array(np.ones(n, dtype=np.int64))),
            ("best", pa.DictionaryArray.from_arrays(pa.array(best), pa.array(strategies))),
            ("confidence", pa.array(posterior.max(axis=1))),
            *(
                (codebook.PROBABILITY_PREFIX + name, pa.array(posterior[:, k]))
                for k, name in enumerate(strategies)
            ),
        ]
    )
