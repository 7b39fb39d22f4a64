"""Chunks of a log, counted: its population, the unit of its design, the posteriors of its seats.

A log on disk is read in pieces, by any number of workers; a log in memory (`Memory`) is one piece. Counts,
shares and errors do not depend on the pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import UsageError
from intent.base.statistics import NONE, Grouping, cluster_codes, grouping
from intent.base.tables import column_names
from intent.base.workers import SERIAL, Workers
from intent.estimate.counts import Counts, Play, Player, count_play, merge_patterns, patterns
from intent.estimate.design_units import (
    CELL,
    SEAT,
    SESSIONS,
    SubjectUnit,
    cell_columns,
    joined_names,
    named_unit,
    own_unit,
    plain_name,
    several_clusters,
    subject_unit,
)
from intent.estimate.population import (
    Columns,
    Entries,
    Gathering,
    Key,
    Part,
    Population,
    Unfinished,
    Units,
    first_games,
    population_of,
)
from intent.estimate.shares import MixtureFit
from intent.logs.chunks import PIECE, Piece, Runs, Source, named, unread_rows
from intent.logs.gamelog import Trajectories
from intent.recognise.recogniser import most_probable

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog


__all__ = [
    "Chunk",
    "CountedLog",
    "Design",
    "Job",
    "Memory",
    "by_piece",
    "chunk_of",
    "count_log",
    "find_design",
    "group_codes",
    "posterior_tables",
]


T = TypeVar("T")
Codes = NDArray[np.intp]
Keys = Any
"""What describes the rows of a chunk: a Table; of a log in memory, which is all of it, a DataFrame."""

_CELLS = 1 << 22
"""Moves of a piece where some are unknown: each may need a polynomial of its own."""

_LARGER = 8
"""How many rows of the compact form take the memory of a game in tables."""

_FEW = 1 << 17
"""Rows up to which a log that has no game to count is read at once: its error says what there is."""

MOST = 1 << 20
"""Rows up to which a log on disk is searched for conditions that repeat and subjects who met."""

CLUSTER = "\0unit"
"""A column of keys that names the unit of each row, where no column of the log does."""

_OWN = "\0conditions"

_Numbers = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Chunk:
    """The trajectories of some games that have a readable move.

    Attributes
    ----------
    X : Trajectories, or CountedOthers
    keys : what describes them
    games : Runs, games that meet the conditions
    skipped : reason -> Runs, games without trajectories
    silent : int, trajectories without a readable move
    """

    X: Play
    keys: Keys
    games: Runs
    skipped: dict[str, Runs]
    silent: int = 0


@dataclass(frozen=True, eq=False)
class Memory:
    """A log in memory: a source of one piece, which is itself.

    Parameters
    ----------
    log : GameLog, of the games that meet the conditions
    play : its trajectories, with keys
    path : where it was read, if it was
    """

    log: GameLog
    play: Play
    path: Path | None = None
    format = "memory"

    @property
    def n(self) -> int:
        """Games."""
        return len(self.log)

    @cached_property
    def chunk(self) -> Chunk:
        """All of it.

        Raises
        ------
        UsageError
            No trajectory has a readable move.
        """
        moved = self.play.n_rounds > 0
        silent = len(moved) - int(moved.sum())
        X = self.play[np.flatnonzero(moved)] if silent else self.play
        skipped = self.log.skipped()
        if not len(X):
            reasons = "; ".join(f"{n:,} games: {why}" for why, n in skipped.items())
            where = f"in {len(self.log):,} games{reasons and f' ({reasons})'}"
            raise UsageError(f"no play to estimate from {where}")
        assert X.keys is not None
        return Chunk(X, X.keys, Runs(self.n), {why: Runs(n) for why, n in skipped.items()}, silent)

    @property
    def complete(self) -> bool:
        """As of `Source`."""
        X = self.chunk.X
        if not isinstance(X, Trajectories):
            return False
        return X.evidence_mask is None and bool((X.own >= 0).all() and (X.other >= 0).all())

    def notes(self) -> tuple[str, ...]:
        """What a reader should know of rows that were not read, and of play that was not seen."""
        errors = self.chunk.X.implementation_error
        n = 0 if errors is None else int((errors > 0).sum())
        unseen = (
            f"{n:,} trajectories have an implementation error and no decisions: the tremble is beside that"
        )
        return (*unread_rows(self.log), *([f"{unseen} error"] if n else []))


@dataclass(frozen=True, eq=False)
class CountedLog:
    """A log, counted.

    Attributes
    ----------
    place : values of the columns that make groups -> number of the group
    skipped : reason -> games that are left out
    silent : int, trajectories without a readable move
    games : names of the games played, sorted
    several : int, subjects in several groups
    units, pattern : of a log in memory, who is which pattern of the population
    """

    population: Population
    grouping: Grouping
    place: dict[Key, int]
    columns: Columns
    skipped: dict[str, int]
    silent: int
    games: tuple[str, ...]
    several: int
    units: Units | None = None
    pattern: Codes | None = None


def by_piece(
    source: Source | Memory, function: Callable[[Any], T], workers: Workers
) -> Iterator[tuple[Piece | Memory, T]]:
    """The pieces of a log in order, each with what a function makes of it; one alone is done in this process.

    A piece has `PIECE` rows, fewer where moves are unknown or stand in tables.
    """
    if isinstance(source, Memory):
        yield source, function(source)
        return
    rows = PIECE if source.format == "compact" else PIECE // _LARGER
    most = rows if source.complete else min(rows, _CELLS // source.rounds)
    pieces = list(source.pieces(max(1, most)))
    spread = SERIAL if len(pieces) == 1 else workers
    yield from zip(pieces, spread.map(function, pieces), strict=True)


def count_log(
    source: Source | Memory,
    job: Job,
    workers: Workers,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> CountedLog | None:
    """Count a log; None where it has to be read into memory.

    The counts are the same for any number of workers and any size of pieces.

    Parameters
    ----------
    source : Source or Memory
    update : called with (rows counted, in all)

    Raises
    ------
    UsageError
        No game of a large log meets the conditions, columns make too many groups, or a subject is in several
        clusters.
    UnknownNameError
        A column that the log does not have.
    """
    whole, done = Gathering(), 0
    for piece, part in by_piece(source, partial(_count_piece, job), workers):
        whole.add(part)
        done += piece.n
        update(done, source.n)
        if whole.nested or (whole.unseen and not isinstance(source, Memory)):
            return None
    columns = whole.columns
    if not isinstance(source, Memory):
        if not whole.read.n and source.n > _FEW:
            raise UsageError(f"no game of {source.n:,} rows is left that meets the conditions (--where)")
        if not whole.n or columns is None:
            return None
        if not job.subject and columns.subject != SEAT and not whole.valued & set(columns.subject):
            return count_log(source, replace(job, subject=SEAT), workers, update)
        if not whole.valued.issuperset(columns.wanted):
            return None
    assert columns is not None
    return CountedLog(
        whole.population(),
        whole.grouping(),
        dict(zip(whole.groups, whole.codes().tolist(), strict=True)),
        columns,
        {reason: games.n for reason, games in sorted(whole.skipped.items())},
        whole.silent,
        first_games(whole.games),
        whole.several(),
        part.units,
        part.pattern,
    )


@dataclass(frozen=True, eq=False)
class _Derived:
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
    """How the clusters of a log are known in its pieces.

    Parameters
    ----------
    job : Job, whose clusters are those of the unit
    known : SubjectUnit, or None where the first pass was not needed or too long
    """

    job: Job
    known: SubjectUnit | None = None

    def unit(self, columns: Columns, n: int) -> SubjectUnit:
        """The unit, of which the log has turned out to have n."""
        if self.known is not None:
            return self.known
        codes = np.arange(n)
        if self.job.cluster:
            return SubjectUnit(named_unit(columns.cluster, codes), codes)
        why = f"a log of more than {MOST:,} rows is not searched for conditions that repeat (--cluster)"
        if columns.cluster:
            unit = replace(named_unit(columns.cluster, codes), reason=why)
            return SubjectUnit(unit, codes)
        why = f"a log of more than {MOST:,} rows is not searched for subjects who met (--cluster)"
        return SubjectUnit(own_unit(codes, columns.subject, why), None)


def find_design(source: Source | Memory, job: Job, workers: Workers) -> Design | None:
    """What is independent in a log, by a first pass over what describes its rows, as `subject_unit` says.

    None where the log has to be read into memory.

    Parameters
    ----------
    source : Source or Memory
    job : Job, with the columns that the user names
    """
    named, cells = _names(job.cluster), _names(job.cluster) == CELL
    if isinstance(source, Memory):
        keys = source.chunk.keys
        columns = Columns.of(job.by, job.subject, () if cells else job.cluster, list(keys.columns))
        subjects = _subject_codes(keys, columns)
        known = subject_unit(keys, columns.by, columns.subject, subjects, named)
        return Design(replace(job, subject=columns.subject, cluster=(), codes=known.clusters), known)
    if (job.cluster and not cells) or (source.n > MOST and not cells):
        return Design(job)
    parts = [part for _, part in by_piece(source, partial(_slim, job), workers)]
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
    subjects = _subject_codes(table, columns)
    known = subject_unit(table, columns.by, columns.subject, subjects, named)
    own_job = replace(job, subject=columns.subject)
    if known.clusters is None:
        return Design(own_job, known)
    if known.unit.kind == "condition":
        names = [name.decode() for name in (slim[0][1].schema.metadata or {}).get(b"keys", b"").split(b"\n")]
        hashed = _candidates(names, columns.by)
        lost = [c for c in hashed if c in table and c not in cell_columns(table)]
        derived = _Derived(tuple(c for c in hashed if c not in lost))
        return Design(replace(own_job, cluster=(CLUSTER,), derived=derived), known)
    if known.unit.kind == "component":
        own = ("player",) if columns.subject == SEAT else columns.subject
        pairs = zip(joined_names(table, own), known.clusters, strict=True)
        met = {name: int(code) for name, code in pairs if name is not None}
        return Design(replace(own_job, cluster=(CLUSTER,), derived=_Derived(own, met)), known)
    return Design(replace(own_job, cluster=known.unit.columns), known)


def _subject_codes(keys: pd.DataFrame, columns: Columns) -> Codes:
    """(n,) subject of each row, whatever its group."""
    if columns.subject == SEAT:
        return np.arange(len(keys))
    return cluster_codes(keys, columns.subject)


def _slim(job: Job, piece: Piece) -> tuple[Columns, pa.Table] | None:
    """Of the rows of a piece: what may name units, fractions, and a number for all other conditions.

    None where a column that is wanted holds lists.
    """
    keys = chunk_of(piece).keys
    names = keys.column_names
    cluster = () if _names(job.cluster) == CELL else job.cluster
    columns = Columns.of(job.by, job.subject, cluster, names)
    plain = {plain_name(name) for name in SESSIONS}
    raw = {*columns.by, *columns.subject, "player", "model", "cell"}
    plainly = [
        c
        for c in names
        if c != "game_id"
        and (c in raw or plain_name(c) in plain or pa.types.is_floating(keys.column(c).type))
        and (c in columns.by or c != "strategy" or c in columns.subject)
    ]
    if any(pa.types.is_nested(keys.column(c).type) for c in plainly):
        return None
    hashed = [c for c in _candidates(names, columns.by) if c not in plainly]
    slim: dict[str, Any] = {"game_id": pa.array(_games(keys)) if len(keys) else pa.array([], pa.int64())}
    slim |= {c: keys.column(c) for c in plainly}
    slim[_OWN] = pa.array(_hashed(keys, hashed).view(np.int64))
    return columns, pa.table(slim).replace_schema_metadata({"keys": "\n".join(names)})


def _candidates(names: Sequence[str], by: Sequence[str]) -> tuple[str, ...]:
    """Columns that may say what a game's condition is, by their names."""
    some = pd.DataFrame({name: ["some"] for name in names if name != "strategy" or name in by})
    return cell_columns(some)


def _joined(parts: Sequence[pa.Table]) -> pd.DataFrame:
    """One table of the rows of all pieces, without columns that hold nothing; games have numbers."""
    numbered, before = [], 0
    for part in parts:
        numbers = pc.add(part.column("game_id"), before)
        before = pc.max(numbers).as_py() + 1
        numbered.append(part.set_column(0, "game_id", numbers).replace_schema_metadata(None))
    whole = pa.concat_tables([part.unify_dictionaries() for part in numbered]).unify_dictionaries()
    return _frame(whole, [c for c in whole.column_names if whole.column(c).null_count < len(whole)])


def _frame(keys: pa.Table, columns: Sequence[str]) -> pd.DataFrame:
    kinds = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    table: pd.DataFrame = keys.select(list(columns)).to_pandas(ignore_metadata=True, types_mapper=kinds.get)
    return table


def _games(keys: pa.Table) -> NDArray[np.intp]:
    """(n,) number of the game of each row."""
    return np.asarray(pc.dictionary_encode(keys.column("game_id")).combine_chunks().indices, dtype=np.intp)


def _hashed(keys: pa.Table, columns: Sequence[str]) -> _Numbers:
    """(n,) a number for the values of columns, equal where their texts are; nulls are equal."""
    number: _Numbers = np.zeros(len(keys), dtype=np.uint64)
    for name in columns:
        column = keys.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_nested(column.type):
            texts = [NONE if value is None else str(value) for value in column.to_pylist()]
        else:
            texts = pc.fill_null(column.cast(pa.string()), NONE).to_pylist()
        own = pd.util.hash_array(np.array(texts, dtype=object))
        number = number * np.uint64(0x9E3779B97F4A7C15) + own
    return number


def _of_games(own: _Numbers, game: NDArray[np.intp]) -> _Numbers:
    """(n,) a number for what all seats of each row's game have, whatever their order."""
    order = np.lexsort((own, game))
    start = np.flatnonzero(np.append(True, np.diff(game[order]) != 0))
    place = np.arange(len(own)) - np.repeat(start, np.diff(np.append(start, len(own))))
    mixed = pd.util.hash_array(own[order] + place.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    sums = np.zeros(int(game.max()) + 1, dtype=np.uint64)
    sums[game[order][start]] = np.add.reduceat(mixed, start)
    return sums[game]


def _names(columns: str | Sequence[str]) -> tuple[str, ...]:
    return column_names(columns, ())


@dataclass(frozen=True, eq=False)
class Job:
    """How the pieces of a log are counted.

    Parameters
    ----------
    strategies : those that compete
    by, subject, cluster : as `intent.estimate.sfem.sfem`
    derived : _Derived, where no column of the log names the clusters
    codes : (n,) int, clusters of a log in memory, where they are not the subjects
    """

    strategies: tuple[Player, ...]
    by: str | Sequence[str] = ()
    subject: str | Sequence[str] = ()
    cluster: str | Sequence[str] = ()
    derived: _Derived | None = None
    codes: Codes | None = None


def chunk_of(piece: Piece | Memory) -> Chunk:
    """The trajectories of a piece that have a readable move."""
    if isinstance(piece, Memory):
        return piece.chunk
    play = piece.read()
    moved = play.X.n_rounds > 0
    silent = int(len(moved) - moved.sum())
    if not silent:
        return Chunk(play.X, play.keys, play.games, play.skipped)
    rows = np.flatnonzero(moved)
    return Chunk(play.X[rows], play.keys.take(pa.array(rows)), play.games, play.skipped, silent)


def _count_piece(job: Job, piece: Piece | Memory) -> Part:
    """Count the play of a piece."""
    chunk = chunk_of(piece)
    keys, errors = chunk.keys, chunk.X.implementation_error
    if job.derived is not None:
        keys = job.derived.named(keys)
    whole = isinstance(keys, pd.DataFrame)
    columns = Columns.of(job.by, job.subject, job.cluster, list(keys.columns) if whole else keys.column_names)
    facts: dict[str, Any] = {
        "n": len(chunk.X),
        "silent": chunk.silent,
        "read": chunk.games,
        "skipped": chunk.skipped,
        "columns": columns,
        "unseen": 0 if errors is None else len(errors),
    }
    if whole:
        groups = grouping(keys, columns.by)
        games = first_games(keys["game"].dropna().unique()) if "game" in keys else ()
        names: list[Key] = [(g,) for g in range(len(groups))]
        facts |= {"groups": names, "order": groups, "games": set(games)}
        return Part(**facts, **_counted_whole(job, columns, chunk.X, keys, groups))
    facts["nested"] = {c for c in columns.wanted if pa.types.is_nested(keys.column(c).type)}
    if facts["nested"] or facts["unseen"] or not len(chunk.X):
        return Part(**facts)
    facts["valued"] = {c for c in columns.wanted if keys.column(c).null_count < len(keys)}
    if "game" in keys.column_names:
        facts["games"] = set(first_games(pc.unique(keys.column("game")).drop_null().to_pylist()))
    groups = grouping(_columns_of(keys, columns.by), columns.by)
    facts["groups"] = _first_rows(keys, columns.by, groups.codes, len(groups))
    return Part(**facts, **_counted(job, columns, chunk.X, keys, groups.codes, len(groups)))


def _units_of(subject: Codes, group: Codes, n_groups: int) -> tuple[Codes, Codes]:
    """First row of each subject in one group, and which of these units each row belongs to."""
    _, first, unit = np.unique(subject * n_groups + group, return_index=True, return_inverse=True)
    return first, unit.reshape(-1)


def _in_several(subject: Codes) -> int:
    """Subjects of several units, a subject of each being given."""
    return int((np.bincount(subject, minlength=1) > 1).sum())


def _counted_whole(
    job: Job, columns: Columns, X: Play, keys: pd.DataFrame, groups: Grouping
) -> dict[str, Any]:
    """The subjects of a log in memory, none of whom goes on elsewhere."""
    subject = _subject_codes(keys, columns)
    first, unit = _units_of(subject, groups.codes, len(groups))
    group, cluster = groups.codes[first], (subject if job.codes is None else job.codes)[first]
    population, pattern = population_of(
        count_play(X, unit, job.strategies),
        group,
        np.unique(cluster, return_inverse=True)[1].reshape(-1),
        len(groups),
        clustered=job.codes is not None,
    )
    units = Units(unit, np.arange(len(first)), group, None, tuple(range(len(groups))))
    shared = _in_several(np.unique(subject[first], return_inverse=True)[1].reshape(-1))
    return {"settled": population, "shared": shared, "units": units, "pattern": pattern}


def _counted(
    job: Job, columns: Columns, X: Play, keys: pa.Table, group: Codes, n_groups: int
) -> dict[str, Any]:
    """The subjects of a piece, apart by what of them may go on elsewhere."""
    subject = np.arange(len(X))
    if columns.subject != SEAT:
        subject = cluster_codes(_columns_of(keys, columns.subject), columns.subject)
    first, unit = _units_of(subject, group, n_groups)
    counts = count_play(X, unit, job.strategies)
    finished = _bounded(keys, columns.subject)[first]
    ends, clusters = finished, subject
    if columns.cluster:
        clusters = cluster_codes(_columns_of(keys, columns.cluster), columns.cluster)
        other = np.flatnonzero(clusters[first][unit] != clusters)
        if len(other):
            raise several_clusters(columns.cluster, _names_of(keys, columns.cluster, other[:1])[0])
        shared = np.isin(clusters[first], clusters[first][~finished])
        ends = finished & _bounded(keys, columns.cluster)[first] & ~shared
    counted: dict[str, Any] = {"shared": _in_several(subject[first][finished])}
    settled = np.flatnonzero(ends)
    if len(settled):
        own = np.unique(clusters[first][settled], return_inverse=True)[1].reshape(-1)
        counted["settled"] = population_of(
            counts.take(settled), group[first][settled], own, n_groups, clustered=bool(columns.cluster)
        )[0]
    rest = np.flatnonzero(finished & ~ends)
    if len(rest):
        rows = first[rest]
        counted["entries"] = _entries(columns, keys, counts.take(rest), group[rows], clusters[rows], rows)
    going = np.flatnonzero(~finished)
    if len(going):
        rows = first[going]
        counted["unfinished"] = Unfinished(
            counts.take(going),
            group[rows],
            _names_of(keys, columns.subject, rows),
            _names_of(keys, columns.cluster, rows) if columns.cluster else None,
        )
    return counted


def _entries(
    columns: Columns, keys: pa.Table, counts: Counts, group: Codes, clusters: Codes, rows: Codes
) -> Entries:
    distinct, pattern = patterns(counts)
    _, at, cluster = np.unique(clusters, return_index=True, return_inverse=True)
    together = np.stack([cluster.reshape(-1), group, pattern], axis=1)
    each, times = np.unique(together, axis=0, return_counts=True)
    names = _names_of(keys, columns.cluster, rows[at])
    return Entries(distinct, each[:, 0], each[:, 1], each[:, 2], times.astype(np.int64), names)


def _columns_of(keys: pa.Table, columns: tuple[str, ...]) -> pd.DataFrame:
    """Some columns as pandas has them; the game is a number."""
    values = {c: pd.Series(_games(keys)) if c == "game_id" else keys.column(c).to_pandas() for c in columns}
    return pd.DataFrame(values, index=range(len(keys)))


def _alone(keys: pa.Table, columns: tuple[str, ...]) -> NDArray[np.bool_]:
    """(n,) bool, rows that lack a value: each is a subject, or a cluster, of its own."""
    missing = np.zeros(len(keys), dtype=bool)
    for column in columns:
        missing |= keys.column(column).to_pandas().isna().to_numpy()
    return missing


def _bounded(keys: pa.Table, columns: tuple[str, ...]) -> NDArray[np.bool_]:
    """(n,) bool, whether what the columns name in each row lies within one game."""
    return np.ones(len(keys), dtype=bool) if "game_id" in columns else _alone(keys, columns)


def _names_of(keys: pa.Table, columns: tuple[str, ...], rows: Codes) -> list[Key]:
    """The values that name a subject or cluster; a row that lacks one has game and seat for a name."""
    cells = keys.select([*dict.fromkeys([*columns, *SEAT])]).take(pa.array(rows))
    names = _tuples(cells, columns)
    lacking = _alone(cells, columns)
    if lacking.any():
        seats = _tuples(cells, SEAT)
        names = [(None, *seats[i]) if lacking[i] else name for i, name in enumerate(names)]
    return names


def _first_rows(keys: pa.Table, columns: tuple[str, ...], codes: Codes, n: int) -> list[Key]:
    """Values of the columns in the first row of each group."""
    if not columns:
        return [()]
    first = np.unique(codes, return_index=True)[1]
    assert len(first) == n
    return _tuples(keys.take(pa.array(first)), columns)


def _tuples(table: pa.Table, columns: tuple[str, ...]) -> list[Key]:
    values = [[None if v != v else v for v in table.column(c).to_pylist()] for c in columns]
    return list(zip(*values, strict=True))


def group_codes(keys: Keys, by: tuple[str, ...], place: Mapping[Key, int]) -> Codes:
    """(n,) group of each row of a chunk, by the numbers of the whole log (`CountedLog.place`)."""
    if isinstance(keys, pd.DataFrame):
        return grouping(keys, by).codes
    groups = grouping(_columns_of(keys, by), by)
    names = _first_rows(keys, by, groups.codes, len(groups))
    codes: Codes = np.array([place[name] for name in names], dtype=np.intp)[groups.codes]
    return codes


@dataclass(frozen=True, eq=False)
class _Posteriors:
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

    strategies: tuple[Player, ...]
    by: tuple[str, ...]
    place: Mapping[Key, int]
    counts: Counts
    row: NDArray[np.int32]
    posterior: NDArray[np.float64]


def posterior_tables(
    source: Source,
    strategies: tuple[Player, ...],
    counted: CountedLog,
    population: Population,
    fits: Sequence[MixtureFit],
    workers: Workers,
) -> Iterator[pa.Table]:
    """Rows of `sfem_result.posterior_table` in order, where each subject is one seat of one game.

    Parameters
    ----------
    strategies : those of the fits
    population : Population of these strategies
    fits : MixtureFit of each group
    """
    row = np.full((len(fits), len(population.counts)), -1, dtype=np.int32)
    kinds, each, done = population.kinds, [], 0
    for g, fit in enumerate(fits):
        assert fit.patterns is not None
        row[g, np.unique(kinds.pattern[kinds.group == g])] = done + np.arange(len(fit.patterns))
        done += len(fit.patterns)
        each.append(fit.patterns)
    by, place = counted.columns.by, counted.place
    known = _Posteriors(strategies, by, place, population.counts, row, np.concatenate(each))
    for _, table in by_piece(source, partial(_posterior_rows, known), workers):
        if table is not None:
            yield table


def _posterior_rows(known: _Posteriors, piece: Piece) -> pa.Table | None:
    chunk = chunk_of(piece)
    n, keys = len(chunk.X), chunk.keys
    if not n:
        return None
    distinct, pattern = patterns(count_play(chunk.X, np.arange(n), known.strategies))
    _, (theirs, ours) = merge_patterns([known.counts, distinct])
    same = np.empty(len(theirs) + len(ours), dtype=np.intp)
    same[theirs] = np.arange(len(theirs))
    group = group_codes(keys, known.by, known.place)
    posterior = known.posterior[known.row[group, same[ours][pattern]]]
    strategies = [s.name for s in known.strategies]
    best = most_probable(posterior).astype(np.int32)
    columns = [
        *((column, keys.column(column)) for column in dict.fromkeys([*SEAT, *known.by])),
        ("n_trajectories", pa.array(np.ones(n, dtype=np.int64))),
        ("best", pa.DictionaryArray.from_arrays(pa.array(best), pa.array(strategies))),
        ("confidence", pa.array(posterior.max(axis=1))),
    ]
    prefix = codebook.PROBABILITY_PREFIX
    columns += [(prefix + name, pa.array(posterior[:, k])) for k, name in enumerate(strategies)]
    return named(columns)
