"""Replies of earlier calls, known by all that was sent and the draw; replies as they come, a line each."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from intent.agents.client import Client, Reply, Usage
from intent.base.caches import SharedFile, cache_folder
from intent.base.errors import DataError, OutputError, located
from intent.base.files import bounds, file_bytes, private
from intent.base.json_text import json_value

__all__ = ["CallCache", "Replies", "cache_path", "canonical", "reply_key"]


SCHEMA = """
CREATE TABLE replies (key BLOB PRIMARY KEY, model TEXT NOT NULL, stored REAL NOT NULL, reply TEXT NOT NULL)
WITHOUT ROWID
"""

MOST_CHARACTERS = 4_000_000
"""Of a reply with the body it answers; a longer one is not kept."""


def cache_path() -> Path:
    """The user's own cache of calls."""
    return cache_folder() / "calls.sqlite"


def canonical(body: Mapping[str, Any]) -> bytes:
    """The one JSON text of a body, whatever the order of its fields."""
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


class CallCache:
    """A file of replies that several processes may use at a time.

    The key is the SHA-256 of endpoint, model, body as sent and draw. The draw differs between the calls of
    a run, so that two repetitions never share a reply, however alike their prompts are.

    Parameters
    ----------
    path : None keeps replies in memory

    Attributes
    ----------
    hits, misses : int, of this object
    """

    def __init__(self, path: Path | None = None) -> None:
        self._file = SharedFile(path, SCHEMA, version=1)
        self.hits = self.misses = 0

    @staticmethod
    def key(client: Client, body: bytes, draw: str) -> bytes:
        """What a call is known by; `body` as `canonical` writes it."""
        known = json.dumps([client.endpoint, client.name, draw]).encode()
        return hashlib.sha256(known + b"\n" + body).digest()

    def get(self, key: bytes) -> Reply | None:
        """The reply, or None where there is none that can be read.

        Raises
        ------
        DataError
            The file is damaged.
        """
        with self._file.explained():
            row = self._file.connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        reply = None if row is None else reply_from_json(row[0])
        self.hits += reply is not None
        self.misses += reply is None
        return reply

    def put(self, key: bytes, model: str, reply: Reply) -> None:
        """Keep a reply; the first one of a key stays.

        Raises
        ------
        DataError
            The file is damaged.
        """
        text = json.dumps(asdict(reply))
        if len(text) <= MOST_CHARACTERS:
            with self._file.transaction() as connection:
                connection.execute(
                    "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)", (key, model, time.time(), text)
                )

    def close(self) -> None:
        """Release the file."""
        self._file.close()


def reply_from_json(text: str) -> Reply | None:
    """A reply as `CallCache.put` wrote it, None for another text."""
    try:
        fields = json.loads(text)
        usage, calls = Usage(**fields.pop("usage")), tuple(fields.pop("tool_calls"))
        reply = Reply(usage=usage, tool_calls=calls, **fields)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return reply if isinstance(reply.text, str) else None


def reply_key(facts: Mapping[str, Any]) -> str:
    """What a reply is known by: everything that was asked, as a digest."""
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Replies:
    """A file of JSON lines that only grows.

    A last line without its end, as a crash leaves it, is cut off before the next reply is written.

    Parameters
    ----------
    fields : what every line has beside ``key`` and ``text``

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
