"""What a compact log is: its columns, and the files that hold it.

Opening a compact log: its columns, the facts in its metadata and its sizes are checked, no row is read.

Lists of moves to arrays and back.

Write a compact log, chunk by chunk.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from intent.base.binary import open_parquet, parquet_footer, parquet_schema
from intent.base.errors import DataError, LimitError, OutputError, located, shorten
from intent.base.files import beyond, bounds, file_head, json_value, path_of
from intent.base.outputs import writing
from intent.base.tables import METADATA_KEY
from intent.logs.gamelog import KEY_GAME_COLUMNS, KEY_SEAT_COLUMNS

__all__ = [
    "KIND",
    "MOVES",
    "ROWS",
    "VERSION",
    "CompactLog",
    "CompactWriter",
    "as_lists",
    "decisions_of",
    "descriptions",
    "is_compact",
    "moves_of",
    "open_compact",
]


KIND = "compact_log"
VERSION = 2
"""Version 1 had no list of decisions."""

MOVES = ("own", "other")
_BESIDE = ("payoffs", "rounds_planned")
"""Columns of games that describe a game but no trajectory."""

_DEFAULTS: dict[str, Any] = {"cooperative_action": "C", "repetition": 1}


@dataclass(frozen=True)
class CompactLog:
    """A compact log on disk, nothing of its rows read yet.

    Attributes
    ----------
    path : Path
        The file, or the folder of its parts.
    parts : tuple of Path, in the order of their names
    rounds : int
        Length T of the longest list of moves.
    complete : bool
        Whether every row has T known moves of both players, all of which count.
    constants : column of games -> the value that it has in every row
    seat_columns : tuple of str
        Further columns that describe a seat; the others describe its game.
    provenance : dict
    """

    path: Path
    parts: tuple[Path, ...]
    rounds: int
    complete: bool
    constants: dict[str, Any] = field(default_factory=dict)
    seat_columns: tuple[str, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def files(self) -> tuple[pq.FileMetaData, ...]:
        """Footer of each part."""
        return tuple(parquet_footer(part) for part in self.parts)

    @cached_property
    def types(self) -> dict[str, pa.DataType]:
        """Column -> type, of the first part."""
        schema = parquet_schema(self.parts[0])
        return dict(zip(schema.names, schema.types, strict=True))

    @property
    def n(self) -> int:
        """Rows of all parts."""
        return sum(int(facts.num_rows) for facts in self.files)

    @property
    def descriptions(self) -> list[str]:
        """Columns beyond the moves, game and seat."""
        return descriptions(self.types)

    @cached_property
    def keys(self) -> list[str]:
        """Columns that describe a trajectory, in the order in which a label names them."""
        filled = {**_DEFAULTS, **self.constants}
        known = {*filled, *(c for c in self.descriptions if not self._all_null(c))} - set(_BESIDE)
        seats = [*KEY_SEAT_COLUMNS, *(c for c in self.seat_columns if c not in KEY_SEAT_COLUMNS)]
        games = [c for c in [*self.descriptions, *self.constants] if c not in {*seats, *KEY_GAME_COLUMNS}]
        order = [*seats, *KEY_GAME_COLUMNS, *games]
        return ["game_id", "seat", *dict.fromkeys(c for c in order if c in known)]

    @property
    def filled(self) -> dict[str, Any]:
        """Column -> value of columns that the rows do not spell out."""
        return {c: v for c, v in {**_DEFAULTS, **self.constants}.items() if c not in self.types}

    def _all_null(self, column: str) -> bool:
        """Whether a column has no value, by the statistics of the parts; False where they do not say."""
        for facts in self.files:
            schema = facts.schema.to_arrow_schema()
            names = [facts.schema.column(j).path for j in range(facts.num_columns)]
            if column not in names or column not in schema.names:
                return False
            if pa.types.is_null(schema.field(column).type):
                continue
            for i in range(facts.num_row_groups):
                chunk = facts.row_group(i).column(names.index(column))
                stats = chunk.statistics
                if stats is None or not stats.has_null_count or stats.null_count < chunk.num_values:
                    return False
        return True


def descriptions(columns: Iterable[str]) -> list[str]:
    """Those of the columns that describe a game or a seat: beyond the moves, game and seat."""
    return [c for c in columns if c not in ("game_id", "seat", "evidence", "decided", *MOVES)]


_TAKEN = ("n_players", "rounds_played", "focal", "label")
_LARGEST_FACTS = 16 * 1024**2


def is_compact(path: str | Path) -> bool:
    """Whether a path is a compact log: a Parquet file, or a folder of them, with its columns."""
    try:
        parts = _parts(path_of(path))
        return bool(parts) and _has_columns(parquet_schema(parts[0]))
    except (DataError, OSError, ValueError):
        return False


def open_compact(path: str | Path) -> CompactLog:
    """The facts on a compact log; a file without them is looked through once.

    Raises
    ------
    DataError
        It is none, its parts differ, or a column is not what it must be.
    LimitError
        A row group that memory should not hold.
    """
    source = path_of(path)
    try:
        parts = _parts(source)
        if not parts:
            raise DataError(located(source, "no compact log, expected a Parquet file or a folder of them"))
        facts_of_parts = [_facts(part) for part in parts]
        for part in parts:
            _check_size(part)
        rounds = [facts.get("rounds", -1) for facts in facts_of_parts]
        if min(rounds) < 0:
            extents = [_looked_through(part) for part in parts]
            rounds = [longest for longest, _ in extents]
            complete = all(whole for _, whole in extents)
        else:
            complete = all(facts.get("complete") is True for facts in facts_of_parts)
    except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
        raise DataError(located(source, f"not readable as a compact log: {shorten(error)}")) from None
    first = facts_of_parts[0]
    for part, facts in zip(parts, facts_of_parts, strict=True):
        if facts.get("constants") != first.get("constants") or facts.get("seat_columns") != first.get(
            "seat_columns"
        ):
            raise DataError(located(part, f"other constants or seat columns than {parts[0].name}"))
    if not 0 <= max(rounds) <= bounds().rounds:
        raise DataError(located(source, f"{max(rounds):,} rounds, expected at most {bounds().rounds:,}"))
    return CompactLog(
        source,
        tuple(parts),
        max(rounds),
        complete and len(set(rounds)) == 1,
        dict(first.get("constants") or {}),
        tuple(first.get("seat_columns") or ()),
        dict(first.get("provenance") or {}),
    )


def _parts(source: Path) -> list[Path]:
    if source.is_file():
        return [source] if file_head(source, 4) == b"PAR1" else []
    if not source.is_dir() or (source / "games.parquet").exists() or (source / "log.json").exists():
        return []
    return sorted(p for p in source.iterdir() if p.suffix == ".parquet" and p.is_file())


def _has_columns(schema: pa.Schema) -> bool:
    """Whether a Parquet file has the columns of a compact log."""
    lists = all(name in schema.names and _is_list(schema.field(name).type) for name in MOVES)
    return lists and {"game_id", "seat"} <= set(schema.names)


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _facts(part: Path) -> dict[str, Any]:
    """The facts in the metadata of a part, checked; empty where there are none."""
    schema = parquet_schema(part)
    if not _has_columns(schema):
        raise DataError(located(part, "expected columns game_id, seat, and the lists own and other"))
    reserved = [c for c in schema.names if c in _TAKEN]
    if reserved or len(set(schema.names)) < len(schema.names):
        what = (
            f"column {reserved[0]!r} may not stand in a compact log" if reserved else "a column stands twice"
        )
        raise DataError(located(part, what))
    _check_types(part, schema)
    raw = (parquet_footer(part).metadata or {}).get(METADATA_KEY, b"{}")
    if len(raw) > _LARGEST_FACTS:
        raise DataError(located(part, f"{len(raw):,} bytes of metadata, expected at most {_LARGEST_FACTS:,}"))
    facts = json_value(raw)
    if not isinstance(facts, dict) or facts.get("kind", KIND) != KIND:
        raise DataError(located(part, f"metadata of {shorten(facts)}, expected of a {KIND}"))
    if facts.get("version", VERSION) not in range(1, VERSION + 1):
        raise DataError(located(part, f"version {shorten(facts['version'])}, expected 1 to {VERSION}"))
    _check(part, facts)
    return facts


def _check_types(part: Path, schema: pa.Schema) -> None:
    seat = schema.field("seat").type
    if not (pa.types.is_integer(seat) or pa.types.is_floating(seat) or pa.types.is_null(seat)):
        raise DataError(located(part, f"column 'seat' holds {shorten(seat)}, expected 1 and 2"))
    if "decided" in schema.names and not _is_list(schema.field("decided").type):
        what = f"column 'decided' holds {shorten(schema.field('decided').type)}, expected lists of decisions"
        raise DataError(located(part, what))
    for column in schema:
        if pa.types.is_struct(column.type) or pa.types.is_map(column.type) or pa.types.is_union(column.type):
            what = f"column {shorten(column.name)!r} holds {shorten(column.type)}"
            raise DataError(located(part, f"{what}, expected one text, number, truth value or time a row"))


def _check_size(part: Path) -> None:
    """Refuse row groups that would not fit in memory: each is read as a whole."""
    footer, allowed = parquet_footer(part), bounds()
    for i in range(footer.num_row_groups):
        group = footer.row_group(i)
        values = max((group.column(j).num_values for j in range(group.num_columns)), default=0)
        for n, name, unit in (
            (group.num_rows, "row_group_rows", "rows"),
            (values, "row_group_values", "moves"),
            (group.total_byte_size, "unpacked_bytes", "bytes"),
        ):
            if n > getattr(allowed, name):
                raise beyond(part, f"a row group of {n:,} {unit} (write smaller ones)", name)


def _check(part: Path, facts: Mapping[str, Any]) -> None:
    constants, columns = facts.get("constants", {}), facts.get("seat_columns", [])
    if not isinstance(constants, dict) or not all(map(_is_constant, constants.values())):
        raise DataError(
            located(part, f"constants {shorten(constants)}, expected texts and numbers by column")
        )
    if not isinstance(columns, list) or not all(isinstance(c, str) for c in columns):
        raise DataError(located(part, f"seat_columns {shorten(columns)}, expected a list of names"))
    reserved = [c for c in constants if c in {*_TAKEN, "game_id", "seat", "evidence", "decided", *MOVES}]
    if reserved:
        raise DataError(located(part, f"constants name {reserved[0]!r}, which no condition may be called"))
    rounds = facts.get("rounds", 0)
    if type(rounds) is not int or not isinstance(facts.get("provenance", {}), dict):
        raise DataError(located(part, f"rounds {shorten(rounds)}, expected a whole number"))


def _is_constant(value: Any) -> bool:
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return isinstance(value, str) or (isinstance(value, float) and math.isfinite(value))


def _looked_through(part: Path) -> tuple[int, bool]:
    """Longest list of a part, and whether all are that long and know every move."""
    low, high, whole = bounds().rounds, 0, "evidence" not in parquet_schema(part).names
    file = open_parquet(part)
    for batch in file.iter_batches(1 << 17, columns=list(MOVES), use_threads=False):
        for name in MOVES:
            lengths = pc.list_value_length(batch.column(name))
            limits = pc.min_max(lengths).as_py()
            low, high = min(low, limits["min"] or 0), max(high, limits["max"] or 0)
            whole = whole and not lengths.null_count and not batch.column(name).flatten().null_count
    return high, whole and low == high


Moves = NDArray[np.int8]
Mask = NDArray[np.bool_]


def moves_of(table: pa.Table, rounds: int) -> tuple[Moves, Moves, Mask | None, NDArray[np.int64]]:
    """Moves of the rows of a compact log.

    Parameters
    ----------
    table : Table with the lists ``own``, ``other`` and perhaps ``evidence``
    rounds : int, T

    Returns
    -------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown, also beyond the end of a list
    evidence : (n, T) bool, or None where every known own move counts; all of a row without a list do
    lengths : (n,) int64, rounds played

    Raises
    ------
    DataError
        Lists of a row that differ in length or go beyond T, or values other than true, false, 1, 0 and null.
    LimitError
        n T is more than memory should hold.
    """
    if len(table) * rounds > bounds().row_group_values:
        raise LimitError(
            f"{len(table):,} rows of up to {rounds:,} rounds, over {bounds().row_group_values:,} moves; "
            "one very long game makes all rows long: put it in a log of its own"
        )
    own, lengths = _grid(table.column("own"), rounds, "own")
    other, others = _grid(table.column("other"), rounds, "other")
    if not np.array_equal(lengths, others):
        row = int(np.flatnonzero(lengths != others)[0])
        raise DataError(f"{_name(table, row)}: {lengths[row]} own moves and {others[row]} of the other")
    if "evidence" not in table.column_names or table.column("evidence").null_count == len(table):
        return own, other, None, lengths
    counts, marked = _grid(table.column("evidence"), rounds, "evidence")
    unmarked = table.column("evidence").is_null().to_numpy()
    marked = np.where(unmarked, lengths, marked)
    if not np.array_equal(lengths, marked):
        row = int(np.flatnonzero(lengths != marked)[0])
        raise DataError(f"{_name(table, row)}: {lengths[row]} own moves and {marked[row]} marks of evidence")
    return own, other, (counts != 0) & (own >= 0), lengths


def decisions_of(table: pa.Table, rounds: int, lengths: NDArray[np.int64]) -> Moves | None:
    """Decisions (n, T) of the rows of a compact log, -1 where none is recorded; None where none is at all.

    Parameters
    ----------
    table : Table, perhaps with the lists ``decided``
    rounds : int, T
    lengths : (n,) int64, rounds played

    Raises
    ------
    DataError
        Lists that are not as long as those of the moves, or values other than true, false, 1, 0 and null.
    """
    if "decided" not in table.column_names or table.column("decided").null_count == len(table):
        return None
    decided, sizes = _grid(table.column("decided"), rounds, "decided")
    sizes = np.where(table.column("decided").is_null().to_numpy(), lengths, sizes)
    if not np.array_equal(lengths, sizes):
        row = int(np.flatnonzero(lengths != sizes)[0])
        raise DataError(f"{_name(table, row)}: {lengths[row]} own moves and {sizes[row]} decisions")
    return decided


def as_lists(grid: Any, lengths: NDArray[np.int64]) -> pa.ListArray:
    """The first entries of each row as lists of truth values, -1 as null.

    Parameters
    ----------
    grid : (n, T) int8 or bool
    lengths : (n,) int64
    """
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    inside = np.arange(grid.shape[1]) < lengths[:, None]
    values = grid.reshape(-1) if inside.all() else grid[inside]
    known = values != -1
    flat = pa.array(values == 1, mask=None if known.all() else ~known)
    return pa.ListArray.from_arrays(pa.array(offsets), flat)


def _grid(column: pa.ChunkedArray, rounds: int, name: str) -> tuple[Moves, NDArray[np.int64]]:
    lists = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(lists, pa.ChunkedArray):
        lists = pa.concat_arrays(lists.chunks)
    if lists.null_count and name not in ("evidence", "decided"):
        raise DataError(f"column {name!r} has rows without a list, expected an empty one at least")
    sizes = pc.fill_null(pc.list_value_length(lists), 0)
    lengths: NDArray[np.int64] = sizes.to_numpy(zero_copy_only=False).astype(np.int64)
    flat = lists.flatten()
    if not (pa.types.is_boolean(flat.type) or pa.types.is_integer(flat.type) or pa.types.is_null(flat.type)):
        raise DataError(f"column {name!r} holds lists of {flat.type}, expected of true, false and null")
    try:
        values: Moves = pc.fill_null(pc.cast(flat, pa.int8()), -1).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        values = np.array([2], dtype=np.int8)
    if values.size and not (values.min() >= -1 and values.max() <= 1):
        raise DataError(f"column {name!r} holds numbers other than 1 (cooperate) and 0 (defect)")
    longest = int(lengths.max(initial=0))
    if longest > rounds:
        raise DataError(f"column {name!r} has a list of {longest:,} moves, expected at most {rounds:,}")
    if longest and (lengths == rounds).all():
        return values.reshape(len(lengths), rounds), lengths
    grid: Moves = np.full((len(lengths), rounds), -1, dtype=np.int8)
    grid[np.arange(rounds) < lengths[:, None]] = values
    return grid, lengths


def _name(table: pa.Table, row: int) -> str:
    return f"game {shorten(table.column('game_id')[row].as_py())}"


ROWS = 1 << 17
"""Rows of a row group: what is read, labelled and written at a time."""

_MOVES, _LEAST = 1 << 24, 1 << 10
"""Long games stand in smaller row groups: so many moves, but at least so many rows."""


class CompactWriter:
    """Writes a compact log that may be larger than memory.

    Parameters
    ----------
    path : str or Path
        The file to make.
    overwrite : bool
    constants : mapping of a column of games -> its value in every row
    seat_columns : further columns that describe a seat, not its game
    provenance : mapping

    Raises
    ------
    OutputError
        The path cannot be written, or a chunk has other columns than the first.

    Notes
    -----
    The file appears when the block ends without an error. Row groups have `ROWS` rows (fewer of long games),
    however the rows come in.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        constants: Mapping[str, Any] | None = None,
        seat_columns: tuple[str, ...] = (),
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        self._target = writing(path, overwrite=overwrite)
        self._facts = {
            "kind": KIND,
            "version": VERSION,
            "constants": dict(constants or {}),
            "seat_columns": list(seat_columns),
            "provenance": dict(provenance or {}),
        }
        self._path = path_of(path)
        self._writer: pq.ParquetWriter | None = None
        self._waiting: list[pa.Table] = []
        self._lengths = (1 << 31, 0)
        self._known, self._rows = True, ROWS

    def __enter__(self) -> CompactWriter:
        self._draft = self._target.__enter__()
        return self

    def write(
        self,
        keys: pa.Table,
        own: NDArray[np.int8],
        other: NDArray[np.int8],
        evidence: NDArray[np.bool_] | None = None,
        decided: NDArray[np.int8] | None = None,
    ) -> None:
        """Add rows; a list ends with the last round in which either move is known.

        Parameters
        ----------
        keys : Table with ``game_id`` (text or whole numbers), ``seat`` and columns that describe them
        own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
        evidence : (n, T) bool, optional
            False where an own move replaced an unreadable reply.
        decided : (n, T) int8, optional
            What the player chose; a row of -1 has no decisions recorded.
        """
        known = (own >= 0) | (other >= 0)
        lengths = np.where(known.any(axis=1), known.shape[1] - known[:, ::-1].argmax(axis=1), 0)
        if len(keys):
            low, high = self._lengths
            self._lengths = (min(low, int(lengths.min())), max(high, int(lengths.max())))
            last = int(lengths.max())
            known_moves = not last or min(int(own[:, :last].min()), int(other[:, :last].min())) >= 0
            self._known &= evidence is None and known_moves
        lists = [as_lists(own, lengths), as_lists(other, lengths)]
        names = [*keys.column_names[:2], "own", "other"]
        columns = [*keys.columns[:2], *lists]
        if evidence is not None:
            names.append("evidence")
            columns.append(as_lists(evidence.astype(np.int8), lengths))
        if decided is not None:
            names.append("decided")
            blank = (decided < 0).all(axis=1)
            lists_of = as_lists(decided, np.where(blank, 0, lengths))
            columns.append(pa.ListArray.from_arrays(lists_of.offsets, lists_of.values, mask=pa.array(blank)))
        rows = pa.table([*columns, *keys.columns[2:]], names=[*names, *keys.column_names[2:]])
        if self._waiting and rows.schema.names != self._waiting[0].schema.names:
            raise OutputError(
                f"cannot add to {self._path}: columns {', '.join(rows.column_names)}, in the first chunk "
                f"{', '.join(self._waiting[0].column_names)}"
            )
        self._waiting.append(rows)
        self._rows = max(_LEAST, min(ROWS, _MOVES // max(own.shape[1], 1)))
        while sum(map(len, self._waiting)) >= self._rows:
            self._flush()

    def _flush(self) -> None:
        """Write one row group of what waits."""
        rows = pa.concat_tables(self._waiting, promote_options="permissive").unify_dictionaries()
        self._waiting = [rows.slice(self._rows)] if len(rows) > self._rows else []
        if self._writer is None:
            numbered = pa.types.is_integer(rows.schema.field("game_id").type)
            self._writer = pq.ParquetWriter(
                self._draft,
                rows.schema,
                compression="zstd",
                use_dictionary=[c for c in rows.column_names if c != "game_id"],
                column_encoding={"game_id": "DELTA_BINARY_PACKED" if numbered else "DELTA_BYTE_ARRAY"},
            )
        try:
            self._writer.write_table(
                rows.slice(0, self._rows).cast(self._writer.schema), row_group_size=self._rows
            )
        except (pa.ArrowException, ValueError) as error:
            raise OutputError(f"cannot add to {self._path}: {error}") from None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._finish()
        except BaseException as problem:
            self._close()
            self._target.__exit__(type(problem), problem, None)
            raise
        self._close()
        self._target.__exit__(kind, error, trace)

    def _finish(self) -> None:
        if self._waiting:
            self._flush()
        if self._writer is None:
            raise OutputError(f"cannot write {self._path}: no row was written")
        low, high = self._lengths
        facts = {**self._facts, "rounds": high, "complete": self._known and low == high}
        self._writer.add_key_value_metadata({METADATA_KEY: json.dumps(facts).encode()})

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
