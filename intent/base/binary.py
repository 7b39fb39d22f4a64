"""Parquet from untrusted hands: the footer is checked before a row is read, texts are counted as codes.

A footer says how many rows there are and how large they are; equal values take next to nothing on disk. So
rows and cells are held against the size of the file, and texts are read by their codes and spelled out
only where that fits in memory.

Arrays of numbers in safetensors, from untrusted hands.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from intent.base.errors import DataError, LimitError, located, one_line, shorten
from intent.base.files import beyond, bounds, raising
from intent.base.json_text import check_json
from intent.base.remote import is_remote, path_of

__all__ = [
    "check_names",
    "check_whole",
    "explained",
    "open_parquet",
    "parquet_footer",
    "parquet_rows",
    "parquet_schema",
    "parquet_table",
    "read_arrays",
    "spelled",
]


_MAGIC = b"PAR1"
_MANY_CHUNKS = 256


def open_parquet(
    source: str | Path | bytes,
    *,
    name: str | None = None,
    coded: Sequence[str] = (),
    footer: pq.FileMetaData | None = None,
) -> pq.ParquetFile:
    """A Parquet file whose footer is within `Bounds`; no row is read yet.

    Parameters
    ----------
    source : path, or the bytes of a file
    name : str, optional
        What messages call it; default: the name of the file.
    coded : names of columns whose texts are read by their codes
    footer : of the file, where it is known already

    Raises
    ------
    DataError
        It is no Parquet file.
    LimitError
        Its footer, or its number of columns, goes beyond the bounds.
    """
    called = name or ("table" if isinstance(source, bytes) else Path(source).name)
    with explained(called):
        if footer is None:
            _check_ends(source, called)
        most = bounds().footer_bytes
        file = pq.ParquetFile(
            _stream(source),
            pre_buffer=is_remote(source),
            read_dictionary=list(coded),
            metadata=footer,
            thrift_string_size_limit=most,
            thrift_container_size_limit=most,
        )
        facts = file.metadata
        if facts.num_columns > bounds().columns:
            raise beyond(called, f"{facts.num_columns:,} columns", "columns")
        if facts.num_row_groups > bounds().row_groups:
            raise beyond(called, f"{facts.num_row_groups:,} row groups", "row_groups")
        if facts.num_rows < 0 or any(
            facts.row_group(i).num_rows < 0 for i in range(min(1, facts.num_row_groups))
        ):
            raise DataError(located(called, "a footer that counts less than no rows, it is damaged"))
    return file


def parquet_footer(path: str | Path) -> pq.FileMetaData:
    """What a Parquet file says of its row groups.

    Raises
    ------
    DataError, LimitError
        As `open_parquet`.
    """
    with open_parquet(path) as file:
        return file.metadata


def parquet_schema(path: str | Path) -> pa.Schema:
    """Names and types of the columns of a Parquet file, with the metadata that was stored with them.

    Raises
    ------
    DataError, LimitError
        As `open_parquet`.
    """
    with open_parquet(path) as file:
        schema: pa.Schema = file.schema_arrow
    return schema


def parquet_rows(path: str | Path, column: str, values: Sequence[str]) -> pa.Table:
    """The rows in which a column has one of some values.

    Raises
    ------
    DataError, LimitError
        As `open_parquet`.
    """
    called = Path(path).name
    with open_parquet(path, name=called), explained(called):
        return pq.read_table(_stream(path), filters=[(column, "in", list(values))])


def parquet_table(
    source: str | Path | bytes,
    *,
    name: str | None = None,
    columns: Sequence[str] | None = None,
    coded: bool = False,
) -> pa.Table:
    """A whole Parquet file within `Bounds`, its texts spelled out unless `coded`.

    Raises
    ------
    DataError
        It is no Parquet file, or two columns have one name.
    LimitError
        Rows, cells, or the texts spelled out go beyond the bounds.
    """
    called = name or ("table" if isinstance(source, bytes) else Path(source).name)
    with open_parquet(source, name=called) as plain:
        schema, facts = plain.schema_arrow, plain.metadata
        check_whole(facts, called, _size(source))
        check_names(schema.names, called)
        texts = _text_columns(plain)
    if columns is not None:
        texts = {path: long for path, long in texts.items() if path.split(".")[0] in columns}
    short = [path for path, long in texts.items() if not long]
    with open_parquet(source, name=called, coded=short, footer=facts) as file, explained(called):
        names = list(schema.names) if columns is None else list(columns)
        long = [name for name in names if any(path.split(".")[0] == name for path in set(texts) - set(short))]
        table = file.read(columns=[name for name in names if name not in long])
        for name in long:
            table = table.append_column(name, _in_steps(file, name, called))
        table = table.select(names)
        metadata = {k: v for k, v in (table.schema.metadata or {}).items() if k != b"pandas"}
        table = table.replace_schema_metadata(metadata or None)  # pandas would believe any index in it
        return table.unify_dictionaries() if coded else spelled(table, called, schema)


def _text_columns(file: pq.ParquetFile) -> dict[str, bool]:
    """Path of each column of texts -> whether its texts are stored as what differs from the text before.

    Such texts have no codes, and repeat a long beginning at the cost of a byte.
    """
    facts = file.metadata
    repeated = {}
    for j in range(facts.num_columns):
        column = file.schema.column(j)
        if column.physical_type != "BYTE_ARRAY":
            continue
        chunks = [facts.row_group(i).column(j).encodings for i in range(facts.num_row_groups)]
        known = all({"RLE_DICTIONARY", "PLAIN_DICTIONARY", "PLAIN"} & set(chunk) for chunk in chunks)
        repeated[column.path] = not known or any("DELTA_BYTE_ARRAY" in chunk for chunk in chunks)
    return repeated


def _in_steps(file: pq.ParquetFile, name: str, called: str) -> pa.ChunkedArray:
    """A column some rows at a time, so that texts that unfold are found before they fill the memory."""
    facts, most = file.metadata, bounds().unpacked_bytes
    stored = sum(max(0, facts.row_group(i).total_byte_size) for i in range(facts.num_row_groups))
    step = min(max(most // 8 // max(stored, 1), 1 << 9), 1 << 16)
    chunks, total = [], 0
    for batch in file.iter_batches(step, columns=[name], use_threads=False):
        total += batch.nbytes
        if total > most:
            what = f"texts of column {shorten(one_line(name))!r} take more than {most:,} bytes"
            raise LimitError(located(called, f"{what}; {raising('unpacked_bytes')}"))
        chunks.append(batch.column(0))
    return pa.chunked_array(chunks, file.schema_arrow.field(name).type)


def check_whole(facts: pq.FileMetaData, name: str, size: int) -> None:
    """Refuse a table that is too large to be read at once.

    Parameters
    ----------
    facts : footer
    name : str, what messages call the file
    size : int, bytes of the file on disk

    Raises
    ------
    LimitError
    """
    allowed = bounds()
    rows, cells = facts.num_rows, facts.num_rows * facts.num_columns
    groups = [facts.row_group(i) for i in range(facts.num_row_groups)]
    unpacked = sum(max(0, group.total_byte_size) for group in groups)
    values = sum(max(0, group.column(j).num_values) for group in groups for j in range(group.num_columns))
    cells = max(cells, values)
    if rows > allowed.rows:
        raise beyond(name, f"{rows:,} rows", "rows")
    if cells > allowed.cells:
        raise beyond(name, f"{rows:,} rows, {cells:,} cells", "cells")
    if unpacked > allowed.unpacked_bytes:
        raise beyond(name, f"{rows:,} rows, {unpacked:,} bytes unpacked", "unpacked_bytes")
    if max(cells, unpacked) > allowed.ratio_from and max(cells, unpacked) > allowed.ratio * size:
        what = f"{size:,} bytes hold {rows:,} rows, {cells:,} cells, {unpacked:,} bytes"
        raise LimitError(located(name, f"{what}, over {allowed.ratio} to 1; {raising('ratio')}"))


def check_names(names: Sequence[str], place: str) -> None:
    """Refuse a table in which two columns have one name.

    Raises
    ------
    DataError
    """
    name, n = Counter(names).most_common(1)[0] if names else ("", 0)
    if n > 1:
        raise DataError(located(place, f"two columns are called {shorten(one_line(name))!r}"))


def spelled(table: pa.Table, name: str, schema: pa.Schema) -> pa.Table:
    """The table with coded texts as they are stored, once it is sure that they fit in memory.

    Parameters
    ----------
    table : Table
    name : str, what messages call the file
    schema : Schema
        As the columns are stored.

    Raises
    ------
    LimitError
        Texts of more than ``unpacked_bytes``.
    """
    most, total = bounds().unpacked_bytes, 0
    if any(column.num_chunks > _MANY_CHUNKS for column in table.columns):
        table = table.unify_dictionaries().combine_chunks()
    for i, field in enumerate(table.schema):
        kind = schema.field(field.name).type
        if field.type == kind:
            continue
        column = table.column(i)
        length = sum(map(_length, column.chunks))
        total += length
        if total > most:
            what = f"texts of column {shorten(one_line(field.name))!r} and those before it take {total:,}"
            raise LimitError(
                located(name, f"{what} bytes, expected at most {most:,}; {raising('unpacked_bytes')}")
            )
        if length >= 2**31 - 1 and pa.types.is_string(kind):
            kind = pa.large_string()
        table = table.set_column(i, pa.field(field.name, kind), column.cast(kind))
    return table


def _length(chunk: pa.Array) -> int:
    """Bytes of the texts of a coded column, of those in lists too."""
    if pa.types.is_list(chunk.type) or pa.types.is_large_list(chunk.type):
        return _length(chunk.flatten())
    if not pa.types.is_dictionary(chunk.type):
        return int(chunk.nbytes)
    if not len(chunk) or not len(chunk.dictionary):
        return 0
    sizes = pc.fill_null(pc.binary_length(chunk.dictionary), 0).to_numpy(zero_copy_only=False)
    codes = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
    counts = np.bincount(codes, minlength=len(sizes))
    return int((counts.astype(np.float64) * sizes).sum())


def _size(source: str | Path | bytes) -> int:
    return len(source) if isinstance(source, bytes) else path_of(source).stat().st_size


def _stream(source: str | Path | bytes) -> Any:
    if isinstance(source, bytes):
        return pa.BufferReader(source)
    return path_of(source).open("rb") if is_remote(source) else str(source)


def _check_ends(source: str | Path | bytes, name: str) -> None:
    """Refuse a file without the marks of Parquet, or with a footer beyond its size or the bounds."""
    allowed = bounds()
    size = _size(source)
    if isinstance(source, bytes):
        tail = source[-8:]
    else:
        with path_of(source).open("rb") as stream:
            stream.seek(max(0, size - 8))
            tail = stream.read(8)
    if size < 12 or tail[4:] != _MAGIC:
        what = "encrypted" if tail[4:] == b"PARE" else "its end is missing or it is no Parquet"
        raise DataError(located(name, f"no readable Parquet ({what})"))
    (length,) = struct.unpack("<I", tail[:4])
    if length > allowed.footer_bytes:
        raise beyond(name, f"{length:,} bytes of footer", "footer_bytes")
    if size > allowed.disk_bytes:
        raise beyond(name, f"{size:,} bytes", "disk_bytes")


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Whatever Arrow and the system complain of becomes a DataError of one line that names the file.

    Raises
    ------
    DataError
    """
    try:
        yield
    except (DataError, KeyboardInterrupt):
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError, KeyError, IndexError, TypeError) as error:
        raise DataError(located(name, f"no readable Parquet ({one_line(error, 160)})")) from None


def read_arrays(content: bytes, source: str) -> dict[str, NDArray[Any]]:
    """The arrays of a safetensors file, by name.

    Parameters
    ----------
    content : bytes of the file
    source : str
        Name of the file, for messages.

    Raises
    ------
    DataError
        It is none.
    LimitError
        It goes beyond ``numbers_bytes`` of `Bounds`.
    """
    from safetensors.numpy import load

    if len(content) > bounds().numbers_bytes:
        raise beyond(source, f"{len(content):,} bytes", "numbers_bytes")
    try:
        (length,) = struct.unpack("<Q", content[:8])
        if length > len(content):
            raise ValueError("its header reaches beyond its end")
        check_json(content[8 : 8 + length])
        arrays: dict[str, NDArray[Any]] = load(content)
    except Exception as error:  # noqa: BLE001 - the library raises types of its own, and those of NumPy
        raise DataError(f"{source}: no readable arrays ({one_line(error, 160)})") from None
    return arrays
