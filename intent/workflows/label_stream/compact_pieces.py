"""Pieces of a compact log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from intent.errors import DataError, UnknownNameError, located, shorten
from intent.logs.compact.layout import CompactLog
from intent.logs.compact.rows import moves_of
from intent.logs.conditions import matches
from intent.logs.trajectories import Trajectories
from intent.workflows.label_stream.pieces import (
    Play,
    Runs,
    constant,
    grouped,
    key_column,
    named,
    said_text,
)

__all__ = ["CompactPiece", "CompactSource"]


_MOVES = ("own", "other", "evidence")
_MOST_MOVES = 1 << 24


@dataclass(frozen=True)
class CompactPiece:
    """Row groups of one part of a compact log.

    Parameters
    ----------
    part : Path
    groups : tuple of int
    n : int, their rows
    rounds, complete : as the log says
    columns : those to read
    texts : those of them that are read by their codes
    keys : columns that describe a trajectory
    filled : column -> value of those that are the same in every row
    where : column -> accepted values
    keep_defaulted : bool
    """

    part: Path
    groups: tuple[int, ...]
    n: int
    rounds: int
    complete: bool
    columns: tuple[str, ...]
    texts: tuple[str, ...]
    keys: tuple[str, ...]
    filled: tuple[tuple[str, Any], ...]
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()
    keep_defaulted: bool = False

    def read(self) -> Play:
        """The play of the row groups.

        Raises
        ------
        DataError
            Rows that are none of a compact log, or not as its facts say.
        LimitError
            Rows whose moves memory should not hold.
        """
        try:
            return self._play(self._table())
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(located(self.part, f"not readable: {shorten(error)}")) from None
        except DataError as error:
            text = str(error)
            raise type(error)(text if text.startswith(self.part.name) else located(self.part, text)) from None

    def _table(self) -> pa.Table:
        found = self.part.stat()
        footer = _footer(self.part, found.st_mtime_ns, found.st_size)
        with pq.ParquetFile(self.part, read_dictionary=list(self.texts), metadata=footer) as file:
            rows = file.read_row_groups(list(self.groups), columns=list(self.columns), use_threads=False)
        return rows.unify_dictionaries().combine_chunks()

    def _play(self, table: pa.Table) -> Play:
        own, other, evidence, _ = moves_of(table, self.rounds)
        if self.complete and (
            evidence is not None or (own.size and min(int(own.min()), int(other.min())) < 0)
        ):
            raise DataError("a move is unknown or no evidence, but the metadata say that the log is complete")
        seat = table.column("seat")
        if seat.null_count or not pc.all(pc.is_in(seat.cast(pa.int64()), pa.array([1, 2]))).as_py():
            raise DataError("a seat other than 1 and 2")
        ids = key_text(table.column("game_id"))
        keys = named((name, self._key(name, table, ids)) for name in self.keys)
        X = Trajectories(own, other, evidence=None if self.keep_defaulted else evidence)
        if self.complete and not self.where:
            return Play(X, keys, Runs.of(ids))
        accepted = self._accepted(keys, table)
        played = ((own >= 0) | (other >= 0)).any(axis=1)
        kept = np.flatnonzero(accepted & played)
        lost = ids.filter(pa.array(accepted & ~played))
        skipped = {"no readable move": Runs.of(lost)} if len(lost) else {}
        return Play(X[kept], keys.take(pa.array(kept)), Runs.of(ids.filter(pa.array(accepted))), skipped)

    def _key(self, name: str, table: pa.Table, ids: pa.Array) -> pa.Array:
        if name == "game_id":
            return ids
        if name in table.column_names:
            return key_column(table.column(name))
        filled = dict(self.filled)
        if name not in filled:
            raise DataError(f"no column {name!r}, which other parts have")
        return constant(filled[name], len(ids))

    def _accepted(self, keys: pa.Table, table: pa.Table) -> Any:
        """(n,) bool, rows that meet the conditions."""
        accepted = np.ones(len(keys), dtype=bool)
        for name, values in self.where:
            column = keys.column(name) if name in keys.column_names else table.column(name)
            accepted &= matches(column.to_pandas(), values)
        return accepted


@dataclass(frozen=True)
class CompactSource:
    """A compact log that is labelled piece by piece.

    Parameters
    ----------
    log : CompactLog
    where : mapping of column -> accepted values
    keep_defaulted : bool

    Raises
    ------
    UnknownNameError
        A condition on a column that the log does not have.
    """

    log: CompactLog
    where: Mapping[str, Sequence[str]]
    keep_defaulted: bool = False
    format = "compact"

    def __post_init__(self) -> None:
        known = [*self.log.types, *self.log.filled]
        for column in self.where:
            if column not in known:
                raise UnknownNameError("column", column, known)

    @property
    def path(self) -> Path:
        """Where the log is."""
        return self.log.path

    @property
    def n(self) -> int:
        """Its rows."""
        return self.log.n

    @property
    def rounds(self) -> int:
        """The longest list of moves."""
        return self.log.rounds

    @property
    def complete(self) -> bool:
        """Whether every move is known, and evidence."""
        return self.log.complete

    @property
    def provenance(self) -> Mapping[str, Any]:
        """As stored with the log."""
        return self.log.provenance

    def pieces(self, size: int) -> Iterator[CompactPiece]:
        """Row groups in order, small ones joined up to `size` rows (fewer of long games)."""
        where = tuple((c, tuple(v)) for c, v in self.where.items())
        filled, types = tuple(self.log.filled.items()), self.log.types
        wanted = {*self.log.keys, *self.where, *_MOVES}
        texts = tuple(c for c in self.log.keys if c != "game_id" and c in types and said_text(types[c]))
        for part, facts in zip(self.log.parts, self.log.files, strict=True):
            sizes = [facts.row_group(i).num_rows for i in range(facts.num_row_groups)]
            for groups, n in grouped(sizes, min(size, _MOST_MOVES // self.rounds)):
                yield CompactPiece(
                    part,
                    groups,
                    n,
                    self.rounds,
                    self.complete,
                    tuple(c for c in types if c in wanted),
                    texts,
                    tuple(self.log.keys),
                    filled,
                    where,
                    self.keep_defaulted,
                )


def key_text(values: pa.ChunkedArray) -> pa.Array:
    """A column of game_id as text.

    Raises
    ------
    DataError
        A row without one.
    """
    column = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks)
    if column.null_count:
        raise DataError("a row without game_id")
    return column if column.type == pa.string() else column.cast(pa.string())


@lru_cache(maxsize=4)
def _footer(part: Path, changed: int, size: int) -> pq.FileMetaData:
    """The footer of a part as it was then: it names every row group, and is read once for all of them."""
    return pq.read_metadata(part)
