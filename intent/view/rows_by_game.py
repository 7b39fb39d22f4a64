"""Rows of a table by game: kept in a file that is mapped into memory, found by an index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.errors import DataError, LimitError

__all__ = ["LIMIT_COPY", "RowsByGame"]

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
                kept = pa.record_batch(
                    {n: _plain(batch.column(n)) for n in batch.schema.names if n != "game_id"}
                )
                if writer is None:
                    writer = pa.ipc.new_file(sink, kept.schema)
                writer.write_batch(kept)
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
            return self._found(column)
        if self._dictionary is None or not column.dictionary.equals(self._dictionary):
            self._dictionary = column.dictionary
            self._known = np.append(self._found(column.dictionary), np.int32(-1))
        coded: NDArray[np.int32] = self._known[column.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
        return coded

    def _found(self, names: pa.Array) -> NDArray[np.int32]:
        found = pc.index_in(names.cast(self._ids.type), value_set=self._ids).fill_null(-1)
        places: NDArray[np.int32] = found.to_numpy(zero_copy_only=False).astype(np.int32)
        return places


def _plain(column: pa.Array) -> pa.Array:
    """A coded column spelled out: files of record batches hold one dictionary for all of them."""
    if pa.types.is_dictionary(column.type):
        return column.cast(pa.large_string())
    if pa.types.is_null(column.type):
        return column.cast(pa.large_string())
    return column
