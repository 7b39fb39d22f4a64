"""The tables of a run's database, and opening one that nobody vouches for.

A run's database as an object: queries and transactions, whose complaints are errors of the run.

Texts in little room: prompts of one kind are alike, so each is packed with a first one as dictionary.
"""

from __future__ import annotations

import math
import os
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from intent.base.database import open_database, transaction
from intent.base.errors import RunError, shorten

__all__ = ["LAYOUT", "LIMIT_TEXT", "Journal", "RunFile", "connect", "create", "pack", "unpack"]


LIMIT_TEXT = 64 * 1024**2
"""Most bytes that a packed text may unpack to."""

_PLAIN = 120
"""Texts of at most so many bytes are kept as they are."""


def pack(text: str | None, base: bytes | None = None) -> str | bytes | None:
    """The text as it is kept: short ones as text, others deflated.

    Parameters
    ----------
    text : str or None
    base : bytes, optional
        A text that it has much in common with, which is needed again to unpack it. Requests of one
        experiment took 2.0 kB each as text, 540 bytes deflated, 105 with the first one as base.
    """
    if text is None:
        return None
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= _PLAIN and b"\0" not in raw and raw.isascii():
        return text
    packer = zlib.compressobj(6) if base is None else zlib.compressobj(6, zdict=base)
    return packer.compress(raw) + packer.flush()


def unpack(packed: object, base: bytes | None = None) -> str | None:
    """The text again.

    Raises
    ------
    RunError
        It is damaged, or longer than anything that is ever kept.
    """
    if packed is None or isinstance(packed, str):
        return packed
    if not isinstance(packed, bytes):
        raise RunError(f"a packed text is a {type(packed).__name__}, expected text or bytes")
    try:
        unpacker = zlib.decompressobj() if base is None else zlib.decompressobj(zdict=base)
        raw = unpacker.decompress(packed, LIMIT_TEXT)
        if not unpacker.eof:
            raise RunError(f"a packed text is cut short, or longer than {LIMIT_TEXT:,} bytes")
        return raw.decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError) as error:
        raise RunError(f"a packed text is damaged: {error}") from None


Journal = Literal["wal", "delete"]
"""How SQLite keeps transactions: a write-ahead log, or a journal that network file systems can bear."""

LAYOUT = 2
"""Version of these tables; kept in the file as ``user_version``."""

_APPLICATION = 0x696E7472

TABLES = {
    # What is to be played. `rounds` is the expected number, `players` the models.
    "plans": """CREATE TABLE plans (
    game INTEGER PRIMARY KEY, game_id TEXT NOT NULL UNIQUE, players TEXT NOT NULL, rounds REAL NOT NULL,
    plan NOT NULL)""",
    # How far it came. `cut`: the game ended before its time because a reply could not be read.
    "games": """CREATE TABLE games (
    game INTEGER PRIMARY KEY, state TEXT NOT NULL, rounds INTEGER NOT NULL, cut INTEGER NOT NULL,
    seats TEXT, error TEXT, changed REAL NOT NULL)""",
    "moves": """CREATE TABLE moves (
    game INTEGER, round INTEGER, step INTEGER, seat INTEGER, action TEXT, status TEXT NOT NULL,
    reply TEXT, prompt TEXT, message, private_thought, reasoning,
    PRIMARY KEY (game, round, step, seat)) WITHOUT ROWID""",
    # Small columns first: counting reads no texts. Untyped columns are packed texts.
    "calls": """CREATE TABLE calls (
    id INTEGER PRIMARY KEY, game INTEGER NOT NULL, round INTEGER NOT NULL, seat INTEGER NOT NULL,
    attempt INTEGER NOT NULL, player TEXT NOT NULL, purpose TEXT NOT NULL, asked BLOB NOT NULL,
    stored REAL NOT NULL, seconds REAL NOT NULL, tries INTEGER NOT NULL, sends INTEGER NOT NULL,
    cached INTEGER NOT NULL, cost REAL, model TEXT, created REAL, fingerprint TEXT, finish_reason TEXT,
    prompt_tokens INTEGER, completion_tokens INTEGER, reasoning_tokens INTEGER, cached_tokens INTEGER,
    draw TEXT NOT NULL, base INTEGER, body, text, reasoning, tool_calls)""",
    "calls_key": "CREATE UNIQUE INDEX calls_key ON calls (game, round, seat, attempt)",
    # Texts that bodies of calls are packed with.
    "bases": "CREATE TABLE bases (id INTEGER PRIMARY KEY, body NOT NULL)",
    # Calls that were sent and have no answer yet; `sent` is null after a failure, `times` counts the crashes.
    "flights": """CREATE TABLE flights (
    game INTEGER, round INTEGER, seat INTEGER, attempt INTEGER, times INTEGER NOT NULL, sent REAL,
    PRIMARY KEY (game, round, seat, attempt)) WITHOUT ROWID""",
    # Requests that failed, whether or not a later try had an answer.
    "failures": """CREATE TABLE failures (
    id INTEGER PRIMARY KEY, game INTEGER NOT NULL, round INTEGER NOT NULL, seat INTEGER NOT NULL,
    attempt INTEGER NOT NULL, time REAL NOT NULL, kind TEXT NOT NULL, message TEXT NOT NULL, seconds REAL)""",
    "failures_key": "CREATE INDEX failures_key ON failures (game, round, seat, attempt)",
    # Each time that the run was played; `progress` is what was done when it began.
    "sessions": """CREATE TABLE sessions (
    id INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL, progress REAL NOT NULL, calls INTEGER NOT NULL,
    reason TEXT)""",
}

LATER = {
    # Moves of which an agent recorded more. `details` is a JSON object.
    "notes": """CREATE TABLE notes (
    game INTEGER, round INTEGER, step INTEGER, seat INTEGER, advice TEXT, details,
    PRIMARY KEY (game, round, step, seat)) WITHOUT ROWID""",
    # Answers to comprehension questions after a round, `place` from 1 within round and seat.
    "answers": """CREATE TABLE answers (
    game INTEGER, round INTEGER, seat INTEGER, place INTEGER, question TEXT NOT NULL, answer, reply TEXT,
    PRIMARY KEY (game, round, seat, place)) WITHOUT ROWID""",
}
"""Tables that a file of layout 1 lacks."""

_LAYOUTS = {1: TABLES, LAYOUT: TABLES | LATER}


def create(path: Path, journal: Journal) -> sqlite3.Connection:
    """A new database with these tables."""
    db = open_database(path, timeout=5)
    db.execute(f"PRAGMA journal_mode={journal.upper()}")
    db.execute(f"PRAGMA application_id={_APPLICATION}")
    db.execute(f"PRAGMA user_version={LAYOUT}")
    for statement in (TABLES | LATER).values():
        db.execute(statement)
    return db


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """The database of a run.

    Where `write` is false, it is only read; on a medium that cannot be written to as well. A file of
    layout 1 is read as if the tables that it lacks were empty, and gets them before it is written to.

    Raises
    ------
    RunError
        There is none, it is of another version, damaged, or holds other tables than these: a file from
        elsewhere could bring triggers or views, which SQLite would run.
    """
    if not path.is_file() or path.is_symlink():
        raise RunError(f"{path.parent.name}: no file {path.name}, expected the database of a run")
    name = f"{path.parent.name}/{path.name}"
    try:
        uri = f"{path.absolute().as_uri()}?{_mode(path, write)}"
        db = open_database(uri, timeout=30, uri=True, cell=2 * LIMIT_TEXT)
    except sqlite3.Error as error:
        raise RunError(f"{name}: cannot open: {error}") from None
    try:
        layout = _check(db, name)
        if write:
            db.execute("PRAGMA synchronous=NORMAL")
            _upgrade(db)
        else:
            _stand_in(db, layout)
            db.execute("PRAGMA query_only=ON")
    except sqlite3.Error as error:
        db.close()
        raise RunError(f"{name}: cannot be used as the database of a run: {error}") from None
    except RunError:
        db.close()
        raise
    return db


def _mode(path: Path, write: bool) -> str:
    """How to open: a write-ahead log needs a writable folder, unless nothing is left in it."""
    if write or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return "mode=rw"
    left = path.with_name(f"{path.name}-wal")
    return "mode=ro" if left.is_file() and left.stat().st_size else "mode=ro&immutable=1"


def _check(db: sqlite3.Connection, name: str) -> int:
    """The layout, if all is as that has it."""
    db.execute("BEGIN")  # one state of the file, though another process may just be changing its layout
    (layout,) = db.execute("PRAGMA user_version").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    statements = dict(
        db.execute(
            "SELECT name, sql FROM sqlite_master WHERE NOT (type = 'index' AND sql IS NULL) LIMIT 100"
        ).fetchall()
    )
    db.execute("ROLLBACK")
    if application != _APPLICATION:
        raise RunError(f"{name}: not the database of a run")
    if layout not in _LAYOUTS:
        known = " and ".join(map(str, _LAYOUTS))
        raise RunError(f"{name}: layout {layout}, this version of intent reads layouts {known}")
    expected = _LAYOUTS[layout]
    if statements != expected:
        odd = sorted(str(n) for n in statements.keys() ^ expected.keys()) or ["a table with other columns"]
        raise RunError(f"{name}: holds {', '.join(odd[:3])}, expected just the tables of a run")
    return int(layout)


def _upgrade(db: sqlite3.Connection) -> None:
    """Bring the file to the present layout, whoever else may be doing so."""
    with transaction(db):
        (layout,) = db.execute("PRAGMA user_version").fetchone()
        if layout < LAYOUT:
            for statement in LATER.values():
                db.execute(statement)
            db.execute(f"PRAGMA user_version={LAYOUT}")


def _stand_in(db: sqlite3.Connection, layout: int) -> None:
    """Empty tables of this connection alone, for those that the file lacks."""
    if layout < LAYOUT:
        db.execute("PRAGMA temp_store=MEMORY")
        for statement in LATER.values():
            db.execute(statement.replace("CREATE TABLE", "CREATE TEMP TABLE", 1))


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
            first: tuple[Any, ...] | None = self._db.execute(sql, values).fetchone()
            return first

    def count(self, sql: str, values: Sequence[Any] = ()) -> int:
        """The one whole number that a query asks for; null is 0."""
        return int(self.number(sql, values))

    def number(self, sql: str, values: Sequence[Any] = ()) -> float:
        """The one number, whole or not, that a query asks for; null is 0."""
        first = self.row(sql, values)
        value = first[0] if first else None
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
