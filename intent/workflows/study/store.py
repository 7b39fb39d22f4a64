"""The cells of a study that are done: one row per key in an SQLite file, kept whatever ends the run."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from intent.errors import OutputError, shorten
from intent.files.database import open_database, transaction
from intent.files.json_text import json_value
from intent.private import private

__all__ = ["CellStore", "digest"]

_LONGEST_QUERY = 500
_FOREIGN = "SELECT 1 FROM sqlite_master WHERE type IN ('view', 'trigger')"
"""What computes when a file from elsewhere is read or written."""


def digest(identity: Any) -> str:
    """The key of what determines a result: 24 hexadecimal digits of the SHA-256 of its JSON."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


class CellStore:
    """Key -> JSON object. Each `put` is one transaction: all of its rows are kept, or none.

    Parameters
    ----------
    path : file, made where absent

    Raises
    ------
    OutputError
        The file cannot be opened, or is not such a store.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            with private():
                self._base = open_database(self.path, timeout=5)
                if self._base.execute(_FOREIGN).fetchone():
                    raise sqlite3.DatabaseError("it holds views or triggers")
            with transaction(self._base):
                self._base.execute("CREATE TABLE IF NOT EXISTS cells (key TEXT PRIMARY KEY, value TEXT)")
                self._base.execute("SELECT key, value FROM cells LIMIT 0")
        except sqlite3.Error as error:
            raise OutputError(f"{self.path}: not a store of cells ({shorten(error)})") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()

    def put(self, cells: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep cells, in place of those with the same keys."""
        rows = [(key, json.dumps(value)) for key, value in cells.items()]
        with transaction(self._base):
            self._base.executemany("INSERT OR REPLACE INTO cells VALUES (?, ?)", rows)

    def get(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Those of the keys that are there, with their values.

        Raises
        ------
        OutputError
            A value is no JSON object.
        """
        wanted = list(dict.fromkeys(keys))
        found: dict[str, dict[str, Any]] = {}
        for first in range(0, len(wanted), _LONGEST_QUERY):
            part = wanted[first : first + _LONGEST_QUERY]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, value FROM cells WHERE key IN ({marks})"
            found |= {key: self._read(key, value) for key, value in self._base.execute(query, part)}
        return found

    def _read(self, key: str, text: Any) -> dict[str, Any]:
        try:
            value = json_value(text)
        except (ValueError, TypeError, AttributeError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        raise OutputError(
            f"{self.path}: cell {shorten(key)} holds {shorten(repr(text))}, expected a JSON object"
        )
