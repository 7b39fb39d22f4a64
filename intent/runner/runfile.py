"""A run's database as an object: queries and transactions, whose complaints are errors of the run."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from intent.errors import RunError, shorten
from intent.files.database import transaction
from intent.runner.tables import connect

__all__ = ["RunFile"]


class RunFile:
    """An open database of a run.

    Parameters
    ----------
    path : Path
    write : bool
        Whether it will be written to.

    Raises
    ------
    RunError
        The file is absent, damaged, of another version, or no database of a run.
    """

    def __init__(self, path: Path, *, write: bool) -> None:
        self.name = path.parent.name
        self._db = connect(path, write=write)

    def close(self) -> None:
        """Release the file."""
        self._db.close()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, as they come."""
        with self._explained():
            yield from self._db.execute(sql, values)

    def row(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a query."""
        with self._explained():
            found: tuple[Any, ...] | None = self._db.execute(sql, values).fetchone()
            return found

    def count(self, sql: str, values: Sequence[Any] = ()) -> int:
        """The one whole number that a query asks for; null is 0."""
        return int(self.number(sql, values))

    def number(self, sql: str, values: Sequence[Any] = ()) -> float:
        """The one number, whole or not, that a query asks for; null is 0."""
        found = self.row(sql, values)
        value = found[0] if found else None
        if value is None or (isinstance(value, int | float) and math.isfinite(value)):
            return value or 0
        raise RunError(f"{self.name}: the run's database holds {shorten(value, 20)!r}, expected a number")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write transaction, undone where an error leaves the block."""
        with self._explained(), transaction(self._db) as db:
            yield db

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise RunError(f"{self.name}: the run's database fails: {error}") from None
