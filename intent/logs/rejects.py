"""Rows that could not be read: counted, listed with line number and reason, never silently dropped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from intent import schema
from intent.errors import DataError, located, shorten
from intent.files.bounds import beyond, bounds
from intent.logs.tablefile import write_table
from intent.logs.tables import TEXT

__all__ = ["Rejects", "write_rejects"]

_TEXT = 200


class Rejects:
    """Collects the rejected rows of one file.

    Parameters
    ----------
    file : str or Path
    strict : bool
        Whether one rejected row is an error.
    """

    def __init__(self, file: str | Path, *, strict: bool = False) -> None:
        self.file, self.strict = Path(file), strict
        self._rows: list[tuple[int | None, str, str]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, line: int | None, reason: str, text: str | Callable[[], str] = "") -> None:
        """Reject a row: its line in the file (from 1), what is wrong, and the beginning of it."""
        self.expect(1)
        quoted = text if isinstance(text, str) else text()
        self._rows.append((line, reason, shorten(quoted, _TEXT)))

    def expect(self, n: int) -> None:
        """Make sure that so many rows more may be rejected; call it before long work on them.

        Raises
        ------
        LimitError
            More rows cannot be read than ``rejects`` of `Bounds` allows to list.
        """
        if len(self._rows) + n > bounds().rejects:
            first = f"; the first: {self._rows[0][1]}" if self._rows else ""
            what = f"{len(self._rows) + n:,} rows and more cannot be read{first}"
            raise beyond(self.file, what, "rejects", self._rows[0][0] if self._rows else None)

    def table(self, n_read: int) -> pd.DataFrame:
        """The rejected rows by line, as `schema.REJECTS`.

        Parameters
        ----------
        n_read : int
            Rows that could be read.

        Raises
        ------
        DataError
            Rows were rejected and reading is strict, or not one row could be read.
        """
        rows = sorted(self._rows, key=lambda row: row[0] or 0)
        if rows and self.strict:
            raise DataError(located(self.file, rows[0][1], rows[0][0]))
        if rows and not n_read:
            first = f"the first in line {rows[0][0]}" if rows[0][0] else "the first"
            raise DataError(
                located(self.file, f"not one of {len(rows):,} rows can be read; {first}: {rows[0][1]}")
            )
        return pd.DataFrame(
            {
                "file": pd.Series([str(self.file)] * len(rows), dtype=TEXT),
                "line": pd.Series([row[0] for row in rows], dtype="Int64"),
                "reason": pd.Series([row[1] for row in rows], dtype=TEXT),
                "text": pd.Series([row[2] for row in rows], dtype=TEXT),
            },
            columns=[column.name for column in schema.REJECTS],
        )


def write_rejects(rejects: pd.DataFrame, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the rejected rows of a log as a table; the suffix of the path says how."""
    return write_table(rejects, path, {"table": "rejects"}, overwrite=overwrite)
