"""The JSON texts of an Inspect log: an ``.eval`` archive, packed by zstd or deflate, or one ``.json``.

References
----------
UK AI Security Institute, Inspect: A framework for large language model evaluations, pages "Log Files" and
"EvalLog". Archives hold ``header.json`` once an evaluation is over, ``_journal/start.json`` from its start,
and ``samples/<id>_epoch_<n>.json``.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from intent.errors import DataError, LimitError, located, shorten
from intent.logs.limits import LIMIT_BYTES
from intent.logs.readers.reader import Source
from intent.logs.stores.members import list_members, read_member
from intent.logs.unicode_text import json_value

__all__ = ["LIMIT_MEMBER", "is_eval", "read_eval"]

LIMIT_MEMBER = 512 * 1024**2
"""Most bytes of JSON that are parsed at once: a sample, or a whole ``.json`` log."""

_HEADER, _START = "header.json", "_journal/start.json"
_JSON = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*\{')
_ZSTD = 93
_RATIO = 1000
_RATIO_FROM = 64 * 1024**2


def is_eval(source: Source) -> bool:
    """Whether a source is an Inspect log, by its members or its first keys."""
    if source.kind == "zip":
        return bool({_HEADER, _START} & list_members(source.path))
    return source.is_json and _JSON.match(source.text.data[:4096]) is not None


def read_eval(source: Source) -> tuple[dict[str, Any], Iterator[tuple[str, dict[str, Any]]]]:
    """What a log says of its evaluation, and its samples one by one.

    Parameters
    ----------
    source : Source

    Returns
    -------
    header : dict
        ``eval``, ``status`` (``started`` where the evaluation is not over) and others.
    samples : iterator of (where, sample)

    Raises
    ------
    DataError
        No Inspect log, or a damaged one.
    LimitError
        A member, or all of them, unpack to more than may be read.
    """
    if source.kind != "zip":
        if not source.is_json:
            raise DataError(located(source.path, f"a {source.kind}, expected an Inspect log, .eval or .json"))
        if len(source.text.data) > LIMIT_MEMBER:
            raise LimitError(
                located(
                    source.path,
                    f"more than {LIMIT_MEMBER:,} bytes of JSON; inspect log convert --to eval cuts it",
                )
            )
        log = _parsed(source.text.data, source.path, source.path.name)
        samples = log.pop("samples", None) or []
        if not isinstance(samples, list):
            raise DataError(located(source.path, f"samples is {shorten(samples)}, expected a list"))
        _spec(log, source.path)
        return log, ((f"sample {i}", s) for i, s in enumerate(samples, start=1) if isinstance(s, dict))
    names = list_members(source.path)
    first = next((name for name in (_HEADER, _START) if name in names), None)
    if first is None:
        raise DataError(located(source.path, f"an archive without {_HEADER}, so no Inspect log"))
    header = _parsed(_member(source.path, first), source.path, first)
    _spec(header, source.path)
    return {"status": "started", **header}, _samples(source.path, sorted(names, key=_natural))


def _natural(name: str) -> list[tuple[int, str]]:
    """The order of numbers in names: sample 2 before sample 10."""
    return [
        (int(part), "") if part.isdecimal() and len(part) < 18 else (-1, part)
        for part in re.split(r"(\d+)", name)
    ]


def _samples(path: Path, names: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    total = 0
    for name in names:
        if name.startswith("samples/") and name.endswith(".json"):
            data = _member(path, name)
            total += len(data)
            if total > LIMIT_BYTES:
                raise LimitError(located(path, f"its samples unpack to more than {LIMIT_BYTES:,} bytes"))
            yield name, _parsed(data, path, name)


def _spec(log: dict[str, Any], path: Path) -> None:
    if not isinstance(log.get("eval"), dict):
        raise DataError(located(path, f"eval is {shorten(log.get('eval'))}, expected an object"))


def _parsed(data: bytes, path: Path, name: str) -> dict[str, Any]:
    try:
        found = json_value(data)
    except (ValueError, RecursionError) as error:
        raise DataError(located(path, f"{name} is no JSON ({shorten(error)})")) from None
    if not isinstance(found, dict):
        raise DataError(located(path, f"{name} is no JSON object"))
    return found


def _member(path: Path, name: str) -> bytes:
    """The bytes of a member; Python's zipfile reads zstd from 3.14 on, Arrow always does."""
    try:
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo(name)
        if info.compress_type != _ZSTD:
            return read_member(path, name, limit=LIMIT_MEMBER)
        if info.flag_bits & 1:
            raise DataError(located(path, f"{name} is encrypted"))
        with path.open("rb") as stream:
            stream.seek(info.header_offset)
            head = stream.read(30)
            if len(head) < 30 or head[:4] != b"PK\x03\x04":
                raise DataError(located(path, f"cannot read {name}: its header is damaged"))
            stream.seek(info.header_offset + 30 + sum(struct.unpack("<HH", head[26:30])))
            packed = stream.read(info.compress_size)
        bound = min(LIMIT_MEMBER, max(_RATIO_FROM, _RATIO * len(packed)))
        with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as unpacked:
            data: bytes = unpacked.read(bound + 1)
    except (zipfile.BadZipFile, OSError, NotImplementedError, pa.ArrowException, zlib.error) as error:
        raise DataError(located(path, f"cannot read {name}: {shorten(error)}")) from None
    if len(data) > bound:
        raise LimitError(located(path, f"{name} unpacks to more than {bound:,} bytes, the most that is read"))
    if zlib.crc32(data) != info.CRC:
        raise DataError(located(path, f"cannot read {name}: its checksum is another"))
    return data
