"""Folders and zip archives of files: opened once, every member within bounds, nothing unpacked to disk."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType

import pyarrow as pa

from intent.base.errors import DataError, LimitError, located, one_line, shorten
from intent.base.files import beyond, bounds, raising

__all__ = ["Archive", "list_members", "read_member", "write_zip"]

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
    ) -> None:
        self.name = name or ("archive" if isinstance(source, bytes) else Path(source).name)
        self._bound, self._limit, self._last = bound, getattr(bounds(), bound), last
        self._unpacked = 0
        try:
            self._stream = io.BytesIO(source) if isinstance(source, bytes) else Path(source).open("rb")  # noqa: SIM115
        except OSError as error:
            raise DataError(f"cannot read {self.name}: {error.strerror or error}") from None
        try:
            self._size = self._stream.seek(0, io.SEEK_END)
            _check_directory(self._stream, self._size, self.name)
            self._zip = zipfile.ZipFile(self._stream)
            self._members = self._checked(self._zip.infolist())
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
        pieces = []
        left = info.file_size + 1
        with self._zip.open(info) as stream:
            while left > 0 and (piece := stream.read(min(left, _STEP))):
                pieces.append(piece)
                left -= len(piece)
        return b"".join(pieces)

    def _zstd(self, info: zipfile.ZipInfo) -> bytes:
        """A member by Arrow: Python's zipfile reads zstd from 3.14 on."""
        self._stream.seek(info.header_offset)
        head = self._stream.read(_LOCAL)
        if len(head) < _LOCAL or head[:4] != b"PK\x03\x04":
            raise zipfile.BadZipFile("its header is damaged")
        self._stream.seek(info.header_offset + _LOCAL + sum(struct.unpack("<HH", head[26:30])))
        packed = self._stream.read(info.compress_size)
        with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as unpacked:
            data: bytes = unpacked.read(info.file_size + 1)
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


def list_members(path: Path) -> set[str]:
    """Names of the files in a folder or archive.

    Raises
    ------
    DataError, LimitError
        As `Archive`; a folder of too many files.
    """
    if not path.is_dir():
        with Archive(path, last=True) as archive:
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
