"""A write transaction on an SQLite database whose connection begins none by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["transaction"]


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
