"""A table's file from the outside: its form, and the names of its columns from its beginning alone."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from intent.errors import DataError
from intent.files.json_text import json_value
from intent.files.text import file_head, text_head

__all__ = [
    "LABEL_MARKS",
    "PLAYER_MARKS",
    "TABLE_SUFFIXES",
    "are_labels",
    "columns_of",
    "holds_labels",
    "is_packed",
    "table_suffix",
]

TABLE_SUFFIXES = (".parquet", ".csv", ".jsonl")

LABEL_MARKS = frozenset({"game_id", "seat", "best", "confidence"})
"""Columns that only a table of labels has together."""

PLAYER_MARKS = frozenset({"player", "n_games", "best", "confidence"})
"""Those of labels of players, each with all its games."""

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
        from intent.files.parquet import parquet_schema

        try:
            return list(parquet_schema(source).names)
        except (DataError, OSError):
            return []
    return _columns_of_text(_head(source), suffix)


def holds_labels(path: str | Path) -> bool:
    """Whether a file is a table of labels, by the names of its columns."""
    return are_labels(columns_of(path))


def are_labels(columns: Iterable[str]) -> bool:
    """Whether these are the columns of a table of labels, of games or of players."""
    there = set(columns)
    return there >= LABEL_MARKS or there >= PLAYER_MARKS


def _head(path: Path) -> bytes:
    """The beginning of a text file, unpacked."""
    try:
        return text_head(path, _HEAD)
    except DataError:
        return b""


def _columns_of_text(head: bytes, suffix: str) -> list[str]:
    line = head.decode("utf-8-sig", errors="replace").split("\n", 1)[0].rstrip("\r")
    try:
        if suffix == ".csv":
            return next(csv.reader([line]), [])
        found = json_value(line)
    except (ValueError, csv.Error, RecursionError):
        return []
    return list(found) if isinstance(found, dict) else []
