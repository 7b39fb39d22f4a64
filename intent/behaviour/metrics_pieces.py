"""Metrics of a log chunk by chunk: what each is measured by, its rows, and what the means need of it.

A log in memory (`Memory`) and a log on disk are measured alike, some thousand games at a time, by any number
of workers. In a compact log each distinct play is measured once.
"""

from __future__ import annotations

import json
import os
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.binary import open_parquet
from intent.base.errors import DataError, UnknownNameError, shorten
from intent.base.outputs import writing
from intent.base.tables import METADATA_KEY
from intent.base.workers import SERIAL, Workers
from intent.behaviour.means import GroupSums, added_sums, group_sums
from intent.behaviour.metric_table import FIRST, TAKEN, metrics_table, outside_columns
from intent.logs.chunks import FolderSource, Piece, RunsSource, Source, focal_play, said_text
from intent.logs.compact import as_lists
from intent.logs.compact_chunks import CompactPiece, CompactSource, same_game
from intent.logs.gamelog import (
    KEY_GAME_COLUMNS,
    KEY_SEAT_COLUMNS,
    GameLog,
    Trajectories,
    matches,
    ranked_subjects,
)
from intent.logs.readers.compact import games_of
from intent.recognise.verdict import KnownPlays

__all__ = [
    "CHUNK",
    "NOTHING",
    "Job",
    "Memory",
    "NothingWrittenError",
    "Read",
    "TableFile",
    "Tally",
    "added",
    "can_be_cut",
    "check_columns",
    "counted_rows",
    "key_types",
    "measured",
    "table_columns",
    "table_file",
    "table_schema",
]


PIECE = 1 << 15
"""Rows of a piece on disk (in a Parquet folder: games), at least one row group."""

CHUNK = 10_000
"""Games of a piece of a log in memory."""

UNKNOWN = ("missing", "defaulted")
"""Statuses of moves that give no occasion."""

STAGE = ("seat", "payoffs", "payoff_kind", "cooperative_action")
"""What a metric depends on beside the play."""

_PLAYS = 1 << 19
"""Plays that are remembered, at most twice as many where stages come and go: 340 bytes each."""

_JUDGED = 1 << 14
"""Plays that are measured at a time."""


@lru_cache(maxsize=1)
def _known(token: str) -> dict[tuple[Any, ...], KnownPlays]:
    """Plays that were measured, by stage."""
    return {}


def _looked_up(
    token: str, keep_defaulted: bool, X: Trajectories, stages: list[tuple[Any, ...]], codes: NDArray[np.intp]
) -> dict[str, NDArray[Any]]:
    """Columns of `codebook.METRICS` from n_rounds on, in the order of the rows.

    Parameters
    ----------
    token : str
        Plays that were measured under another one are let go.
    X : Trajectories of n rows
    stages : values of `STAGE`, each distinct one
    codes : (n,) which of them each row has
    """
    plays = _known(token)
    columns: dict[str, NDArray[Any]] = {}
    for code, stage in enumerate(stages):
        at = np.flatnonzero(codes == code)
        if not len(at):
            continue
        if stage not in plays:
            limit = _PLAYS // len(stages)
            if sum(known.table.capacity for known in plays.values()) + limit > 2 * _PLAYS:
                plays.clear()
            plays[stage] = KnownPlays(partial(_judged, stage, keep_defaulted), limit=limit)
        table, rows = plays[stage].look_up(X[at])
        for name, values in table.columns.items():
            if name not in columns:
                columns[name] = np.empty(len(codes), dtype=values.dtype)
            columns[name][at] = values[rows]
    return columns


def _judged(stage: tuple[Any, ...], keep_defaulted: bool, X: Trajectories) -> pd.DataFrame:
    """Metrics of plays that have one stage in common, as one-row games of a compact log."""
    parts = []
    for start in range(0, len(X), _JUDGED):
        some = X[start : start + _JUDGED]
        n, rounds = some.shape
        lengths = _known_lengths(some)
        columns = {
            "game_id": pa.array(np.arange(n)).cast(pa.string()),
            **{name: _same(value, n) for name, value in zip(STAGE, stage, strict=True)},
            "own": as_lists(some.own, lengths),
            "other": as_lists(some.other, lengths),
        }
        if some.evidence_mask is not None:
            columns["evidence"] = as_lists(some.evidence_mask.astype(np.int8), lengths)
        log = games_of(pa.table(columns), rounds, {"repetition": 1})
        X_of_log = log.trajectories(keep_defaulted=keep_defaulted)
        rows = metrics_table(log, X_of_log, keep_defaulted=keep_defaulted)
        parts.append(rows.loc[:, "n_rounds":])
    return pd.concat(parts, ignore_index=True)


def _known_lengths(X: Trajectories) -> NDArray[np.int64]:
    """(n,), the last round of which anything is known."""
    last = X.mask[:, ::-1].argmax(axis=1)
    return np.where(X.mask.any(axis=1), X.shape[1] - last, 0)


def _same(value: Any, n: int) -> pa.Array:
    """A column of one number or text."""
    return pa.array([value] * n, pa.string() if value is None else None)


@dataclass(frozen=True, eq=False)
class Read:
    """What was read of a piece, beyond the rows of the table.

    Parameters
    ----------
    games : int, games that meet the conditions
    skipped : reason -> games without rows
    unknown : status in `UNKNOWN` -> moves
    described : columns that describe trajectories and have a value here
    """

    games: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    described: frozenset[str] = frozenset()

    @classmethod
    def of(cls, log: GameLog, X: Trajectories) -> Read:
        """Of some games."""
        status = log.moves["status"]
        unknown = Counter({name: int((status == name).sum()) for name in UNKNOWN})
        assert X.keys is not None
        return cls(len(log), Counter(log.skipped()), unknown, frozenset(map(str, X.keys.columns)))

    def __add__(self, after: Read) -> Read:
        return Read(
            self.games + after.games,
            self.skipped + after.skipped,
            self.unknown + after.unknown,
            self.described | after.described,
        )


@dataclass(frozen=True, eq=False)
class Tally:
    """The counts and totals of a piece; its games are in no other one.

    Parameters
    ----------
    n, n_games : trajectories and games in the table
    rank : int, case of the rule for subjects (`ranked_subjects`)
    counted, counted_games : int, trajectories in the means, and games they come from
    sums : GroupSums of these
    kinds : DataFrame, distinct values among these of payoff_kind and the columns that make the groups
    """

    read: Read = field(default_factory=Read)
    n: int = 0
    n_games: int = 0
    rank: int = -1
    counted: int = 0
    counted_games: int = 0
    sums: GroupSums = field(default_factory=lambda: added_sums([]))
    kinds: pd.DataFrame = field(default_factory=pd.DataFrame)

    @classmethod
    def of(
        cls,
        table: pd.DataFrame,
        counted: tuple[int, pd.DataFrame],
        read: Read,
        by: Sequence[str],
        names: Sequence[str],
        units: NDArray[np.intp] | None = None,
    ) -> Tally:
        """Of the table of a piece.

        Parameters
        ----------
        table : DataFrame as `codebook.METRICS`
        counted : as `counted_rows`
        by : columns that make the groups
        names : the metrics
        units : what is independent among the counted rows; default: their games
        """
        rank, rows = counted
        kinds = [c for c in dict.fromkeys(("payoff_kind", *by)) if c in rows]
        return cls(
            read,
            len(table),
            int(table["game_id"].nunique()),
            rank,
            len(rows),
            int(rows["game_id"].nunique()),
            group_sums(rows, by, names, units),
            # of one type in all pieces: pandas 2 warns where a column is empty in one and not in another
            rows[kinds].drop_duplicates(ignore_index=True).astype(object),
        )


def counted_rows(table: pd.DataFrame, by: Sequence[str]) -> tuple[int, pd.DataFrame]:
    """The case of the rule for subjects, and the rows in the means: all where ``strategy`` is in `by`."""
    if "strategy" in by:
        return 0, table
    rank, of_subjects = ranked_subjects(table)
    return rank, table if of_subjects.all() else table[of_subjects].reset_index(drop=True)


def added(parts: Sequence[Tally]) -> Tally:
    """The tally of all pieces: those without subjects have no part in the means."""
    rank = max((part.rank for part in parts), default=-1)
    counted_parts = [part for part in parts if part.rank == rank and part.n]
    read = Read()
    for part in parts:
        read += part.read
    return Tally(
        read,
        sum(part.n for part in parts),
        sum(part.n_games for part in parts),
        rank,
        sum(part.counted for part in counted_parts),
        sum(part.counted_games for part in counted_parts),
        added_sums(part.sums for part in counted_parts),
        pd.concat([p.kinds for p in counted_parts], ignore_index=True).drop_duplicates(ignore_index=True)
        if counted_parts
        else pd.DataFrame(),
    )


@dataclass(frozen=True)
class Job:
    """How the pieces of a log are measured.

    Parameters
    ----------
    keys : columns that describe a trajectory of the log
    by : those that make the groups
    names : metrics whose means are wanted
    others, keep_defaulted : as `focal_play`
    table : bool
        Whether the rows are wanted, or the totals alone.
    schema : Schema of the table, where it follows from the play alone (`_plays_of_piece`)
    token : str
        Tells this job from every other; plays measured once serve the whole job.
    """

    keys: tuple[str, ...]
    by: tuple[str, ...]
    names: tuple[str, ...]
    others: str | None = None
    keep_defaulted: bool = False
    table: bool = True
    schema: pa.Schema | None = None
    token: str = ""


@dataclass(frozen=True, eq=False)
class _MemoryPiece:
    """Some games of a log in memory, and which rows of its trajectories are theirs."""

    log: GameLog
    X: Trajectories
    rows: NDArray[np.intp]

    @property
    def n(self) -> int:
        return len(self.log)


@dataclass(frozen=True, eq=False)
class Memory:
    """A log in memory, as a source of pieces: no metric looks beyond its game.

    Parameters
    ----------
    log : GameLog, of the games that meet the conditions
    X : its trajectories of two players, with keys
    """

    log: GameLog
    X: Trajectories

    @property
    def n(self) -> int:
        """Games."""
        return len(self.log)

    def pieces(self, size: int) -> Iterator[_MemoryPiece]:
        """Some games each, in their order and without questions."""
        log, X = self.log, self.X
        assert X.keys is not None
        if len(log) <= size:
            yield _MemoryPiece(log, X, np.arange(len(X)))
            return
        ids = pd.Index(log.games["game_id"])
        tables = {"seats": log.seats, "moves": log.moves}
        games = {
            name: np.asarray(ids.get_indexer(pd.Index(table["game_id"])), dtype=np.intp)
            for name, table in (*tables.items(), ("keys", X.keys))
        }
        order = {name: np.argsort(codes, kind="stable") for name, codes in games.items()}
        games = {name: codes[order[name]] for name, codes in games.items()}
        for first in range(0, len(log), size):
            own: dict[str, NDArray[np.intp]] = {}
            for name, codes in games.items():
                low, high = np.searchsorted(codes, [first, first + size])
                own[name] = np.sort(order[name][low:high])
            seats, moves = (table.iloc[own[name]] for name, table in tables.items())
            some = GameLog(log.games.iloc[first : first + size], seats, moves)
            yield _MemoryPiece(some, X[own["keys"]], own["keys"])


NOTHING = pd.DataFrame()
"""Answers to questions of a piece: columns are made of those of the whole log."""


def measured(
    source: Source | Memory, job: Job, workers: Workers
) -> Iterator[tuple[int, NDArray[np.intp] | None, pa.Table | pd.DataFrame | None, Tally]]:
    """Of each piece of a log in order its size, its rows as `codebook.METRICS`, and its tally.

    The rows of a log in memory are a DataFrame, beside the places of their trajectories, and their tally is
    that of the whole log: it has none here. Rows are None where they are not wanted, or there are none.
    """
    waiting: deque[Any] = deque()
    size = CHUNK if isinstance(source, Memory) else PIECE

    def pieces() -> Iterator[Any]:
        for piece in source.pieces(size):
            waiting.append((piece.n, piece.rows if isinstance(piece, _MemoryPiece) else None))
            yield piece

    if isinstance(source, Memory) and source.n <= size:
        workers = SERIAL
    measure = _measure if workers is SERIAL or isinstance(source, Memory) else _packed
    try:
        for rows, tally in workers.map(partial(measure, job), pieces()):
            sent = isinstance(rows, bytes)
            yield *waiting.popleft(), pa.ipc.open_stream(rows).read_all() if sent else rows, tally
    finally:
        _known.cache_clear()


def _measure(job: Job, piece: Piece | _MemoryPiece) -> tuple[pa.Table | pd.DataFrame | None, Tally]:
    """The rows of a piece, and its tally."""
    if isinstance(piece, _MemoryPiece):
        rows = metrics_table(piece.log, piece.X, keep_defaulted=job.keep_defaulted, questions=NOTHING)
        return rows, Tally()
    if job.schema is not None and isinstance(piece, CompactPiece):
        try:
            of_plays = _plays_of_piece(job, piece)
        except DataError:  # the tables of the piece say where it is
            of_plays = None
        if of_plays is not None:
            return of_plays
    frame, read = _piece_metrics(job, piece.games())
    if not len(frame):
        return None, Tally(read)
    tally = Tally.of(frame, counted_rows(frame, job.by), read, job.by, job.names)
    if not job.table:
        return None, tally
    return pa.Table.from_pandas(frame, preserve_index=False), tally


def _packed(job: Job, piece: Piece) -> tuple[bytes | None, Tally]:
    """`_measure` with the table as a fifth of its bytes, to be sent to another process."""
    table, tally = _measure(job, piece)
    if table is None:
        return None, tally
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes(), tally


def _piece_metrics(job: Job, log: GameLog) -> tuple[pd.DataFrame, Read]:
    """The table of some games with all columns of the log, and what else was read of them."""
    if not len(log):
        return pd.DataFrame(), Read()
    played, X = focal_play(log, others=job.others, keep_defaulted=job.keep_defaulted)
    table = metrics_table(played, X, keep_defaulted=job.keep_defaulted)
    columns: dict[str, Any] = {}
    for name in _in_order(log, job.keys):
        if name in table:
            columns[name] = table[name]
        else:
            dtype = (log.seats if name in log.seats else log.games)[name].dtype
            columns[name] = pd.Series([None] * len(table), dtype=cast(Any, dtype))
    columns |= {str(name): table[name] for name in table if name not in columns}
    return pd.DataFrame(columns, copy=False), Read.of(played, X)


def _in_order(log: GameLog, keys: tuple[str, ...]) -> list[str]:
    """Columns of keys that the table keeps as they are, in the order of `GameLog.trajectories`."""
    known = ["game_id", "seat", *KEY_SEAT_COLUMNS, *log.seat_conditions, *KEY_GAME_COLUMNS, *log.conditions]
    ours = {*FIRST, *TAKEN, *outside_columns()}
    return [name for name in dict.fromkeys(known) if name in keys and name not in ours]


_MOST_STAGES = 32
"""Of a piece; more of them have few plays each, so that there is little to remember."""

_KINDS = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


def _plays_of_piece(job: Job, piece: CompactPiece) -> tuple[pa.Table | None, Tally] | None:
    """As `_measure`, the same row by row; None where the tables of the piece are needed.

    The metrics of a trajectory of a compact log follow from its play, its seat, the payoffs and their kind,
    and the name of cooperation. They do not where moves are unknown up to the end, so that the play does
    not tell how long the game was; and where too many payoffs tell games apart, there is nothing to gain.
    """
    rows_of = _rows(piece)
    if rows_of is None:
        return None
    keys, X = rows_of
    again = same_game(keys.column("game_id").combine_chunks())
    described = keys.drop_columns(["game_id"]).to_pandas(ignore_metadata=True, types_mapper=_KINDS.get)
    stages, codes = _stages(described)
    if len(stages) > _MOST_STAGES:
        return None
    rows = np.flatnonzero(_accepted(piece, keys, described))
    game = np.cumsum(np.append(0, ~again))[: len(keys)]
    accepted = np.zeros(len(keys), dtype=bool)
    accepted[game[rows]] = True
    of_game = accepted[game]
    alone = ~(np.append(again, False) | np.append(False, again))[: len(keys)]
    unknown = Counter() if piece.complete else _unknown(X[of_game], alone[of_game])
    read = Read(int(accepted.sum()), Counter(), unknown, _with_values(keys.filter(pa.array(of_game))))
    if not len(rows):
        return None, Tally(read)
    opponent = _opponent(keys, again).take(pa.array(rows))
    keys, described = keys.take(pa.array(rows)), described.iloc[rows].reset_index(drop=True)
    values = _looked_up(job.token, job.keep_defaulted, X[rows], stages, codes[rows])
    known = "rounds_planned" in keys.column_names
    planned = keys.column("rounds_planned") if known else pa.nulls(len(rows), pa.int64())
    columns: dict[str, Any] = {"rounds": planned, "opponent": opponent, **values}
    ids = keys.column("game_id").to_pandas() if "game_id" in job.by else game[rows]
    frame = _frame(job, described, columns).assign(game_id=ids)
    tally = Tally.of(frame, counted_rows(frame, job.by), read, job.by, job.names)
    return (_table(job.schema, keys, columns) if job.table else None), tally


def _rows(piece: CompactPiece) -> tuple[pa.Table, Trajectories] | None:
    """What describes the rows of a piece, whatever its conditions, and their play.

    None where a play does not tell how long its game was.
    """
    known = {*(c for c, _ in piece.types), *(c for c, _ in piece.filled)}
    also = {*STAGE, "rounds_planned", *(c for c, _ in piece.where)} & known - set(piece.keys)
    keys = (*piece.keys, *sorted(also))
    play = replace(piece, keys=keys, where=(), keep_defaulted=False).read()
    if play.skipped or not (piece.complete or _ends_known(piece, play.X)):
        return None
    return play.keys, play.X


def _accepted(piece: CompactPiece, keys: pa.Table, described: pd.DataFrame) -> NDArray[np.bool_]:
    """(n,), rows that meet the conditions of the piece."""
    accepted = np.ones(len(keys), dtype=bool)
    for name, values in piece.where:
        column = keys.column(name).to_pandas() if name == "game_id" else described[name]
        accepted &= matches(column, values)
    return accepted


def _frame(job: Job, described: pd.DataFrame, columns: dict[str, Any]) -> pd.DataFrame:
    """The columns that the means need."""
    used = [c for c in dict.fromkeys((*job.by, "model", "strategy", "payoff_kind")) if c in described]
    ours = {c: v for c, v in columns.items() if c not in FIRST}
    filled = {
        c: columns[c].to_pandas(ignore_metadata=True, types_mapper=_KINDS.get) for c in FIRST if c in job.by
    }
    return pd.DataFrame({**described[used], **ours, **filled}, copy=False)


def _ends_known(piece: CompactPiece, X: Trajectories) -> bool:
    """Whether every list of moves ends with a known one; those of rows that are not in `X` are empty."""
    lists = piece.rows.table(["game_id", "own"]).column("own")
    return (pc.sum(pc.list_value_length(lists)).as_py() or 0) == int(_known_lengths(X).sum())


def _unknown(X: Trajectories, alone: NDArray[np.bool_]) -> Counter[str]:
    """Moves of each status in `UNKNOWN`, those of the other seat where it has no row of its own."""
    inside = np.arange(X.shape[1]) < _known_lengths(X)[:, None]
    missing = ((X.own < 0) & inside).sum() + ((X.other < 0) & inside)[alone].sum()
    defaulted = 0 if X.evidence_mask is None else ((X.own >= 0) & ~X.evidence_mask).sum()
    return Counter(dict(zip(UNKNOWN, (int(missing), int(defaulted)), strict=True)))


def _stages(described: pd.DataFrame) -> tuple[list[tuple[Any, ...]], NDArray[np.intp]]:
    """Distinct stages, and which of them each row has."""
    codes = np.zeros(len(described), dtype=np.intp)
    for name in STAGE:
        if name in described:
            own, values = pd.factorize(described[name])
            codes = codes * (len(values) + 1) + own + 1
    codes = pd.factorize(codes)[0]
    first = described.loc[~pd.Series(codes).duplicated()].astype(object)
    cells = (
        [None if pd.isna(v) else v for v in first[c]] if c in first else [None] * len(first) for c in STAGE
    )
    return list(zip(*cells, strict=True)), codes


def _opponent(keys: pa.Table, again: NDArray[np.bool_]) -> pa.Array:
    """Strategy or model of the other seat that has a row; else what the column ``opponent`` says."""

    def texts(name: str) -> pa.Array:
        if name not in keys.column_names:
            return pa.nulls(len(keys), pa.string())
        return keys.column(name).combine_chunks().cast(pa.string())

    partner = np.full(len(keys), -1)
    first = np.flatnonzero(again)
    partner[first], partner[first + 1] = first + 1, first
    names = pc.coalesce(texts("strategy"), texts("model")) if len(first) else texts("")
    return pc.coalesce(names.take(pa.array(partner, mask=partner < 0)), texts("opponent"))


def _with_values(keys: pa.Table) -> frozenset[str]:
    """Columns that have a value."""
    return frozenset(c for c in keys.column_names if keys.column(c).null_count < len(keys))


def _table(schema: pa.Schema, keys: pa.Table, columns: dict[str, Any]) -> pa.Table:
    arrays = []
    for column in schema:
        values = columns.get(column.name)
        if values is None:
            values = keys.column(column.name)
        if pa.types.is_null(column.type):
            values = pa.nulls(len(keys))
        if isinstance(values, np.ndarray):
            values = pa.array(values, from_pandas=True)
        if pa.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        arrays.append(values.cast(column.type))
    return pa.table(arrays, schema=schema)


class NothingWrittenError(Exception):
    """A file that has no row, and is not made."""


class TableFile:
    """A Parquet file that is being written; the first piece decides on its columns.

    Parameters
    ----------
    draft : Path, or None to write nothing
    """

    def __init__(self, draft: Path | None) -> None:
        self._draft = draft
        self._writer: pq.ParquetWriter | None = None

    def write(self, table: pa.Table) -> None:
        """Add rows.

        Raises
        ------
        DataError
            A column with values that do not fit those of the pieces before.
        """
        if self._draft is None or not len(table):
            return
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._draft, table.schema)
        try:
            fitting = table.select(self._writer.schema.names).cast(self._writer.schema)
        except (pa.ArrowException, ValueError) as error:
            raise DataError(f"pieces of the log differ in their columns: {shorten(error)}") from None
        self._writer.write_table(fitting, row_group_size=max(1, len(table)))

    def finish(self, facts: Mapping[str, Any], *, without: Collection[str] = ()) -> None:
        """Add the facts and end the file; columns `without` a single value are taken out again.

        Raises
        ------
        NothingWrittenError
            No row came.
        """
        if self._draft is None:
            return
        if self._writer is None:
            raise NothingWrittenError
        metadata = {METADATA_KEY: json.dumps(dict(facts)).encode()}
        names = [name for name in self._writer.schema.names if name not in without]
        if len(names) == len(self._writer.schema.names):
            self._writer.add_key_value_metadata(metadata)
            self.close()
            return
        self.close()
        fewer = self._draft.with_name(f"{self._draft.name}.fewer")
        with open_parquet(self._draft) as file:
            schema = _fewer(file.schema_arrow, names)
            with pq.ParquetWriter(fewer, schema) as writer:
                for i in range(file.num_row_groups):
                    rows = file.read_row_group(i, columns=names).select(names)
                    writer.write_table(rows.cast(schema), row_group_size=max(1, len(rows)))
                writer.add_key_value_metadata(metadata)
        os.replace(fewer, self._draft)

    def close(self) -> None:
        """End the file."""
        if self._writer is not None:
            self._writer.close()


@contextmanager
def table_file(target: Path | None, *, overwrite: bool) -> Iterator[TableFile]:
    """A file that appears when the block ends without an error."""
    if target is None:
        yield TableFile(None)
        return
    with writing(target, overwrite=overwrite) as draft:
        file = TableFile(draft)
        try:
            yield file
        finally:
            file.close()


def _fewer(schema: pa.Schema, names: Collection[str]) -> pa.Schema:
    """The schema of some of the columns, with what pandas knows of them."""
    metadata = dict(schema.metadata or {})
    facts = json.loads(metadata.get(b"pandas", b"{}"))
    if facts:
        facts["columns"] = [column for column in facts["columns"] if column["name"] in names]
        metadata[b"pandas"] = json.dumps(facts).encode()
    return pa.schema([schema.field(name) for name in names], metadata=metadata)


def key_types(source: Source) -> dict[str, Any]:
    """Columns that describe the trajectories of a log on disk, in their order -> Arrow type."""
    if isinstance(source, CompactSource):
        log = source.log
        return {
            name: log.types[name] if name in log.types else pa.scalar(log.filled[name]).type
            for name in log.keys
        }
    assert isinstance(source, FolderSource | RunsSource)
    return dict(source.keys)


def can_be_cut(source: Source) -> bool:
    """Whether the table of a log on disk is that of its pieces, one below the other.

    It is not where a condition column called ``rounds``, or one called ``opponent`` that holds no text, may
    decide on the type of a column of ours; nor where answers to questions make columns.
    """
    types = key_types(source)
    opponent = types.get("opponent")
    if "rounds" in types or (opponent is not None and not said_text(opponent)):
        return False
    folders = source.folders if isinstance(source, FolderSource | RunsSource) else (source.path,)
    return not any((folder / "questions.parquet").exists() for folder in folders)


def table_columns(keys: Collection[str]) -> list[str]:
    """Columns of the table of a log with such keys."""
    return list(dict.fromkeys([*keys, *(c.name for c in codebook.METRICS), *outside_columns()]))


def check_columns(job: Job, described: Collection[str] | None = None) -> list[str]:
    """Columns of keys that no row describes, which the table does not have.

    Parameters
    ----------
    described : those that have a value in some row; default: all

    Raises
    ------
    UnknownNameError
        A column that makes groups is none of the table.
    """
    lost = [] if described is None else [name for name in job.keys if name not in described]
    known = [name for name in table_columns(job.keys) if name not in lost]
    for name in job.by:
        if name not in known:
            raise UnknownNameError("column", name, known)
    return lost


def table_schema(source: Source, job: Job) -> Any:
    """Schema of the table of a compact log whose columns have plain types, else None.

    The types are those of the first rows, read as a log.
    """
    if not isinstance(source, CompactSource):
        return None
    piece = next(iter(source.pieces(1)))
    try:
        rows = piece.rows.table([name for name, _ in piece.types]).slice(0, 2)
        log = games_of(rows, source.rounds, source.log.filled, source.log.seat_columns)
    except (pa.ArrowException, OSError, ValueError, DataError):  # whoever reads the piece says what it is
        return None
    schema = pa.Schema.from_pandas(_piece_metrics(job, log)[0], preserve_index=False)
    for name, kind in key_types(source).items():
        if name in (*TAKEN, *outside_columns()) or name not in schema.names:
            continue
        own = schema.field(name).type
        whole = pa.types.is_integer(kind) and own == pa.int64()
        if not (whole or (said_text(kind) and said_text(own)) or kind == own in (pa.float64(), pa.bool_())):
            return None
    return schema
