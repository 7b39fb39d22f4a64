"""SQLite files from untrusted hands: limits of the library, and nothing in them that computes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from intent.base.files import beyond, bounds

__all__ = ["LONGEST_CELL", "open_database", "transaction"]

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
