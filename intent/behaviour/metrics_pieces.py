"""What every piece is measured by, and the metrics of one.

A piece of a compact log, each distinct play of which is measured once.

Metrics of plays, each distinct one measured once and remembered.

What the means and the notes of a log need to know of a piece of it, and how that adds up.

A Parquet file of metrics, written piece by piece.
"""

from __future__ import annotations

import json
import os
from collections import Counter
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

from intent.base.binary import open_parquet
from intent.base.errors import DataError, shorten
from intent.base.files import writing
from intent.base.tables import METADATA_KEY
from intent.behaviour.means import GroupSums, added_sums, group_sums
from intent.behaviour.metric_table import FIRST, TAKEN, metrics_table, outside_columns
from intent.behaviour.metrics import UNKNOWN, unknown_moves
from intent.behaviour.play_table import ranked_subjects
from intent.logs.chunks import Piece
from intent.logs.compact import as_lists
from intent.logs.compact_chunks import CompactPiece, same_game
from intent.logs.gamelog import KEY_GAME_COLUMNS, KEY_SEAT_COLUMNS, GameLog, matches
from intent.logs.readers.gamelog import games_of
from intent.logs.selection import focal_play
from intent.logs.trajectories import Trajectories
from intent.recognise.distinct_plays import KnownPlays

__all__ = [
    "STAGE",
    "Job",
    "NothingWrittenError",
    "Read",
    "TableFile",
    "Tally",
    "added",
    "forget",
    "known_lengths",
    "looked_up",
    "measure_piece",
    "packed_piece",
    "piece_metrics",
    "plays_of_piece",
    "table_file",
    "unpacked",
]


STAGE = ("seat", "payoffs", "payoff_kind", "cooperative_action")
"""What a metric depends on beside the play."""

_PLAYS = 1 << 19
"""Plays that are remembered, at most twice as many where stages come and go: 340 bytes each."""

_JUDGED = 1 << 14
"""Plays that are measured at a time."""


def forget() -> None:
    """Let go of the plays measured in this process."""
    _known.cache_clear()


@lru_cache(maxsize=1)
def _known(token: str) -> dict[tuple[Any, ...], KnownPlays]:
    """Plays that were measured, by stage."""
    return {}


def looked_up(
    token: str, keep_defaulted: bool, X: Trajectories, stages: list[tuple[Any, ...]], codes: NDArray[np.intp]
) -> dict[str, NDArray[Any]]:
    """Columns of `codebook.METRICS` from n_rounds on, in the order of the rows.

    Parameters
    ----------
    token : str
        Plays that were measured under another one are let go.
    keep_defaulted : bool
    X : Trajectories of n rows
    stages : values of `STAGE`, each distinct one
    codes : (n,) which of them each row has
    """
    plays = _known(token)
    found: dict[str, NDArray[Any]] = {}
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
            if name not in found:
                found[name] = np.empty(len(codes), dtype=values.dtype)
            found[name][at] = values[rows]
    return found


def _judged(stage: tuple[Any, ...], keep_defaulted: bool, X: Trajectories) -> pd.DataFrame:
    """Metrics of plays that have one stage in common, as one-row games of a compact log."""
    parts = []
    for start in range(0, len(X), _JUDGED):
        some = X[start : start + _JUDGED]
        n, rounds = some.shape
        lengths = known_lengths(some)
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
        made = metrics_table(log, X_of_log, keep_defaulted=keep_defaulted)
        parts.append(made.loc[:, "n_rounds":])
    return pd.concat(parts, ignore_index=True)


def known_lengths(X: Trajectories) -> NDArray[np.int64]:
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
    unknown : as `intent.behaviour.metrics.unknown_moves`
    told : columns that describe trajectories and have a value here
    """

    games: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    told: frozenset[str] = frozenset()

    def __add__(self, after: Read) -> Read:
        return Read(
            self.games + after.games,
            self.skipped + after.skipped,
            self.unknown + after.unknown,
            self.told | after.told,
        )


@dataclass(frozen=True, eq=False)
class Tally:
    """The counts and totals of a piece; its games are in no other one.

    Parameters
    ----------
    read : Read
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
    def of(cls, table: pd.DataFrame, read: Read, by: Sequence[str], names: Sequence[str]) -> Tally:
        """Of the table of a piece.

        Parameters
        ----------
        table : DataFrame as `codebook.METRICS`
        read : Read
        by : columns that make the groups; with ``strategy`` among them, every row is in the means
        names : the metrics
        """
        if not len(table):
            return cls(read)
        rank, meant = (0, np.ones(len(table), dtype=bool)) if "strategy" in by else ranked_subjects(table)
        counted = table if meant.all() else table[meant].reset_index(drop=True)
        kinds = [c for c in dict.fromkeys(("payoff_kind", *by)) if c in counted]
        return cls(
            read,
            len(table),
            int(table["game_id"].nunique()),
            rank,
            len(counted),
            int(counted["game_id"].nunique()),
            group_sums(counted, by, names),
            counted[kinds].drop_duplicates(ignore_index=True),
        )


def added(parts: Sequence[Tally]) -> Tally:
    """The tally of all pieces: those without subjects have no part in the means."""
    rank = max((part.rank for part in parts), default=-1)
    meant = [part for part in parts if part.rank == rank and part.n]
    read = Read()
    for part in parts:
        read += part.read
    return Tally(
        read,
        sum(part.n for part in parts),
        sum(part.n_games for part in parts),
        rank,
        sum(part.counted for part in meant),
        sum(part.counted_games for part in meant),
        added_sums(part.sums for part in meant),
        pd.concat([p.kinds for p in meant], ignore_index=True).drop_duplicates(ignore_index=True)
        if meant
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
    schema : Schema of the table, where it follows from the play alone (`plays_of_piece`)
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


def measure_piece(job: Job, piece: Piece) -> tuple[pa.Table | None, Tally]:
    """The table of a piece as `codebook.METRICS` (None where not wanted, or without rows), and its tally."""
    if job.schema is not None and isinstance(piece, CompactPiece):
        try:
            found = plays_of_piece(job, piece)
        except DataError:  # the tables of the piece say where it is
            found = None
        if found is not None:
            return found
    frame, read = piece_metrics(job, piece.games())
    tally = Tally.of(frame, read, job.by, job.names)
    if not job.table or not len(frame):
        return None, tally
    return pa.Table.from_pandas(frame, preserve_index=False), tally


def packed_piece(job: Job, piece: Piece) -> tuple[bytes | None, Tally]:
    """`measure_piece` with the table as a fifth of its bytes, to be sent to another process."""
    table, tally = measure_piece(job, piece)
    if table is None:
        return None, tally
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes(), tally


def unpacked(sent: bytes | pa.Table) -> pa.Table:
    """The table of `packed_piece`."""
    return sent if isinstance(sent, pa.Table) else pa.ipc.open_stream(sent).read_all()


def piece_metrics(job: Job, log: GameLog) -> tuple[pd.DataFrame, Read]:
    """The table of some games with all columns of the log, and what else was read of them."""
    if not len(log):
        return pd.DataFrame(), Read()
    played, X = focal_play(log, others=job.others, keep_defaulted=job.keep_defaulted)
    made = metrics_table(played, X, keep_defaulted=job.keep_defaulted)
    assert X.keys is not None
    described: dict[str, Any] = {}
    for name in _in_order(log, job.keys):
        if name in made:
            described[name] = made[name]
        else:
            dtype = (log.seats if name in log.seats else log.games)[name].dtype
            described[name] = pd.Series([None] * len(made), dtype=cast(Any, dtype))
    rest = {str(name): made[name] for name in made if name not in described}
    read = Read(
        len(log), Counter(played.skipped()), Counter(unknown_moves(played)), frozenset(X.keys.columns)
    )
    return pd.DataFrame({**described, **rest}, copy=False), read


def _in_order(log: GameLog, keys: tuple[str, ...]) -> list[str]:
    """Columns of keys that the table keeps as they are, in the order of `GameLog.trajectories`."""
    known = ["game_id", "seat", *KEY_SEAT_COLUMNS, *log.seat_conditions, *KEY_GAME_COLUMNS, *log.conditions]
    ours = {*FIRST, *TAKEN, *outside_columns()}
    return [name for name in dict.fromkeys(known) if name in keys and name not in ours]


_MOST_STAGES = 32
"""Of a piece; more of them have few plays each, so that there is little to remember."""

_KINDS = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


def plays_of_piece(job: Job, piece: CompactPiece) -> tuple[pa.Table | None, Tally] | None:
    """As `measure_piece`, the same row by row; None where the tables of the piece are needed.

    The metrics of a trajectory of a compact log follow from its play, its seat, the payoffs and their kind,
    and the name of cooperation. They do not where moves are unknown up to the end, so that the play does
    not tell how long the game was; and where too many payoffs tell games apart, there is nothing to gain.
    """
    found = _rows(piece)
    if found is None:
        return None
    keys, X = found
    again = same_game(keys.column("game_id").combine_chunks())
    described = keys.drop_columns(["game_id"]).to_pandas(ignore_metadata=True, types_mapper=_KINDS.get)
    stages, codes = _stages(described)
    if len(stages) > _MOST_STAGES:
        return None
    rows = np.flatnonzero(_accepted(piece, keys, described))
    game = np.cumsum(np.append(0, ~again))[: len(keys)]
    kept = np.zeros(len(keys), dtype=bool)
    kept[game[rows]] = True
    of_game = kept[game]
    alone = ~(np.append(again, False) | np.append(False, again))[: len(keys)]
    unknown = Counter() if piece.complete else _unknown(X[of_game], alone[of_game])
    read = Read(int(kept.sum()), Counter(), unknown, _told(keys.filter(pa.array(of_game))))
    if not len(rows):
        return None, Tally(read)
    opponent = _opponent(keys, again).take(pa.array(rows))
    keys, described = keys.take(pa.array(rows)), described.iloc[rows].reset_index(drop=True)
    measured = looked_up(job.token, job.keep_defaulted, X[rows], stages, codes[rows])
    told = "rounds_planned" in keys.column_names
    planned = keys.column("rounds_planned") if told else pa.nulls(len(rows), pa.int64())
    columns: dict[str, Any] = {"rounds": planned, "opponent": opponent, **measured}
    ids = keys.column("game_id").to_pandas() if "game_id" in job.by else game[rows]
    tally = Tally.of(_frame(job, described, columns).assign(game_id=ids), read, job.by, job.names)
    return (_table(job.schema, keys, columns) if job.table else None), tally


def _rows(piece: CompactPiece) -> tuple[pa.Table, Trajectories] | None:
    """What describes the rows of a piece, whatever its conditions, and their play.

    None where a play does not tell how long its game was.
    """
    known = {*(c for c, _ in piece.types), *(c for c, _ in piece.filled)}
    also = {*STAGE, "rounds_planned", *(c for c, _ in piece.where)} & known - set(piece.keys)
    wanted = (*piece.keys, *sorted(also))
    play = replace(piece, keys=wanted, where=(), keep_defaulted=False).read()
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
    return (pc.sum(pc.list_value_length(lists)).as_py() or 0) == int(known_lengths(X).sum())


def _unknown(X: Trajectories, alone: NDArray[np.bool_]) -> Counter[str]:
    """Moves of each status in `UNKNOWN`, those of the other seat where it has no row of its own."""
    inside = np.arange(X.shape[1]) < known_lengths(X)[:, None]
    missing = ((X.own < 0) & inside).sum() + ((X.other < 0) & inside)[alone].sum()
    defaulted = 0 if X.evidence_mask is None else ((X.own >= 0) & ~X.evidence_mask).sum()
    return Counter(dict(zip(UNKNOWN, (int(missing), int(defaulted)), strict=True)))


def _stages(described: pd.DataFrame) -> tuple[list[tuple[Any, ...]], NDArray[np.intp]]:
    """Distinct stages, and which of them each row has."""
    codes = np.zeros(len(described), dtype=np.intp)
    for name in STAGE:
        if name in described:
            own, found = pd.factorize(described[name])
            codes = codes * (len(found) + 1) + own + 1
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


def _told(keys: pa.Table) -> frozenset[str]:
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
        kept = [name for name in self._writer.schema.names if name not in without]
        if len(kept) == len(self._writer.schema.names):
            self._writer.add_key_value_metadata(metadata)
            self.close()
            return
        self.close()
        fewer = self._draft.with_name(f"{self._draft.name}.fewer")
        with open_parquet(self._draft) as file:
            schema = _fewer(file.schema_arrow, kept)
            with pq.ParquetWriter(fewer, schema) as writer:
                for i in range(file.num_row_groups):
                    rows = file.read_row_group(i, columns=kept).select(kept)
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


def _fewer(schema: pa.Schema, kept: Collection[str]) -> pa.Schema:
    """The schema of some of the columns, with what pandas knows of them."""
    metadata = dict(schema.metadata or {})
    told = json.loads(metadata.get(b"pandas", b"{}"))
    if told:
        told["columns"] = [column for column in told["columns"] if column["name"] in kept]
        metadata[b"pandas"] = json.dumps(told).encode()
    return pa.schema([schema.field(name) for name in kept], metadata=metadata)
