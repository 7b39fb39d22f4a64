"""Replies stored as they come, a JSON line each: work that was cut short goes on and asks nothing twice."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from intent.errors import DataError, OutputError, located
from intent.files.bounds import bounds
from intent.files.json_text import json_value
from intent.files.text import file_bytes
from intent.private import private

__all__ = ["Replies", "reply_key"]


def reply_key(asked: Mapping[str, Any]) -> str:
    """What a reply is known by: everything that was asked, as a digest."""
    text = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Replies:
    """A file of JSON lines that only grows.

    A last line without its end, as a crash leaves it, is cut off before the next reply is written.

    Parameters
    ----------
    path : Path
    fields : sequence of str
        What every line has beside ``key`` and ``text``.

    Raises
    ------
    DataError
        A line in the middle that is no reply.
    OutputError
        The file cannot be written.
    """

    def __init__(self, path: Path, fields: Sequence[str] = ()) -> None:
        self.path = path
        self._fields = ("key", "text", *fields)
        self.known: dict[str, dict[str, Any]] = {}
        whole = self._read() if path.exists() else b""
        try:
            if path.exists() and path.stat().st_size > len(whole):
                os.truncate(path, len(whole))
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror or error}") from None

    def _read(self) -> bytes:
        """The complete lines; fills `known`."""
        if not self.path.is_file():
            raise DataError(located(self.path, "no file, expected replies"))
        raw = file_bytes(self.path, bounds().json_bytes, "replies")
        whole = raw[: raw.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                row = json_value(line)
                if not all(name in row for name in self._fields) or not isinstance(row["text"], str):
                    raise TypeError
            except (ValueError, TypeError, RecursionError):
                raise DataError(located(self.path, "expected a stored reply", number)) from None
            self.known[str(row["key"])] = row
        return whole

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a reply; it is on the disk when this returns.

        Raises
        ------
        OutputError
        """
        line = json.dumps(dict(row), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        try:
            with private(), self.path.open("ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"cannot write {self.path}: {error.strerror or error}") from None
        self.known[str(row["key"])] = dict(row)
