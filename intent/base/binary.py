"""Files from untrusted hands that are no text: Parquet, arrays of numbers, SQLite, folders and zip archives.

A footer of Parquet says how many rows there are and how large they are; equal values take next to nothing on
disk. So rows and cells are held against the size of the file before a row is read, and texts are read by
their codes and spelled out only where that fits in memory. Arrays of numbers come in safetensors. SQLite has
its limits set, and nothing in a file computes. A folder or archive is opened once, every member within
bounds, and nothing is unpacked to disk.
"""

from __future__ import annotations

import io
import sqlite3
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from intent.base.errors import DataError, LimitError, located, one_line, shorten
from intent.base.files import beyond, bounds, check_json, is_remote, path_of, raising

__all__ = [
    "LONGEST_CELL",
    "Archive",
    "check_names",
    "check_whole",
    "explained",
    "list_members",
    "open_database",
    "open_parquet",
    "parquet_footer",
    "parquet_rows",
    "parquet_schema",
    "parquet_table",
    "read_arrays",
    "read_member",
    "spelled",
    "transaction",
    "write_zip",
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


LONGEST_CELL = 256 * 1024**2
"""Bytes of one text of a database."""

_MOST_COLUMNS = 200


def open_database(
    path: str | Path, *, timeout: float, uri: bool = False, cell: int = LONGEST_CELL
) -> sqlite3.Connection:
    """A connection without transactions of its own, that runs nothing which the file brings along.

    Parameters
    ----------
    path : path, ``":memory:"``, or a URI
    timeout : float, seconds to wait for another process
    uri : bool, whether `path` is one
    cell : int, bytes of the longest text

    Raises
    ------
    sqlite3.Error
        It cannot be opened.
    LimitError
        It is larger than ``disk_bytes`` of `Bounds`.
    """
    if (
        not uri
        and str(path) != ":memory:"
        and Path(path).is_file()
        and Path(path).stat().st_size > bounds().disk_bytes
    ):
        raise beyond(path, "more bytes", "disk_bytes")
    connection = sqlite3.connect(path, timeout=timeout, isolation_level=None, uri=uri)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, cell)
    connection.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, _MOST_COLUMNS)
    connection.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA cell_size_check=ON")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Everything in the block or, where an error leaves it, nothing; other writers wait from its beginning.

    Raises
    ------
    sqlite3.Error
        Whatever SQLite complains of.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        # SQLite undoes it by itself where the disk is full, and then complains of this one.
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


_EPOCH = (1980, 1, 1, 0, 0, 0)
_ZSTD = 93
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTD})
_STEP = 1024**2
_LOCAL = 30
"""Bytes of the header before each member, without its name."""

_END = b"PK\x05\x06"
_END_LARGE = b"PK\x06\x06"
_ENTRY = b"PK\x01\x02"
_TAIL = 22 + 65_535 + 20 + 56
"""Bytes at the end of an archive that say where its directory lies, with a comment and the large form."""


class Archive:
    """A zip archive that nobody vouches for.

    What it says of itself is checked when it is opened: the number of members, their names (each once, none
    that leads elsewhere), that no two share bytes, and what they would unpack to. What they do unpack to is
    bounded again while they are read, each and all together.

    Parameters
    ----------
    source : path, or the bytes of an archive
    name : str, optional
        What messages call it; default: the name of the file.
    bound : str
        Field of `Bounds` with the most bytes that all members unpack to.
    last : bool
        Whether of members of one name the last counts, as in archives that are only ever added to.
    partial : bool
        Whether an archive without a readable directory, as one that is cut short, is read as far as its
        members are whole; whoever asks for that says what is in `gap`.

    Attributes
    ----------
    gap : str
        Why members may be missing; empty where none is.

    Raises
    ------
    DataError
        It is no archive, or contradicts itself.
    LimitError
        It goes beyond `Bounds`.
    """

    def __init__(
        self,
        source: str | Path | bytes,
        *,
        name: str | None = None,
        bound: str = "unpacked_bytes",
        last: bool = False,
        partial: bool = False,
    ) -> None:
        self.gap = ""
        self._zip: zipfile.ZipFile | None = None
        self.name = name or ("archive" if isinstance(source, bytes) else Path(source).name)
        self._bound, self._limit, self._last = bound, getattr(bounds(), bound), last
        self._unpacked = 0
        try:
            self._stream = io.BytesIO(source) if isinstance(source, bytes) else Path(source).open("rb")  # noqa: SIM115
        except OSError as error:
            raise DataError(f"cannot read {self.name}: {error.strerror or error}") from None
        try:
            self._size = self._stream.seek(0, io.SEEK_END)
            try:
                _check_directory(self._stream, self._size, self.name)
                self._zip = zipfile.ZipFile(self._stream)
            except _DAMAGE:
                if not partial:
                    raise
                entries, self.gap = _whole_members(self._stream, self._size, self.name)
            else:
                entries = self._zip.infolist()
            self._members = self._checked(entries)
        except (DataError, *_DAMAGE) as error:
            self._stream.close()
            if isinstance(error, DataError):
                raise
            raise DataError(located(self.name, f"no readable zip archive: {one_line(error)}")) from None

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._zip is not None:
            self._zip.close()
        self._stream.close()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the members, in the order of the archive."""
        return tuple(self._members)

    def _checked(self, entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        allowed = bounds()
        members: dict[str, zipfile.ZipInfo] = {}
        for info in entries:
            name = info.filename
            if name in members and not self._last:
                raise DataError(located(self.name, f"two members are called {shorten(name)!r}"))
            parts = name.replace("\\", "/").split("/")
            if ".." in parts or name.startswith(("/", "\\")) or ":" in parts[0] or not name.isprintable():
                what = f"a member is called {shorten(one_line(name))!r}, which leads out of it"
                raise DataError(located(self.name, what))
            members[name] = info
        total = sum(info.file_size for info in entries)
        if total > self._limit:
            what = f"its members unpack to {total:,} bytes, expected at most {self._limit:,}"
            raise LimitError(located(self.name, f"{what}; {raising(self._bound)}"))
        if total > allowed.ratio_from and total > allowed.ratio * self._size:
            what = f"{self._size:,} bytes unpack to {total:,}, over {allowed.ratio} to 1"
            raise LimitError(located(self.name, f"{what}; {raising('ratio')}"))
        end = 0
        for info in sorted(entries, key=lambda one: one.header_offset):
            if info.header_offset < end:
                raise DataError(
                    located(self.name, f"member {shorten(info.filename)!r} shares bytes with another")
                )
            end = info.header_offset + _LOCAL + info.compress_size
        if end > self._size:
            raise DataError(
                located(self.name, "members reach beyond the end of the archive, which is cut or damaged")
            )
        return members

    def read(self, name: str, *, bound: str | None = None) -> bytes:
        """The bytes of one member, packed by deflate or zstd, or not packed.

        Parameters
        ----------
        name : str
        bound : str, optional
            Field of `Bounds` with the most bytes; default: that of the archive.

        Raises
        ------
        DataError
            There is none, or it is damaged.
        LimitError
            It unpacks to more than it may, or than it says.
        """
        info = self._members.get(name)
        if info is None:
            raise DataError(located(self.name, f"no member {shorten(name)}"))
        bound = bound or self._bound
        most = min(getattr(bounds(), bound), self._limit)
        if info.file_size > most:
            what = f"{shorten(name)} unpacks to more than {most:,} bytes, the most that is read"
            raise LimitError(located(self.name, f"{what}; {raising(bound)}"))
        if info.flag_bits & 1:
            raise DataError(located(self.name, f"{shorten(name)} is encrypted"))
        if info.compress_type not in _METHODS:
            raise DataError(located(self.name, f"{shorten(name)} is packed by method {info.compress_type}"))
        try:
            data = self._zstd(info) if info.compress_type == _ZSTD else self._inflated(info)
        except _DAMAGE as error:
            raise DataError(located(self.name, f"cannot read {shorten(name)}: {one_line(error)}")) from None
        if len(data) != info.file_size:
            raise DataError(
                located(self.name, f"{shorten(name)} unpacks to another size than the archive says")
            )
        self._unpacked += len(data)
        if self._unpacked > 2 * self._limit:
            raise beyond(self.name, "more bytes in all that was read of it", self._bound)
        return data

    def _inflated(self, info: zipfile.ZipInfo) -> bytes:
        """A member by the library, which stops at the size that was declared."""
        if self._zip is None:
            packed = self._packed(info)
            deflated = info.compress_type == zipfile.ZIP_DEFLATED
            data = zlib.decompressobj(-15).decompress(packed, info.file_size + 1) if deflated else packed
            return _as_written(data, info)
        pieces = []
        left = info.file_size + 1
        with self._zip.open(info) as stream:
            while left > 0 and (piece := stream.read(min(left, _STEP))):
                pieces.append(piece)
                left -= len(piece)
        return b"".join(pieces)

    def _zstd(self, info: zipfile.ZipInfo) -> bytes:
        """A member by Arrow: Python's zipfile reads zstd from 3.14 on."""
        with pa.CompressedInputStream(pa.BufferReader(self._packed(info)), "zstd") as unpacked:
            return _as_written(unpacked.read(info.file_size + 1), info)

    def _packed(self, info: zipfile.ZipInfo) -> bytes:
        """The bytes of a member as they lie in the archive."""
        self._stream.seek(info.header_offset)
        head = self._stream.read(_LOCAL)
        if len(head) < _LOCAL or head[:4] != b"PK\x03\x04":
            raise zipfile.BadZipFile("its header is damaged")
        self._stream.seek(info.header_offset + _LOCAL + sum(struct.unpack("<HH", head[26:30])))
        return self._stream.read(info.compress_size)


def _as_written(data: bytes, info: zipfile.ZipInfo) -> bytes:
    """The bytes of a member, of one that has its size checked against its checksum."""
    if len(data) == info.file_size and zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile("its checksum is another")
    return data


_DAMAGE = (
    zipfile.BadZipFile,
    OSError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    OverflowError,
    struct.error,
    pa.ArrowException,
    zlib.error,
)
"""What the libraries raise about archives that are none."""


def _check_directory(
    stream: io.BufferedIOBase | io.BufferedReader | io.BytesIO, size: int, name: str
) -> None:
    """Refuse a directory of too many entries, before any memory is taken for them."""
    stream.seek(max(0, size - _TAIL))
    tail = stream.read(_TAIL)
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < 22:
        raise zipfile.BadZipFile("it has no directory, its end may be cut off")
    length, start = struct.unpack("<II", tail[at + 12 : at + 20])
    large = tail.rfind(_END_LARGE, 0, at)
    if 0xFFFFFFFF in (length, start) and large >= 0 and at - large >= 56:
        length, start = struct.unpack("<QQ", tail[large + 40 : large + 56])
    most = bounds().members
    if length > size or length > 512 * most:
        raise beyond(name, "a directory of more members", "members")
    end = max(0, size - len(tail)) + (large if large >= 0 else at)
    stream.seek(max(0, end - length))
    n = stream.read(length).count(_ENTRY)
    if n > most:
        raise beyond(name, f"{n:,} members", "members")


_EXTRA_LARGE = 1
_STREAMED = 8
"""The flag of a member whose size stands after it."""


def _whole_members(
    stream: io.BufferedIOBase | io.BufferedReader | io.BytesIO, size: int, name: str
) -> tuple[list[zipfile.ZipInfo], str]:
    """The members that are whole, by the header before each, and why there may be more."""
    most = bounds().members
    entries: list[zipfile.ZipInfo] = []
    at = 0
    while True:
        stream.seek(at)
        head = stream.read(_LOCAL)
        if len(head) < _LOCAL or head[:4] != b"PK\x03\x04":
            return entries, "the archive ends early"
        flags, method, crc, packed, unpacked, n_name, n_extra = struct.unpack("<2xHH4xIIIHH", head[4:])
        named, extra = stream.read(n_name), stream.read(n_extra)
        info = zipfile.ZipInfo(named.decode("utf-8" if flags & 0x800 else "cp437", "replace") or "?")
        if 0xFFFFFFFF in (packed, unpacked) and extra[:2] == struct.pack("<H", _EXTRA_LARGE):
            unpacked, packed = struct.unpack("<QQ", extra[4:20])
        at += _LOCAL + n_name + n_extra
        if flags & _STREAMED or at + packed > size:
            return entries, f"the archive ends early, in {shorten(one_line(info.filename))}"
        if len(entries) >= most:
            raise beyond(name, f"more than {most:,} members", "members")
        info.header_offset = at - _LOCAL - n_name - n_extra
        info.flag_bits, info.compress_type, info.CRC = flags, method, crc
        info.compress_size, info.file_size = packed, unpacked
        entries.append(info)
        at += packed


def list_members(path: Path, *, partial: bool = False) -> set[str]:
    """Names of the files in a folder or archive; `partial` as in `Archive`.

    Raises
    ------
    DataError, LimitError
        As `Archive`; a folder of too many files.
    """
    if not path.is_dir():
        with Archive(path, last=True, partial=partial) as archive:
            return set(archive.names)
    names = set()
    for file in path.iterdir():
        if file.is_file():
            names.add(file.name)
        if len(names) > bounds().members:
            raise beyond(path, "more files", "members")
    return names


def read_member(path: Path, name: str, *, bound: str = "unpacked_bytes") -> bytes:
    """The bytes of one file of a folder or archive; of several, open an `Archive` once.

    Raises
    ------
    DataError
        There is none, or it is damaged.
    LimitError
        It goes beyond the limit or `Bounds`.
    """
    if not path.is_dir():
        with Archive(path) as archive:
            return archive.read(name, bound=bound)
    most = getattr(bounds(), bound)
    try:
        with (path / name).open("rb") as stream:
            data = stream.read(min((path / name).stat().st_size, most) + 1)
    except FileNotFoundError:
        raise DataError(located(path, f"no member {name}")) from None
    except OSError as error:
        raise DataError(located(path, f"cannot read {name}: {error.strerror or error}")) from None
    if len(data) > most:
        what = f"{name} holds more than {most:,} bytes, the most that is read"
        raise LimitError(located(path, f"{what}; {raising(bound)}"))
    return data


def write_zip(
    path: Path, members: Mapping[str, bytes] | Iterable[tuple[str, bytes]], *, packed: bool
) -> None:
    """An archive of the members, byte for byte the same for the same members."""
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members.items() if isinstance(members, Mapping) else members:
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = 0o644 << 16
            info.create_system = 3
            archive.writestr(info, data, compress_type=method)
