"""Pieces of a compact log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.errors import DataError, UnknownNameError, located, shorten
from intent.logs.compact.gamelog import games_of
from intent.logs.compact.layout import CompactLog
from intent.logs.compact.rows import decisions_of, moves_of
from intent.logs.conditions import matches
from intent.logs.gamelog import KEY_SEAT_COLUMNS, GameLog
from intent.logs.trajectories import Trajectories, unseen_errors
from intent.workflows.log_stream.paired_rows import check_columns, check_pairs, in_seat_order
from intent.workflows.log_stream.pieces import (
    MOST_MOVES,
    Play,
    Runs,
    constant,
    key_column,
    named,
    said_text,
)
from intent.workflows.log_stream.row_groups import RowGroups, cut_parts, games_together

__all__ = ["CompactPiece", "CompactSource"]


_MOVES = ("own", "other", "evidence", "decided")

_BESIDE_NULLS = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
"""Whole numbers and truth values stay such beside nulls, as where the log is read at once."""


@dataclass(frozen=True)
class CompactPiece:
    """Row groups of one part of a compact log.

    Parameters
    ----------
    rows : RowGroups
    rounds, complete : as the log says
    types : column -> whether its texts are read by their codes
    keys : columns that describe a trajectory
    seat_columns : further columns that describe a seat
    filled : column -> value of those that are the same in every row
    where : column -> accepted values
    keep_defaulted : bool
    """

    rows: RowGroups
    rounds: int
    complete: bool
    types: tuple[tuple[str, bool], ...]
    keys: tuple[str, ...]
    seat_columns: tuple[str, ...]
    filled: tuple[tuple[str, Any], ...]
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()
    keep_defaulted: bool = False

    @property
    def n(self) -> int:
        """Rows of the row groups."""
        return self.rows.n

    def read(self) -> Play:
        """The play of the games that begin in the row groups.

        Raises
        ------
        DataError
            Rows that are none of a compact log, or not as its facts say.
        LimitError
            Rows whose moves memory should not hold.
        """
        wanted = {*self.keys, *(c for c, _ in self.where), *_MOVES}
        with self._located():
            return self._play(self._table([c for c, _ in self.types if c in wanted]))

    def games(self) -> GameLog:
        """The same games as tables, those that meet the conditions.

        Raises
        ------
        DataError, LimitError
            As `read`.
        """
        with self._located():
            table = self._table([c for c, _ in self.types])
            log = games_of(table, self.rounds, dict(self.filled), self.seat_columns)
            return log.where(dict(self.where)) if self.where else log

    @contextmanager
    def _located(self) -> Iterator[None]:
        part = self.rows.part
        try:
            yield
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(located(part, f"not readable: {shorten(error)}")) from None
        except DataError as error:
            text = str(error)
            raise type(error)(text if text.startswith(part.name) else located(part, text)) from None

    def _table(self, columns: Sequence[str]) -> pa.Table:
        return self.rows.table(columns, [c for c, coded in self.types if coded and c in columns])

    def _play(self, table: pa.Table) -> Play:
        ids, seat = self._seats(table)
        order = in_seat_order(ids, seat)
        if order is not None:
            table, ids, seat = table.take(pa.array(order)), ids.take(pa.array(order)), seat[order]
        own, other, evidence, lengths = moves_of(table, self.rounds)
        decided = decisions_of(table, self.rounds, lengths)
        if self.complete and (
            evidence is not None or (own.size and min(int(own.min()), int(other.min())) < 0)
        ):
            raise DataError("a move is unknown or no evidence, but the metadata say that the log is complete")
        check_pairs(ids, seat, own, other)
        keys = named((name, self._key(name, table, ids)) for name in self.keys)
        of_seats = {"game_id", "seat", *KEY_SEAT_COLUMNS, *self.seat_columns}
        check_columns(ids, keys, [c for c in self.keys if c in table.column_names and c not in of_seats])
        X = Trajectories(
            own,
            other,
            decided=decided,
            evidence=None if self.keep_defaulted else evidence,
            implementation_error=_unseen_errors(keys, decided),
        )
        if self.complete and not self.where:
            return Play(X, keys, Runs.of(ids))
        accepted = self._accepted(keys, table)
        played = ((own >= 0) | (other >= 0)).any(axis=1)
        kept = np.flatnonzero(accepted & played)
        lost = ids.filter(pa.array(accepted & ~played))
        skipped = {"no readable move": Runs.of(lost)} if len(lost) else {}
        return Play(X[kept], keys.take(pa.array(kept)), Runs.of(ids.filter(pa.array(accepted))), skipped)

    def _seats(self, table: pa.Table) -> tuple[pa.Array, NDArray[np.integer]]:
        seat = table.column("seat")
        if (
            seat.null_count
            or not pc.all(pc.is_in(seat.cast(pa.int64()), pa.array([1, 2])), min_count=0).as_py()
        ):
            raise DataError("a seat other than 1 and 2")
        return key_text(table.column("game_id")), seat.to_numpy()

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
            column = keys.column(name) if name in keys.column_names else key_column(table.column(name))
            accepted &= matches(column.to_pandas(types_mapper=_BESIDE_NULLS.get), values)
        return accepted


def _unseen_errors(keys: pa.Table, decided: NDArray[np.int8] | None) -> NDArray[np.float64] | None:
    """(n,) implementation errors of rows without recorded decisions, None where no game has one."""
    if "implementation_error" not in keys.column_names:
        return None
    errors = keys.column("implementation_error").combine_chunks().cast(pa.float64())
    return unseen_errors(errors.to_numpy(zero_copy_only=False), decided)


@dataclass(frozen=True)
class CompactSource:
    """A compact log that is read piece by piece.

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
        """Row groups in order, small ones joined up to `size` rows (fewer of long games).

        Raises
        ------
        DataError
            Rows of a game that do not follow each other.
        """
        if not games_together(self.log.parts, self.log.files):
            said = "a game_id comes back after other games, expected its rows together"
            raise DataError(located(self.log.path, said))
        where = tuple((c, tuple(v)) for c, v in self.where.items())
        filled = tuple(self.log.filled.items())
        coded = {c for c in self.log.keys if c != "game_id" and c in self.log.types}
        types = tuple((c, c in coded and said_text(kind)) for c, kind in self.log.types.items())
        for rows in cut_parts(self.log.parts, self.log.files, min(size, MOST_MOVES // self.rounds)):
            yield CompactPiece(
                rows,
                self.rounds,
                self.complete,
                types,
                tuple(self.log.keys),
                self.log.seat_columns,
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
