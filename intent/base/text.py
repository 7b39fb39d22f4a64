"""Opening untrusted text: bounded decompression, honest encodings, line numbers."""

from __future__ import annotations

import hashlib
import os
import zlib
from functools import cached_property
from pathlib import Path

import numpy as np

from intent.base.errors import DataError, LimitError, located, nearest, shorten
from intent.base.files import bounds, raising

__all__ = ["TextFile", "decoded", "file_bytes", "file_head", "file_text", "require_file", "text_head"]

_CHUNK = 1024**2
_GZIP = b"\x1f\x8b"
_GZIP_ONLY = 31
_BOM = b"\xef\xbb\xbf"
_KNOWN_BINARY = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive",
    b"%PDF": "a PDF document",
    b"SQLite format 3": "an SQLite database",
    b"\x89PNG": "an image",
    b"\x89HDF": "an HDF5 file",
    b"BZh": "bzip2 compressed",
    b"\xfd7zXZ": "xz compressed",
    b"\x28\xb5\x2f\xfd": "zstd compressed",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}


def require_file(path: str | Path) -> Path:
    """The path of an existing file.

    Raises
    ------
    DataError
        Nothing is there (names nearby are suggested), it is a folder, or it cannot be opened.
    """
    source = Path(path)
    if source.is_dir():
        raise DataError(f"{source} is a folder, expected a file")
    if not source.exists():
        beside = [p.name for p in source.parent.iterdir()] if source.parent.is_dir() else []
        near = nearest(source.name, beside[:10_000], cutoff=0.75)
        raise DataError(f"no such file: {source}" + (f"; did you mean {', '.join(near)}?" if near else ""))
    if not source.is_file():
        raise DataError(f"{source} is neither a file nor a folder")
    return source


def file_head(path: str | Path, size: int = 16) -> bytes:
    """The first bytes of an existing file."""
    source = require_file(path)
    try:
        with source.open("rb") as stream:
            return stream.read(size)
    except OSError as error:
        raise DataError(f"cannot read {source}: {error.strerror or error}") from None


def file_bytes(path: str | Path, limit: int, expected: str = "a file") -> bytes:
    """All bytes of an existing file.

    Parameters
    ----------
    path : path
    limit : int, bytes
    expected : str
        What it should be, for messages.

    Raises
    ------
    DataError
        There is none, or it cannot be read.
    LimitError
        It holds more than `limit` bytes.
    """
    source = require_file(path)
    try:
        with source.open("rb") as stream:
            data = stream.read(min(os.fstat(stream.fileno()).st_size, limit) + 1)
    except OSError as error:
        raise DataError(f"cannot read {source}: {error.strerror or error}") from None
    if len(data) > limit:
        raise LimitError(located(source, f"more than {limit:,} bytes, expected {expected}"))
    return data


def file_text(path: str | Path, limit: int, expected: str = "UTF-8 text") -> str:
    """The text of an existing small file, in UTF-8 without byte order mark.

    Raises
    ------
    DataError
        As `file_bytes`, or it is not UTF-8, or holds a NUL.
    LimitError
        As `file_bytes`.
    """
    return decoded(file_bytes(path, limit, expected), Path(path).name, expected)


def decoded(data: bytes, name: str, expected: str = "UTF-8 text") -> str:
    """The text of bytes in UTF-8, without byte order mark.

    Raises
    ------
    DataError
        It is not UTF-8, or holds a NUL.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(located(name, f"UTF-16 text, expected {expected} in UTF-8"))
    nul = data.find(b"\0")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        raise DataError(located(name, f"binary data (a NUL), expected {expected}", line))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        wrong = f"not UTF-8 (byte 0x{data[error.start]:02x}), expected {expected}"
        raise DataError(located(name, wrong, line)) from None


def text_head(path: str | Path, size: int) -> bytes:
    """The first bytes of a text, unpacked where it is packed by gzip; what is damaged ends early.

    Raises
    ------
    DataError
        There is no file, or it cannot be read.
    """
    head = file_head(path, size)
    if not head.startswith(_GZIP):
        return head
    try:
        return zlib.decompressobj(_GZIP_ONLY).decompress(head, size)
    except zlib.error as error:
        raise DataError(located(path, f"damaged gzip: {shorten(error)}")) from None


class TextFile:
    """The text of one file, plain or gzip (told by its first bytes, not by its name).

    Parameters
    ----------
    path : str or Path
    limit : int, optional
        Most bytes of text; default: as `Bounds` says.

    empty : bool
        Whether a file without text is one.
    nul : bool
        Whether a NUL may stand in the text, as in a table of ours that quotes one.

    Attributes
    ----------
    data : bytes
        The text in UTF-8, without byte order mark.
    sha256 : str
        Of the file as it lies on disk.

    Raises
    ------
    DataError
        No such file, an empty, truncated or binary one, or text that is not UTF-8.
    LimitError
        More text than `limit`, or more times the size of the file than `Bounds.ratio`.
    """

    def __init__(
        self, path: str | Path, *, limit: int | None = None, empty: bool = False, nul: bool = False
    ) -> None:
        self.path = require_file(path)
        allowed = bounds()
        limit = allowed.unpacked_bytes if limit is None else limit
        digest = hashlib.sha256()
        pieces: list[bytes] = []
        size = read = 0
        inflate = None
        try:
            with self.path.open("rb") as stream:
                while chunk := stream.read(_CHUNK):
                    if not read and chunk.startswith(_GZIP):
                        inflate = zlib.decompressobj(_GZIP_ONLY)
                    read += len(chunk)
                    digest.update(chunk)
                    while chunk:
                        if inflate is None:
                            piece, chunk = chunk, b""
                        else:
                            if inflate.eof:
                                inflate = zlib.decompressobj(_GZIP_ONLY)
                            piece = self._inflated(inflate, chunk, size)
                            chunk = (
                                inflate.unused_data.lstrip(b"\0") if inflate.eof else inflate.unconsumed_tail
                            )
                        size += len(piece)
                        pieces.append(piece)
                        self._bound(size, read, limit)
        except OSError as error:
            raise DataError(f"cannot read {self.path}: {error.strerror or error}") from None
        if inflate is not None:
            pieces.append(inflate.flush())
        self.data = b"".join(pieces)
        del pieces
        if inflate is not None and not inflate.eof:
            lines = self.data.count(b"\n")
            raise DataError(
                located(
                    self.path, f"truncated gzip: it ends after {size:,} bytes of text, {lines:,} full lines"
                )
            )
        self.sha256 = digest.hexdigest()
        self._check(empty, nul)

    def _inflated(self, inflate: zlib._Decompress, chunk: bytes, size: int) -> bytes:
        try:
            return inflate.decompress(chunk, 16 * _CHUNK)
        except zlib.error as error:
            raise DataError(
                located(self.path, f"damaged gzip after {size:,} bytes of text: {error}")
            ) from None

    def _bound(self, size: int, read: int, limit: int) -> None:
        allowed = bounds()
        if size > limit:
            what = f"more than {limit:,} bytes of text, the most that is read"
            raise LimitError(located(self.path, f"{what}; {raising('unpacked_bytes')}"))
        if size > allowed.ratio_from and size > allowed.ratio * read:
            what = f"{read:,} compressed bytes hold more than {size:,}, over {allowed.ratio} to 1"
            raise LimitError(located(self.path, f"{what}; {raising('ratio')}"))

    def _check(self, empty: bool, nul: bool) -> None:
        head = self.data[:64]
        for magic, what in _KNOWN_BINARY.items():
            if head.startswith(magic):
                raise DataError(located(self.path, f"{what}, expected UTF-8 text"))
        self.data = self.data.removeprefix(_BOM)
        if not empty and not self.data.strip(b"\r\n\t "):
            raise DataError(located(self.path, "empty file"))
        at = -1 if nul else self.data.find(b"\0")
        if at >= 0:
            raise DataError(
                located(
                    self.path, f"binary data (a NUL at byte {at + 1:,}), expected text", self._line_at(at)
                )
            )
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            wrong = f"byte 0x{self.data[error.start]:02x} at position {error.start + 1:,} is not UTF-8"
            raise DataError(located(self.path, wrong, self._line_at(error.start))) from None

    def _line_at(self, position: int) -> int:
        return self.data.count(b"\n", 0, position) + 1

    @cached_property
    def line_ends(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Positions of the line feeds."""
        return np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == 10)

    @property
    def longest_line(self) -> int:
        """Bytes of the longest line, without its line feed."""
        edges = np.concatenate([[-1], self.line_ends, [len(self.data)]])
        return int(np.diff(edges).max()) - 1

    def line(self, number: int, limit: int = 200) -> str:
        """The beginning of a line, counted from 1."""
        ends = self.line_ends
        start = 0 if number <= 1 else int(ends[min(number - 2, len(ends) - 1)]) + 1
        stop = int(ends[number - 1]) if number - 1 < len(ends) else len(self.data)
        return self.data[start : min(stop, start + 4 * limit)].decode("utf-8", "ignore")[:limit].rstrip("\r")
