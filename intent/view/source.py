"""Where the games of a library come from.

A log on disk, of which only what is looked at is read.

Tables of a log in Arrow: read with bounds, in batches, and as pandas has them.

Rows of a table by game: kept in a file that is mapped into memory, found by an index.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.base.binary import open_parquet, parquet_rows, parquet_table, read_member
from intent.base.errors import DataError, IntentError, LimitError, located, shorten
from intent.base.files import bounds
from intent.logs.gamelog import GameLog
from intent.logs.stores import ALIKE, FACTS, describe, load_facts, rebuild

__all__ = [
    "DAMAGE",
    "LIMIT_COPY",
    "RowsByGame",
    "Source",
    "StoredLog",
    "batches",
    "check_seats",
    "coded_table",
    "is_current_folder",
    "pandas_frame",
]


DAMAGE = (IntentError, ArithmeticError, LookupError, OSError, TypeError, ValueError, pa.ArrowException)
"""What reading tables raises that nobody vouches for."""


class Source(Protocol):
    """Games and seats as tables in memory, and whole games on demand.

    Attributes
    ----------
    chunk : int
        How many games at a time are best gone through.
    games, seats : Table with game_id
    seat_game : (n_seats,) row of the game of each seat
    notes : list of str
        What was found on the way.
    """

    chunk: int
    games: pa.Table
    seats: pa.Table
    seat_game: NDArray[np.intp]
    notes: list[str]

    @property
    def provenance(self) -> dict[str, Any]:
        """Facts on where the games come from."""

    @property
    def ready(self) -> bool:
        """Whether any game can be had at once."""

    def prepare(self) -> None:
        """Do what makes it ready; may take seconds."""

    def refresh(self, most: int = ...) -> set[str] | None:
        """Read what has changed; the names of changed games, None where nothing has."""

    def log(self, games: Sequence[int] | NDArray[np.intp]) -> GameLog:
        """Some games, by their rows in `games`, in that order, as a log of their own."""

    def close(self) -> None:
        """Give up what is held."""


_BATCH = 1 << 16
_TYPES = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


def check_seats(seats: pa.Table) -> None:
    """Refuse seats that are no small whole numbers.

    Raises
    ------
    DataError
    """
    number = seats["seat"] if "seat" in seats.column_names else pa.chunked_array([], pa.null())
    whole = pa.types.is_integer(number.type) and not number.null_count
    if whole and len(number):
        span = pc.min_max(number).as_py()
        whole = 1 <= span["min"] <= span["max"] <= bounds().seats
    if not whole:
        raise DataError(f"table seats: column 'seat' is no number from 1 to {bounds().seats:,}")


def coded_table(folder: Path, name: str) -> pa.Table:
    """A table of a Parquet folder, its texts coded.

    Raises
    ------
    DataError
        There is none.
    LimitError
        It is larger than what may be held in memory.
    """
    path = folder / f"{name}.parquet"
    if not path.is_file():
        raise DataError(located(folder, f"no table {name}"))
    return parquet_table(path, name=f"{folder.name}: {path.name}", coded=True)


def batches(part: Path | pa.Table) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file or a table, some at a time."""
    if isinstance(part, Path):
        with open_parquet(part) as file:
            yield from file.iter_batches(_BATCH)
    else:
        yield from part.to_batches(_BATCH)


def pandas_frame(table: pa.Table) -> pd.DataFrame:
    """The table in the types that `intent.logs.stores.rebuild` starts from."""
    plain = table.cast(
        pa.schema(
            [
                pa.field(f.name, pa.large_string() if pa.types.is_dictionary(f.type) else f.type)
                for f in table.schema
            ]
        )
    )
    frame: pd.DataFrame = plain.to_pandas(ignore_metadata=True, types_mapper=_TYPES.get)
    return frame


LIMIT_COPY = 16 * 1024**3
"""Most bytes that a table may take on the disk."""


class RowsByGame:
    """The rows of moves or questions, those of some games at a time.

    A Parquet file gives rows only by the hundred thousand. The rows are copied once, as they stand, to an
    Arrow file, whose slices cost nothing and which the system keeps in memory only as far as it is read.

    Parameters
    ----------
    table : Table, without game_id
    starts : (n_games + 1,) where the rows of each game begin in `order`
    order : (m,) row numbers sorted by game, or None where the rows are
    """

    def __init__(self, table: pa.Table, starts: NDArray[np.int64], order: NDArray[np.int64] | None) -> None:
        self._table, self._starts, self._order = table, starts, order

    @classmethod
    def build(cls, batches: Iterable[pa.RecordBatch], game_ids: pa.Array, path: Path) -> RowsByGame:
        """Copy the rows to a file, and index them.

        Parameters
        ----------
        batches : record batches with a column game_id
        game_ids : (n_games,) texts; rows of other games are not found again
        path : file to make

        Raises
        ------
        DataError
            No column game_id.
        LimitError
            The file would grow beyond all measure.
        """
        codes: list[NDArray[np.int32]] = []
        places = _Places(game_ids)
        writer = None
        with pa.OSFile(str(path), "wb") as sink:
            for batch in batches:
                if "game_id" not in batch.schema.names:
                    raise DataError("a table of the log has no column 'game_id'")
                codes.append(places.of(batch.column("game_id")))
                whole = pa.record_batch(
                    {n: _plain(batch.column(n)) for n in batch.schema.names if n != "game_id"}
                )
                if writer is None:
                    writer = pa.ipc.new_file(sink, whole.schema)
                writer.write_batch(whole)
                if sink.tell() > LIMIT_COPY:
                    raise LimitError(f"a table of the log unpacks to more than {LIMIT_COPY:,} bytes")
            if writer is not None:
                writer.close()
        if writer is None:
            return cls(pa.table({}), np.zeros(len(game_ids) + 1, dtype=np.int64), None)
        every = np.concatenate(codes)
        order = None
        if len(every) > 1 and (np.diff(every) < 0).any():
            order = np.argsort(every, kind="stable").astype(np.int64)
            every = every[order]
        starts = np.searchsorted(every, np.arange(len(game_ids) + 1)).astype(np.int64)
        return cls(pa.ipc.open_file(pa.memory_map(str(path))).read_all(), starts, order)

    def rows(self, games: Sequence[int] | NDArray[np.intp]) -> tuple[pa.Table, NDArray[np.intp]]:
        """The rows of some games, in their order within each, and which of `games` each belongs to."""
        spans = [(int(self._starts[g]), int(self._starts[g + 1])) for g in games]
        owner = np.repeat(np.arange(len(spans)), [b - a for a, b in spans])
        if self._order is None:
            runs = _joined(spans)
        else:
            chosen = [self._order[a:b] for a, b in spans]
            numbers = np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)
            breaks = np.flatnonzero(np.diff(numbers) != 1) + 1
            runs = [(int(p[0]), int(p[-1]) + 1) for p in np.split(numbers, breaks) if len(p)]
        if not runs:
            return self._table.slice(0, 0), owner
        return pa.concat_tables([self._table.slice(a, b - a) for a, b in runs]), owner


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that follow on each other as one."""
    runs: list[tuple[int, int]] = []
    for a, b in spans:
        if runs and runs[-1][1] == a:
            runs[-1] = (runs[-1][0], b)
        elif b > a:
            runs.append((a, b))
    return runs


class _Places:
    """Place of game identifiers among all of them; batches of one part of a file share their dictionary."""

    def __init__(self, game_ids: pa.Array) -> None:
        self._ids = game_ids
        self._dictionary: pa.Array | None = None
        self._known = np.zeros(0, dtype=np.int32)

    def of(self, column: pa.Array) -> NDArray[np.int32]:
        """Place of each game_id, -1 for none."""
        if not pa.types.is_dictionary(column.type):
            return self._places(column)
        if self._dictionary is None or not column.dictionary.equals(self._dictionary):
            self._dictionary = column.dictionary
            self._known = np.append(self._places(column.dictionary), np.int32(-1))
        coded: NDArray[np.int32] = self._known[column.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
        return coded

    def _places(self, names: pa.Array) -> NDArray[np.int32]:
        index = pc.index_in(names.cast(self._ids.type), value_set=self._ids).fill_null(-1)
        places: NDArray[np.int32] = index.to_numpy(zero_copy_only=False).astype(np.int32)
        return places


def _plain(column: pa.Array) -> pa.Array:
    """A coded column spelled out: files of record batches hold one dictionary for all of them."""
    if pa.types.is_dictionary(column.type):
        return column.cast(pa.large_string())
    if pa.types.is_null(column.type):
        return column.cast(pa.large_string())
    return column


_PATIENCE = 1.0
"""Seconds to wait for the copy of the moves, before searching for those of a game takes less time."""

_ROUNDS = 200_000
"""Rounds of the games that are gone through at a time, where games are long."""

_ID = pa.large_string()


class StoredLog:
    """Games and seats in memory, moves and questions game by game.

    Parameters
    ----------
    games, seats : Table
    facts : as `intent.logs.stores.describe`
    parts : mapping of ``"moves"`` and perhaps ``"questions"`` -> Parquet file, or table

    Raises
    ------
    DataError
        Games without or with the same identifier, or seats of no game.

    Attributes
    ----------
    games, seats : Table
    seat_game : (n_seats,) row in `games` of each seat
    """

    chunk = 1_000

    def __init__(
        self, games: pa.Table, seats: pa.Table, facts: dict[str, Any], parts: dict[str, Path | pa.Table]
    ) -> None:
        self.games, self.seats, self._facts, self._parts = games, seats, facts, parts
        for name, table in (("games", games), ("seats", seats)):
            if "game_id" not in table.column_names or table["game_id"].null_count:
                raise DataError(f"table {name} has no column 'game_id', or it is null somewhere")
        check_seats(seats)
        self.ids: pa.Array = (
            pa.concat_arrays(games["game_id"].cast(_ID).chunks) if len(games) else pa.array([], _ID)
        )
        if pc.count_distinct(self.ids).as_py() != len(games):
            raise DataError("a game_id occurs twice, expected unique identifiers")
        index = pc.index_in(seats["game_id"].cast(_ID), value_set=self.ids)
        if index.null_count:
            raise DataError("table seats has rows of no game")
        self.seat_game: NDArray[np.intp] = index.to_numpy().astype(np.intp)
        self._seats_by_game = np.argsort(self.seat_game, kind="stable")
        self._seat_starts = np.searchsorted(self.seat_game[self._seats_by_game], np.arange(len(games) + 1))
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._rows: dict[str, RowsByGame] = {}
        self.notes: list[str] = []
        self._lock = threading.Lock()
        self.chunk = max(1, min(self.chunk, _ROUNDS // _longest(games)))

    @classmethod
    def of_folder(cls, folder: Path) -> StoredLog:
        """A Parquet folder, of which the moves are left where they are.

        Raises
        ------
        DataError
            It is none, or damaged.
        """
        facts = load_facts(read_member(folder, FACTS, bound="object_bytes"))
        try:
            games, seats = (coded_table(folder, name) for name in ("games", "seats"))
            parts: dict[str, Path | pa.Table] = {
                name: folder / f"{name}.parquet"
                for name in ("moves", "questions")
                if (folder / f"{name}.parquet").is_file()
            }
            if "moves" not in parts:
                raise DataError(located(folder, "no table moves"))
            return cls(games, seats, facts, parts)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(located(folder, f"no readable Parquet: {shorten(error, 200)}")) from None

    @classmethod
    def of_log(cls, log: GameLog) -> StoredLog:
        """A log in memory; it can be let go once `prepare` has run."""
        tables = {
            name: pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None)
            for name, table in log.tables().items()
        }
        parts: dict[str, Path | pa.Table] = {n: t for n, t in tables.items() if n in ("moves", "questions")}
        return cls(tables["games"], tables["seats"], describe(log), parts)

    @property
    def provenance(self) -> dict[str, Any]:
        """Facts on where the log comes from."""
        return dict(self._facts.get("provenance") or {})

    @property
    def ready(self) -> bool:
        """Whether any game can be had at once."""
        return bool(self._rows)

    def prepare(self) -> None:
        """Copy moves and questions to a temporary file from which any game is read at once.

        Some seconds for millions of moves; until then `log` finds its rows by reading through the file.

        Raises
        ------
        DataError
            They are damaged, or do not fit on the disk.
        """
        with self._lock:
            if self._rows:
                return
            self._folder = tempfile.TemporaryDirectory(prefix="intent-view-", ignore_cleanup_errors=True)
            folder = Path(self._folder.name)
            try:
                rows = {
                    name: RowsByGame.build(batches(part), self.ids, folder / name)
                    for name, part in self._parts.items()
                }
            except (pa.ArrowException, OSError) as error:
                raise DataError(f"the moves cannot be read: {shorten(error, 200)}") from None
            self._rows, self._parts = rows, {}

    def refresh(self, most: int = 0) -> set[str] | None:
        """Nothing changes."""
        return None

    def log(self, games: Sequence[int] | NDArray[np.intp]) -> GameLog:
        """Some games, by their rows, as a log of their own.

        Raises
        ------
        DataError
            The tables contradict each other.
        """
        places = np.asarray(games, dtype=np.intp)
        seats = [self._seats_by_game[self._seat_starts[g] : self._seat_starts[g + 1]] for g in places]
        tables = {
            "games": pandas_frame(self.games.take(pa.array(places, pa.int64()))),
            "seats": pandas_frame(
                self.seats.take(pa.array(np.concatenate(seats) if seats else places, pa.int64()))
            ),
        }
        self._await()
        parts, rows = self._parts, self._rows
        for name in rows or parts:
            tables[name] = self._indexed(rows[name], places) if rows else self._searched(parts[name], places)
        facts = {**self._facts, "columns": {n: c for n, c in self._facts["columns"].items() if n in tables}}
        return rebuild(tables, facts)

    def _await(self) -> None:
        """Let the copying end, if it is under way and near its end."""
        if not self._rows and self._lock.acquire(timeout=_PATIENCE):
            self._lock.release()

    def _indexed(self, rows: RowsByGame, places: NDArray[np.intp]) -> pd.DataFrame:
        table, owner = rows.rows(places)
        return pandas_frame(
            table.append_column("game_id", self.ids.take(pa.array(places[owner], pa.int64())))
        )

    def _searched(self, part: Path | pa.Table, places: NDArray[np.intp]) -> pd.DataFrame:
        wanted = self.ids.take(pa.array(places, pa.int64()))
        if isinstance(part, Path):
            return pandas_frame(parquet_rows(part, "game_id", wanted.to_pylist()))
        return pandas_frame(part.filter(pc.is_in(part["game_id"].cast(_ID), value_set=wanted)))

    def close(self) -> None:
        """Remove the temporary files."""
        with self._lock:
            self._rows = {}
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None


def _longest(games: pa.Table) -> int:
    """Rounds of the longest game, as far as the table says."""
    if "rounds_played" not in games.column_names or not pa.types.is_integer(games["rounds_played"].type):
        return 1
    return max(1, pc.max(games["rounds_played"]).as_py() or 1)


def is_current_folder(folder: Path) -> bool:
    """Whether this is a Parquet folder in the present layout, which can be read in parts."""
    if not folder.is_dir() or not (folder / "games.parquet").is_file():
        return False
    facts = load_facts(read_member(folder, FACTS, bound="object_bytes"))
    return bool(facts["intent_log"] in ALIKE)
