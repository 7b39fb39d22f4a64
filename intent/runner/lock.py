"""One process at a time plays a run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from intent.errors import RunError
from intent.files.database import open_database
from intent.private import private

__all__ = ["is_locked", "locked"]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock for the time of the block.

    It is the exclusive lock of an empty SQLite file: the system gives it up when its process ends, however
    it ends, and it works wherever SQLite does.

    Raises
    ------
    RunError
        Another process holds it, or the file cannot be made.
    """
    with closing(_held(path)):
        yield


def _held(path: Path) -> sqlite3.Connection:
    name = path.parent.name
    held = None
    try:
        with private():
            held = open_database(path, timeout=1.0)
            held.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if held is not None:
            held.close()
        if "locked" in str(error):
            raise RunError(f"{name}: another process is playing this run, expected none") from None
        raise RunError(f"{name}: cannot lock {path.name}: {error}") from None
    return held


def is_locked(path: Path) -> bool:
    """Whether some process holds the lock now."""
    if not path.is_file():
        return False
    try:
        with closing(open_database(path, timeout=0)) as probe:
            probe.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error as error:
        return "locked" in str(error)
    return False
