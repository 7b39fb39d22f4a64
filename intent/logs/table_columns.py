"""A table's file from the outside: its form, and the names of its columns from its beginning alone."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from pathlib import Path

from intent.errors import DataError
from intent.logs.textfile import file_head

__all__ = ["LABEL_MARKS", "TABLE_SUFFIXES", "columns_of", "holds_labels", "is_packed", "table_suffix"]

TABLE_SUFFIXES = (".parquet", ".csv", ".jsonl")

LABEL_MARKS = frozenset({"game_id", "seat", "best", "confidence"})
"""Columns that only a table of labels has together."""

_PLAYER_MARKS = frozenset({"player", "n_games", "best", "confidence"})

_GZIP = b"\x1f\x8b"
_HEAD = 1 << 20
"""Bytes of a text file in which its first line must end."""


def table_suffix(path: Path) -> str | None:
    """Which kind of table a name promises, one of `TABLE_SUFFIXES`; text may have .gz behind it."""
    suffix = Path(path.name.removesuffix(".gz")).suffix
    known = suffix in TABLE_SUFFIXES and (suffix != ".parquet" or path.suffix == suffix)
    return suffix if known else None


def is_packed(path: Path) -> bool:
    """Whether a file is packed by gzip, told by its first bytes.

    Raises
    ------
    DataError
        It cannot be read.
    """
    return file_head(path, len(_GZIP)) == _GZIP


def columns_of(path: str | Path) -> list[str]:
    """Names of the columns of a table (of JSON lines, the keys of the first); empty for what is none."""
    source = Path(path)
    suffix = table_suffix(source)
    if suffix is None or not source.is_file():
        return []
    if suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return list(pq.read_schema(source).names)
        except (pa.ArrowException, OSError):
            return []
    return _columns_of_text(_head(source), suffix)


def holds_labels(path: str | Path, *, per_player: bool = False) -> bool:
    """Whether a file is a table of labels, by the names of its columns.

    Parameters
    ----------
    path : path
    per_player : bool
        Whether a table with one row for each player, which names no games, is one too.
    """
    names = set(columns_of(path))
    return names >= LABEL_MARKS or (per_player and names >= _PLAYER_MARKS)


def _head(path: Path) -> bytes:
    """The beginning of a text file, unpacked."""
    try:
        if not is_packed(path):
            return file_head(path, _HEAD)
        with gzip.open(path) as stream:
            return stream.read(_HEAD)
    except (DataError, OSError, EOFError, zlib.error):
        return b""


def _columns_of_text(head: bytes, suffix: str) -> list[str]:
    line = head.decode("utf-8-sig", errors="replace").split("\n", 1)[0].rstrip("\r")
    try:
        if suffix == ".csv":
            return next(csv.reader([line]), [])
        found = json.loads(line)
    except (ValueError, csv.Error, RecursionError):
        return []
    return list(found) if isinstance(found, dict) else []
