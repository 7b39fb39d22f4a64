"""Write a compact log, chunk by chunk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from intent.errors import OutputError
from intent.logs.compact.layout import KIND, VERSION
from intent.logs.compact.rows import as_lists
from intent.logs.output import writing
from intent.logs.tablefile import METADATA_KEY

__all__ = ["ROWS", "CompactWriter"]

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
        self._path = Path(path)
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
            lists_of = as_lists(decided, lengths)
            blank = pa.array((decided < 0).all(axis=1))
            columns.append(pa.ListArray.from_arrays(lists_of.offsets, lists_of.values, mask=blank))
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
