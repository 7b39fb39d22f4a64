"""Files of others: what is read of them at most, texts opened with care, JSON from untrusted hands.

Text is untrusted: bounded decompression, honest encodings, line numbers. JSON is bounded in nesting, values
and digits, all its text fit for an encoding: halves of surrogate pairs, which JSON can spell, become visible
text. `shipped` finds the files that come with the package. Whatever a user names is a path by `path_of`, on
this machine or in object storage.
"""

from __future__ import annotations

import json
import math
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, LimitError, UnknownNameError, UsageError, located, nearest, shorten
from intent.base.remote import ADDRESS, SCHEMES, RemotePath, remote_path, require_bucket

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "BOUNDS_VARIABLE",
    "NOT_WHOLE",
    "Bounds",
    "TextFile",
    "beyond",
    "bounds",
    "check_json",
    "decoded",
    "encodable",
    "encodable_parts",
    "file_bytes",
    "file_head",
    "file_text",
    "is_remote",
    "json_value",
    "path_of",
    "raising",
    "read_object",
    "refuse_remote",
    "remote",
    "require_file",
    "shipped",
    "text_head",
]


BOUNDS_VARIABLE = "INTENT_LIMITS"
"""Environment variable with other bounds, as ``unpacked_bytes=8GiB,rejects=1000000``."""

_MIB, _GIB = 1024**2, 1024**3
_SIZE = re.compile(r"(\d{1,15})\s*(|KiB|MiB|GiB|TiB)", re.ASCII)
_FACTORS = {"": 1, "KiB": 1024, "MiB": _MIB, "GiB": _GIB, "TiB": 1024**4}


def _bound(value: int, unit: str, reason: str) -> Any:
    return field(default=value, metadata={"unit": unit, "reason": reason})


@dataclass(frozen=True)
class Bounds:
    """How much of a file is read at most.

    Each field has its unit and its reason in the metadata (`dataclasses.fields`); the page on reading
    lists them.

    Examples
    --------
    >>> Bounds().ratio
    200
    """

    disk_bytes: int = _bound(1024**4, "bytes of a file on disk", "a Parquet log is read piece by piece")
    unpacked_bytes: int = _bound(2 * _GIB, "bytes of text, of a table or of an archive, unpacked", "memory")
    ratio: int = _bound(
        200,
        "bytes unpacked, or cells of a table, for each byte on disk",
        "text packs some 10 to 50 to 1, what packs far better is made to burst",
    )
    ratio_from: int = _bound(
        64 * _MIB, "bytes unpacked, or cells, up to which no ratio is asked for", "small is small"
    )
    rows: int = _bound(200_000_000, "rows of a table read at once", "memory")
    cells: int = _bound(2**30, "cells (rows times columns) of a table read at once", "memory")
    columns: int = _bound(20_000, "columns of a table", "each takes time of its own")
    field: int = _bound(1_000_000, "characters of one field", "a longer one makes its row unreadable")
    footer_bytes: int = _bound(
        64 * _MIB, "bytes of what a Parquet file says of itself", "memory, ten times that"
    )
    row_groups: int = _bound(50_000, "row groups of a Parquet file", "each takes time of its own")
    row_group_rows: int = _bound(1 << 22, "rows of a row group of a compact log", "read as a whole")
    row_group_values: int = _bound(1 << 28, "moves of a row group of a compact log", "read as a whole")
    rejects: int = _bound(
        200_000, "rows that cannot be read and are listed", "more are a file of another kind"
    )
    rounds: int = _bound(100_000, "highest number of a round", "trajectories take memory by it")
    seats: int = _bound(10_000, "highest number of a seat", "looking seats up takes memory by it")
    moves: int = _bound(2**30, "moves (seats times the longest game) of a log in memory", "memory")
    members: int = _bound(200_000, "files in an archive", "each takes memory before it is read")
    json_bytes: int = _bound(
        512 * _MIB, "bytes of JSON parsed at once", "values take some 20 times their text"
    )
    json_values: int = _bound(10_000_000, "values of JSON parsed at once", "some 100 bytes of memory each")
    depth: int = _bound(
        100, "nesting of JSON and YAML", "what is deeper is followed step by step and ends nowhere"
    )
    digits: int = _bound(100, "digits of one number", "time to read them grows with their square")
    settings_bytes: int = _bound(_MIB, "bytes of a file of settings", "no file written by hand is longer")
    settings_values: int = _bound(100_000, "values of a file of settings, aliases unfolded", "memory")
    settings_seconds: int = _bound(60, "seconds for reading a file of settings", "patience")
    object_bytes: int = _bound(64 * _MIB, "bytes of a saved result or list of facts, in JSON", "memory")
    numbers_bytes: int = _bound(256 * _MIB, "bytes of a recogniser's numbers, unpacked", "memory")


def bounds() -> Bounds:
    """The bounds in force: the defaults, or those of the environment variable ``INTENT_LIMITS``.

    Raises
    ------
    UsageError
        The variable names no bound, or a value is no size.
    """
    return _of(os.environ.get(BOUNDS_VARIABLE, ""))


@lru_cache(maxsize=8)
def _of(text: str) -> Bounds:
    known = [one.name for one in fields(Bounds)]
    values: dict[str, int] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, _, size = (part.strip() for part in item.partition("="))
        if name not in known:
            raise UnknownNameError(f"bound in {BOUNDS_VARIABLE}", name, known)
        number = _SIZE.fullmatch(size)
        if number is None or not int(number[1]):
            raise UsageError(
                f"{BOUNDS_VARIABLE} gives {name} {shorten(size)!r}, expected a number above 0, "
                "perhaps with KiB, MiB, GiB or TiB"
            )
        values[name] = int(number[1]) * _FACTORS[number[2]]
    return replace(Bounds(), **values)


def raising(name: str) -> str:
    """How to raise a bound, for messages."""
    return f"{BOUNDS_VARIABLE}={name}=N raises that"


def beyond(place: str | Path, what: str, name: str, line: int | None = None) -> LimitError:
    """The error of a file that goes beyond a bound: what is there, the bound, and how to raise it.

    Parameters
    ----------
    place : path
    what : str
        What the file has, as in ``5,000 members``.
    name : str
        Field of `Bounds`.
    line : int, optional
    """
    most = getattr(bounds(), name)
    return LimitError(located(place, f"{what}, expected at most {most:,}; {raising(name)}", line))


_CHUNK = 1024**2
_GZIP = b"\x1f\x8b"
_GZIP_ONLY = 31
_REST = 1000
"""Bytes of a line that is not whole which are shown."""
_BOM = b"\xef\xbb\xbf"
_BLANK = b"\r\n\t "
_KNOWN_BINARY = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive",
    b"%PDF": "a PDF document",
    b"SQLite format 3": "an SQLite database",
    b"\x89PNG": "an image",
    b"\x89HDF": "an HDF5 file",
    b"\xd0\xcf\x11\xe0": "an old Office file, such as .xls",
    b"$FL": "a file of SPSS",
    b"<stata_dta>": "a file of Stata",
    b"BZh": "bzip2 compressed",
    b"\xfd7zXZ": "xz compressed",
    b"\x28\xb5\x2f\xfd": "zstd compressed",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}


def is_remote(path: object) -> bool:
    """Whether a path or its text is an address of storage elsewhere."""
    return isinstance(path, RemotePath) or (
        isinstance(path, str | Path) and ADDRESS.match(str(path)) is not None
    )


def path_of(path: str | Path) -> Path:
    """A path as what can be read: a `RemotePath` of an address, else a path of this machine.

    Raises
    ------
    UsageError
        An address as `remote_path` refuses it.

    Examples
    --------
    >>> path_of("s3://bucket/games").name, path_of("games").name
    ('games', 'games')
    """
    if isinstance(path, RemotePath):
        return path
    if is_remote(path):
        return remote_path(str(path))
    return path if isinstance(path, Path) else Path(path)


def remote(value: Any) -> Any:
    """A setting as it is, with a `RemotePath` for an address of ours; other addresses may be of servers."""
    if isinstance(value, list | tuple) and any(isinstance(one, Path) and is_remote(one) for one in value):
        return type(value)(remote(one) for one in value)
    ours = isinstance(value, str | Path) and str(value).startswith(tuple(f"{one}:/" for one in SCHEMES))
    return path_of(value) if ours else value


def refuse_remote(path: str | Path, what: str) -> None:
    """Say that something must be on this machine.

    Raises
    ------
    UsageError
    """
    if is_remote(path):
        raise UsageError(
            f"{path_of(path)}: {what} must be on this machine; from object storage are read compact logs, "
            "Parquet folders of ours and Parquet tables of results, to it are written logs and results"
        )


def require_file(path: str | Path) -> Path:
    """The path of an existing file.

    Raises
    ------
    DataError
        Nothing is there (names nearby are suggested), it is a folder, or it cannot be opened.
    """
    source = path_of(path)
    if source.is_dir():
        raise DataError(f"{source} is a folder, expected a file")
    if not source.exists():
        if isinstance(source, RemotePath):
            require_bucket(source)
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
            data = stream.read(min(source.stat().st_size, limit) + 1)
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


@dataclass(frozen=True)
class Gap:
    """What is missing of a packed text.

    Parameters
    ----------
    line : int
        The first line, from 1, that cannot be read in full.
    reason : str
        What is wrong with the file, as a list of rejected rows says it.
    text : str
        The beginning of what is there of that line.
    inside : bool
        Whether the text ends within a member, so that what would follow is not there.
    """

    line: int
    reason: str
    text: str = ""
    inside: bool = False


_NO_GZIP = "incorrect header check"
"""What zlib says of bytes that do not begin as a member does."""


class _Members:
    """The text of the members of a gzip file, as far as it can be unpacked.

    Attributes
    ----------
    wrong : str
        What zlib says of bytes that cannot be unpacked, or are not what was packed.
    size : int
        Bytes of text.
    checked : int
        Bytes of text in members that are whole, which their checksums confirm.
    """

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(_GZIP_ONLY)
        self.wrong = ""
        self.size = self.checked = 0

    @property
    def inside(self) -> bool:
        """Whether the text ends within a member."""
        return not self._inflate.eof

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """The text of the next bytes of the file, piece by piece; none once something is wrong."""
        while chunk and not self.wrong:
            if self._inflate.eof:
                chunk = chunk.lstrip(b"\0")
                if not chunk:
                    return
                self._inflate = zlib.decompressobj(_GZIP_ONLY)
            try:
                piece = self._inflate.decompress(chunk, 16 * _CHUNK)
            except zlib.error as error:
                self.wrong = str(error)
                return
            self.size += len(piece)
            yield piece
            if self._inflate.eof:
                self.checked = self.size
            chunk = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail

    def rest(self) -> bytes:
        """Text that is unpacked but was not handed over, at the end of the file."""
        if self.wrong or not self.inside:
            return b""
        try:
            piece = self._inflate.flush()
        except zlib.error as error:
            self.wrong = str(error)
            return b""
        self.size += len(piece)
        if self._inflate.eof:
            self.checked = self.size
        return piece


NOT_WHOLE = ("ends early", "no checksum confirms")
"""What the reason of a reject says where the rest of a file is missing, not a row of it."""


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
    partial : bool
        Whether a packed text that is cut is read to its last full line, and one that is damaged as far as
        checksums confirm it, and `gap` says what is missing; whoever asks for that lists it among the rows
        that could not be read.

    Attributes
    ----------
    data : bytes
        The text in UTF-8, without byte order mark.
    gap : Gap or None
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
        self,
        path: str | Path,
        *,
        limit: int | None = None,
        empty: bool = False,
        nul: bool = False,
        partial: bool = False,
    ) -> None:
        refuse_remote(path, "a text")
        self.path = require_file(path)
        allowed = bounds()
        limit = allowed.unpacked_bytes if limit is None else limit
        import hashlib  # with OpenSSL, which `intent --help` needs not load

        digest = hashlib.sha256()
        pieces: list[bytes] = []
        size = read = 0
        members = None
        try:
            with self.path.open("rb") as stream:
                at_once = _CHUNK
                if stream.peek(len(_GZIP)).startswith(_GZIP):
                    members = _Members()
                else:  # one piece need not be joined with others, which would take its size again
                    at_once = max(min(os.fstat(stream.fileno()).st_size, limit) + 1, _CHUNK)
                while chunk := stream.read(at_once):
                    read += len(chunk)
                    digest.update(chunk)
                    for piece in (chunk,) if members is None else members.pieces(chunk):
                        size += len(piece)
                        pieces.append(piece)
                        self._bound(size, read, limit)
        except OSError as error:
            raise DataError(f"cannot read {self.path}: {error.strerror or error}") from None
        if members is not None:
            pieces.append(members.rest())
        self.data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        del pieces
        self.sha256 = digest.hexdigest()
        self.gap = None if members is None else self._gap(members, partial)
        self._check(empty, nul)

    def _gap(self, members: _Members, partial: bool) -> Gap | None:
        """What is missing; text that is not all there ends after its last full line then.

        Raises
        ------
        DataError
            Something is, and the text may not be `partial`, or not one full line is there.
        """
        wrong = members.wrong
        if not wrong and not members.inside:
            return None
        foreign = _NO_GZIP in wrong and len(self.data) > 0
        end = members.checked if wrong else members.size
        end = end if foreign else self.data.rfind(b"\n", 0, end) + 1
        lines = self.data.count(b"\n", 0, end)
        if not partial or not end:
            what = f"truncated gzip: it ends after {members.size:,} bytes of text, {lines:,} full lines"
            if wrong:
                what = f"damaged gzip after {members.size:,} bytes of text: {wrong}"
            raise DataError(located(self.path, what))
        rest, self.data = self.data[end : end + _REST], self.data[:end]
        reason = f"the compressed file {NOT_WHOLE[0]}"
        if foreign:
            lines += not self.data.endswith(b"\n")
            reason = "what follows the compressed text is no gzip"
        elif wrong:
            reason = f"the compressed file is damaged: {NOT_WHOLE[1]} its lines from here on"
        return Gap(lines + 1, reason, rest.decode("utf-8", "replace"), inside=not foreign)

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
        if not empty and not self.data[:64].strip(_BLANK) and not self.data.strip(_BLANK):
            raise DataError(located(self.path, "empty file"))
        at = -1 if nul else self.data.find(b"\0")
        if at >= 0:
            raise DataError(
                located(
                    self.path, f"binary data (a NUL at byte {at + 1:,}), expected text", self._line_at(at)
                )
            )
        try:
            if not self.data.isascii():
                self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            wrong = f"byte 0x{self.data[error.start]:02x} at position {error.start + 1:,} is not UTF-8"
            raise DataError(located(self.path, wrong, self._line_at(error.start))) from None

    def _line_at(self, position: int) -> int:
        return self.data.count(b"\n", 0, position) + 1

    @cached_property
    def line_ends(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Positions of the line feeds."""
        import numpy as np

        return np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == 10)

    def end_before(self, line: int) -> None:
        """Leave out a line, from 2, and all below it, of a text with a gap, which begins there then."""
        end = int(self.line_ends[line - 2]) + 1
        rest, self.data = self.data[end : end + _REST], self.data[:end]
        del self.line_ends
        if self.gap is not None:
            self.gap = replace(self.gap, line=line, text=rest.decode("utf-8", "replace"))

    def has_line_over(self, limit: int) -> bool:
        """Whether a line has more bytes than `limit`, without its line feed."""
        start = 0
        while len(self.data) - start > limit:
            end = self.data.rfind(b"\n", start, start + limit + 1)
            if end < 0:
                return True
            start = end + 1
        return False

    def line(self, number: int, limit: int = 200) -> str:
        """The beginning of a line, counted from 1."""
        ends = self.line_ends
        start = 0 if number <= 1 else int(ends[min(number - 2, len(ends) - 1)]) + 1
        stop = int(ends[number - 1]) if number - 1 < len(ends) else len(self.data)
        return self.data[start : min(stop, start + 4 * limit)].decode("utf-8", "ignore")[:limit].rstrip("\r")


_DIGITS = bytes(48 if 48 <= byte < 58 else byte for byte in range(256))
"""Every digit to a zero, so that a long number is found as a run of one byte."""

_NO_STRUCTURE = bytes(sorted(set(range(256)) - set(b'[]{}"')))

_NO_SYNTAX = bytes(sorted(set(range(256)) - set(b'[]{}"\\/bfnrtu')))
"""What is neither structure nor part of an escape: without it every backslash still stands before its own."""

_SPELLED = re.compile(rb"\\u[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    r"""Text with lone surrogates, which no encoding can hold, as ``⟨U+D800⟩``.

    Examples
    --------
    >>> encodable("a\ud800b")
    'a⟨U+D800⟩b'
    """
    return text if text.isascii() else _HALF.sub(lambda half: f"⟨U+{ord(half[0]):04X}⟩", text)


def encodable_parts(value: Any) -> Any:
    """A value of JSON with all its texts `encodable`, names of fields among them."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [encodable_parts(item) for item in value]
    if isinstance(value, dict):
        return {encodable(name): encodable_parts(item) for name, item in value.items()}
    return value


def json_value(
    raw: str | bytes,
    *,
    unique: bool = False,
    finite: bool = False,
    halves: bool = False,
    nested: bool = False,
) -> Any:
    """The value that untrusted JSON stands for, its texts `encodable`.

    Parameters
    ----------
    raw : str, or bytes in UTF-8
    unique : bool
        Whether a key that stands twice is an error, as in settings, where nobody knows which value is meant.
        In logs the last one counts, as JSON has it.
    finite : bool
        Whether ``NaN``, infinity and numbers that overflow are errors.
    halves : bool
        Whether halves of surrogate pairs stay as they are, for names of files.
    nested : bool
        Whether any nesting is taken that the parser takes: for who reads known fields alone, of many files.

    Raises
    ------
    ValueError
        It is no JSON, or goes beyond `Bounds` (json_bytes, json_values, depth, digits).
    RecursionError
        As `json.loads`.
    """
    data = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    long_number = check_json(data, nested=nested)
    hooks: dict[str, Any] = {"parse_int": _int} if long_number else {}
    if unique:
        hooks["object_pairs_hook"] = _once
    if finite:
        hooks |= {"parse_constant": _no_number, "parse_float": _float}
    value = json.loads(raw, **hooks)
    return encodable_parts(value) if not halves and _SPELLED.search(data) else value


def check_json(data: bytes, *, nested: bool = False) -> bool:
    """Whether a long run of digits stands in a JSON text whose size and nesting are within `Bounds`.

    The nesting is found without parsing: strings are taken out, then pairs of brackets that hold nothing, as
    often as there are levels; not at all where it may be `nested`.

    Raises
    ------
    ValueError
        It goes beyond the bounds.
    """
    allowed = bounds()
    if len(data) > allowed.json_bytes:
        raise ValueError(f"more than {allowed.json_bytes:,} bytes of JSON; {raising('json_bytes')}")
    if len(data) > allowed.json_values and sum(map(data.count, (b",", b"[", b"{"))) > allowed.json_values:
        raise ValueError(f"more than {allowed.json_values:,} values; {raising('json_values')}")
    if not nested and len(data) > allowed.depth and _is_deep(data, allowed.depth):
        raise ValueError(f"nested deeper than {allowed.depth}; {raising('depth')}")
    step = allowed.digits // 10 or 1
    sample = data[::step].translate(_DIGITS)  # a long run of digits shows in every tenth of it
    return b"0" * (allowed.digits // step) in sample and b"0" * (allowed.digits + 1) in data.translate(
        _DIGITS
    )


def _is_deep(data: bytes, depth: int) -> bool:
    data = data.translate(None, _NO_SYNTAX)
    if data.count(b"[") + data.count(b"{") <= depth:
        return False
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    left = data.translate(None, _NO_STRUCTURE).replace(b'""', b"")
    if b'"' in left:
        left = b"".join(left.split(b'"')[::2])
    for _ in range(depth):
        before = len(left)
        left = left.replace(b"[]", b"").replace(b"{}", b"")
        if len(left) == before:  # nothing closes: no JSON, or its end is missing
            break
    return left.count(b"[") + left.count(b"{") > depth or (len(left) < before and bool(left))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object's fields; of a key that stands twice nobody knows which value is meant."""
    values = dict(pairs)
    if len(values) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise ValueError(f"key {shorten(counts.most_common(1)[0][0], 40)!r} stands there twice")
    return values


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"number {shorten(text, 40)} is beyond all that can be computed with")
    return value


def _int(text: str) -> int:
    most = bounds().digits
    if len(text.lstrip("-")) > most:
        raise ValueError(f"a number of {len(text):,} digits, expected at most {most:,}; {raising('digits')}")
    return int(text)


def read_object(path: str | Path, expected: str, *, longest: int | None = None) -> dict[str, Any]:
    """The object in a file.

    Parameters
    ----------
    path : path
    expected : str
        What the file should be, for messages: ``a tournament``.
    longest : int, bytes; default: as `Bounds` says

    Raises
    ------
    DataError
        The file is not there, larger, or holds no JSON object, or one with a key that stands twice.
    """
    source = path_of(path)
    if not source.is_file():
        raise DataError(f"no such file: {source}, expected {expected}")
    try:
        raw = file_bytes(source, bounds().object_bytes if longest is None else longest, expected)
        value = json_value(decoded(raw, source.name, expected), unique=True, halves=True)
    except (ValueError, RecursionError) as error:
        raise DataError(located(source, f"no JSON ({shorten(error)}), expected {expected}")) from None
    if not isinstance(value, dict):
        raise DataError(located(source, f"no JSON object, expected {expected}"))
    return value


def shipped(name: str) -> Path | None:
    """The file or folder of that name, such as ``datasets/samples``; None where the installation lacks it.

    An installed package has it inside, a checkout beside the package.
    """
    package = Path(__file__).resolve().parents[1]
    places = (package / "_shipped" / name, package.parent / name)
    return next((place for place in places if place.exists()), None)
