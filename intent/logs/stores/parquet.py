"""The main store: a folder (or zip) with one Parquet file per table and ``log.json``."""

from __future__ import annotations

import io
from pathlib import Path
from types import TracebackType
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from intent.errors import OutputError, shorten
from intent.files.archive import Archive, write_zip
from intent.files.parquet import explained, parquet_table
from intent.logs.gamelog import GameLog
from intent.logs.output import writing
from intent.logs.stores.layout import (
    FACTS,
    TABLE_NAMES,
    describe,
    dump_facts,
)
from intent.logs.stores.read_tables import read_tables

__all__ = ["ParquetLogWriter", "read_parquet", "write_parquet"]

_CODED = pa.dictionary(pa.int32(), pa.large_string())


class ParquetLogWriter:
    """Writes a log in chunks, so that a corpus larger than memory can be made.

    Parameters
    ----------
    path : str or Path
        The folder to make.
    overwrite : bool
    provenance : mapping, optional
        Facts on the whole log; by default those of the first chunk.

    Raises
    ------
    OutputError
        The path cannot be written, nothing was written, or a chunk has other columns than the first.

    Notes
    -----
    The folder appears when the block ends without an error. That no game_id occurs in two chunks is
    checked when the log is read.

    Examples
    --------
    >>> with ParquetLogWriter("corpus") as writer:  # doctest: +SKIP
    ...     for chunk in chunks:
    ...         writer.write(chunk)
    """

    def __init__(
        self, path: str | Path, *, overwrite: bool = False, provenance: dict[str, Any] | None = None
    ) -> None:
        self._target = writing(path, overwrite=overwrite)
        self._path, self._provenance = Path(path), provenance
        self._facts: dict[str, Any] = {}
        self._writers: dict[str, pq.ParquetWriter] = {}

    def __enter__(self) -> ParquetLogWriter:
        self._folder = self._target.__enter__()
        self._folder.mkdir()
        return self

    def write(self, log: GameLog) -> None:
        """Add the games of a log."""
        facts = describe(log)
        if not self._facts:
            self._facts = facts
            for name, table in log.tables().items():
                self._writers[name] = pq.ParquetWriter(
                    self._folder / f"{name}.parquet", _arrow(table).schema, compression="zstd"
                )
        else:
            self._join(facts["columns"])
        for name, table in log.tables().items():
            self._writers[name].write_table(_arrow(table))

    def _join(self, columns: dict[str, dict[str, Any]]) -> None:
        """Check that a further chunk has the columns of the first, and join its categories."""
        mine = self._facts["columns"]
        for name in TABLE_NAMES:
            first, now = mine.get(name), columns.get(name)
            if first is None or now is None:
                if first is not now:
                    raise OutputError(f"cannot add to {self._path}: table {name} is not in every chunk")
                continue
            for column in dict.fromkeys([*first, *now]):
                a, b = first.get(column), now.get(column)
                if isinstance(a, dict) and isinstance(b, dict):
                    if a["category"] is not None:
                        a["category"] = list(dict.fromkeys([*a["category"], *b["category"]]))
                elif a != b:
                    raise OutputError(
                        f"cannot add to {self._path}: column {shorten(column)!r} of {name} is {b}, "
                        f"in the first chunk {a}"
                    )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for writer in self._writers.values():
            writer.close()
        if kind is None and not self._facts:
            problem = OutputError(f"cannot write {self._path}: no game was written")
            self._target.__exit__(OutputError, problem, None)
            raise problem
        if kind is None:
            if self._provenance is not None:
                self._facts["provenance"] = self._provenance
            (self._folder / FACTS).write_text(dump_facts(self._facts), encoding="utf-8")
        self._target.__exit__(kind, error, trace)


def write_parquet(log: GameLog, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a log as a Parquet folder, or as a zip of the same members where the path ends in .zip."""
    target = Path(path)
    if target.suffix != ".zip":
        with ParquetLogWriter(target, overwrite=overwrite) as writer:
            writer.write(log)
        return target
    facts = dump_facts(describe(log)).encode()
    with writing(target, overwrite=overwrite) as draft:
        members = {FACTS: facts}
        for name, table in log.tables().items():
            sink = io.BytesIO()
            pq.write_table(_arrow(table), sink, compression="zstd")
            members[f"{name}.parquet"] = sink.getvalue()
        write_zip(draft, members, packed=False)
    return target


def read_parquet(path: str | Path) -> GameLog:
    """Read a log from a Parquet folder or zip.

    Raises
    ------
    DataError
        A member is missing, damaged, or contradicts the others.
    LimitError
        A member is larger than the bound that protects memory.
    """
    return read_tables(path, ".parquet", _table)


def _arrow(table: pd.DataFrame) -> pa.Table:
    """The table without pandas' own metadata, coded columns with wide codes so that chunks agree."""
    arrow = pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None)
    for i, field in enumerate(arrow.schema):
        if pa.types.is_dictionary(field.type):
            arrow = arrow.set_column(i, field.name, arrow.column(i).cast(_CODED))
        elif pa.types.is_null(field.type):
            arrow = arrow.set_column(i, field.name, arrow.column(i).cast(pa.large_string()))
    return arrow


def _table(source: Path | Archive, name: str, types: dict[str, Any]) -> pd.DataFrame:
    called = f"{source.name}: {name}"
    where = source.read(name) if isinstance(source, Archive) else source / name
    arrow = parquet_table(where, name=called)
    with explained(called):
        frame: pd.DataFrame = arrow.to_pandas(
            types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get,
            strings_to_categorical=False,
            ignore_metadata=True,
        )
    return frame
