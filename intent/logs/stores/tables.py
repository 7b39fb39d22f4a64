"""Stores of one member per table: Parquet (the main one) or CSV, in a folder or a zip, with ``log.json``.

In CSV texts are quoted and nulls are not, so that an empty text and a null stay apart.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection
from pathlib import Path
from types import TracebackType
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from intent.base.binary import Archive, explained, list_members, parquet_table, read_member, write_zip
from intent.base.errors import DataError, OutputError, located, of_file, shorten
from intent.base.files import path_of, writing
from intent.logs.gamelog import GameLog
from intent.logs.stores import FACTS, TABLE_NAMES, describe, dump_facts, load_facts, rebuild

__all__ = [
    "ParquetLogWriter",
    "read_csv",
    "read_parquet",
    "read_tables",
    "write_csv",
    "write_parquet",
]


def read_tables(
    path: str | Path, suffix: str, load: Callable[[Path | Archive, str, dict[str, Any]], pd.DataFrame]
) -> GameLog:
    """A log from a folder or zip of one member per table.

    Parameters
    ----------
    path : folder or zip
    suffix : str, such as ``".csv"``
    load : called with folder or archive, name of the member and stored types of its columns

    Raises
    ------
    DataError
        A member is missing, damaged, or contradicts the others; the message names the path.
    LimitError
        A member is larger than the bound that protects memory.
    """
    source = path_of(path)
    try:
        if source.is_dir():
            return _tables(source, list_members(source), suffix, load)
        with Archive(source) as archive:
            return _tables(archive, archive.names, suffix, load)
    except DataError as error:
        raise of_file(source, error) from None


def _tables(
    source: Path | Archive,
    present: Collection[str],
    suffix: str,
    load: Callable[[Path | Archive, str, dict[str, Any]], pd.DataFrame],
) -> GameLog:
    if isinstance(source, Archive):
        facts = load_facts(source.read(FACTS, bound="object_bytes"))
    else:
        facts = load_facts(read_member(source, FACTS, bound="object_bytes"))
    tables = {
        name: load(source, name + suffix, facts["columns"].get(name, {}))
        for name in TABLE_NAMES
        if name + suffix in present
    }
    return rebuild(tables, facts)


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
        self._path, self._provenance = path_of(path), provenance
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
    target = path_of(path)
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


_ARROW: dict[str, pa.DataType] = {
    "str": pa.string(),
    "Int64": pa.int64(),
    "int64": pa.int64(),
    "Float64": pa.float64(),
    "float64": pa.float64(),
    "boolean": pa.bool_(),
    "bool": pa.bool_(),
}
_LARGEST_BLOCK = 2**31 - 1


def write_csv(log: GameLog, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a log as a folder of CSV files, or as a zip of the same where the path ends in .zip."""
    target = Path(path)
    members = {FACTS: dump_facts(describe(log)).encode()}
    for name, table in log.tables().items():
        members[f"{name}.csv"] = _dump(table)
    with writing(target, overwrite=overwrite) as draft:
        if target.suffix == ".zip":
            write_zip(draft, members, packed=True)
        else:
            draft.mkdir()
            for name, data in members.items():
                (draft / name).write_bytes(data)
    return target


def read_csv(path: str | Path) -> GameLog:
    """Read a log from a folder or zip of CSV files.

    Raises
    ------
    DataError
        A member is missing, damaged, or contradicts the others.
    LimitError
        A member is larger than the bound that protects memory.
    """
    return read_tables(path, ".csv", _load)


def _dump(table: pd.DataFrame) -> bytes:
    arrow = pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None)
    for i, field in enumerate(arrow.schema):
        if pa.types.is_dictionary(field.type) or pa.types.is_null(field.type):
            arrow = arrow.set_column(i, field.name, arrow.column(i).cast(pa.string()))
    sink = io.BytesIO()
    pa.csv.write_csv(arrow, sink, pa.csv.WriteOptions(quoting_style="needed"))
    return sink.getvalue()


def _load(source: Path | Archive, name: str, types: dict[str, Any]) -> pd.DataFrame:
    data = source.read(name) if isinstance(source, Archive) else read_member(source, name)
    kinds = {c: pa.string() if isinstance(kind, dict) else _ARROW[kind] for c, kind in types.items()}
    try:
        arrow = pa.csv.read_csv(
            pa.BufferReader(data),
            read_options=pa.csv.ReadOptions(block_size=min(max(len(data), 1), _LARGEST_BLOCK)),
            parse_options=pa.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            convert_options=pa.csv.ConvertOptions(
                column_types=kinds,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
        frame: pd.DataFrame = arrow.to_pandas(
            types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get
        )
    except (pa.ArrowException, ValueError) as error:
        raise DataError(located(source.name, f"{name} is no readable table: {shorten(error, 200)}")) from None
    return frame
