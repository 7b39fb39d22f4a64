"""Where files are kept that can be had again: downloaded models, cached replies, the ledger of limits.

Small SQLite files that several processes share and that can be had again if they are lost.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from intent.base.binary import open_database, transaction
from intent.base.errors import DataError, OutputError, located
from intent.base.outputs import private

__all__ = ["SharedFile", "cache_folder"]


def cache_folder() -> Path:
    """The user's folder for such files; not made.

    It is ``INTENT_CACHE`` where that is set, else ``intent`` in the platform's cache folder:
    ``%LOCALAPPDATA%`` on Windows, ``~/Library/Caches`` on macOS, elsewhere ``XDG_CACHE_HOME`` or
    ``~/.cache`` (XDG Base Directory Specification 0.8).
    """
    if own := os.environ.get("INTENT_CACHE"):
        return Path(own).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "intent"


PATIENCE = 30.0
"""Seconds to wait for another process, whose transactions take microseconds."""

_FOREIGN = "SELECT 1 FROM sqlite_master WHERE type IN ('view', 'trigger')"
"""What computes when a file from elsewhere is read or written, without end if its maker likes."""


class SharedFile:
    """An SQLite database with one schema, for its user's eyes only, shared by processes.

    Parameters
    ----------
    path : Path or None
        None keeps it in memory, for this object alone.
    schema : str
        SQL that makes the tables where they are not there.
    version : int
        Of the schema, kept in the file.

    Raises
    ------
    OutputError
        The file cannot be made.
    DataError
        It is damaged, of another version, or no such database.
    """

    def __init__(self, path: Path | None, schema: str, version: int) -> None:
        self.path = path
        try:
            if path is not None:
                with private():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.touch()
            self.connection = open_database(path or ":memory:", timeout=PATIENCE)
        except (OSError, sqlite3.Error) as error:
            raise OutputError(located(path or "memory", f"cannot be opened ({error})")) from error
        try:
            self._prepare(schema, version)
        except DataError:
            self.connection.close()
            raise

    def _prepare(self, schema: str, version: int) -> None:
        with self.explained():
            self.connection.execute("PRAGMA journal_mode=WAL")
            self.connection.execute("PRAGMA synchronous=NORMAL")
        with self.transaction() as connection:
            (stored,) = connection.execute("PRAGMA user_version").fetchone()
            if stored == 0:
                for statement in filter(str.strip, schema.split(";")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={version}")
            elif stored != version:
                raise DataError(located(self.path or "memory", f"version {stored}, expected {version}"))
            if connection.execute(_FOREIGN).fetchone():
                raise DataError(
                    located(self.path or "memory", "holds views or triggers, expected tables alone")
                )

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write transaction, undone where an error leaves the block.

        Raises
        ------
        DataError
            Anything that SQLite complains of.
        """
        with self.explained(), transaction(self.connection) as connection:
            yield connection

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Whatever SQLite complains of becomes a DataError."""
        try:
            yield
        except sqlite3.Error as error:
            message = f"cannot be used ({error}); it may be deleted, and is then begun anew"
            raise DataError(located(self.path or "memory", message)) from error

    def close(self) -> None:
        """Release the file."""
        self.connection.close()
