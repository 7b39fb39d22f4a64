"""The durable store of a run: one SQLite file with its plans, games, moves, answers and calls.

Prompts of one kind are alike, so each text is packed with a first one as dictionary. A file that nobody
vouches for is opened only if it holds just the tables of a run.

The calls of a run are a table, too.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import sqlite3
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import pandas as pd

from intent.agents.client import Message, Reply, Usage
from intent.agents.clients.registry import clean
from intent.agents.plan import GamePlan
from intent.base import codebook
from intent.base.binary import open_database, transaction
from intent.base.errors import OutputError, RetryableError, RunError, shorten
from intent.base.masking import redact
from intent.base.tables import TEXT
from intent.play.match import Move, MoveStatus, QuestionAnswer, Round
from intent.runner.caller import Called, CallKey, Failure, Request, call_name

__all__ = [
    "LAYOUT",
    "LIMIT_TEXT",
    "CallRows",
    "GameRows",
    "Journal",
    "RecordedCall",
    "RunFile",
    "RunStore",
    "add_answers",
    "all_calls",
    "call_tables",
    "connect",
    "create",
    "failure_row",
    "pack",
    "unpack",
]

LIMIT_TEXT = 64 * 1024**2
"""Most bytes that a packed text may unpack to."""

_PLAIN = 120
"""Texts of at most so many bytes are kept as they are."""


def pack(text: str | None, base: bytes | None = None) -> str | bytes | None:
    """The text as it is kept: short ones as text, others deflated.

    Parameters
    ----------
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
    write : whether it will be written to

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


RECORDED_COLUMNS = (
    "base, game, round, seat, attempt, asked, text, reasoning, model, created, fingerprint, finish_reason, "
    "prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, body, tool_calls"
)


_KINDS = {
    "time-out": ("no answer within", "timed out"),
    "unreadable answer": ("the answer is", "expected a JSON"),
}
"""What failures without a status are counted as, by words of their messages."""


@dataclass(frozen=True)
class RecordedCall:
    """A kept call.

    Parameters
    ----------
    digest : of the request, as `intent.runner.caller.request_digest`
    """

    key: CallKey
    digest: bytes
    reply: Reply


def recorded_call(row: Sequence[Any], base: bytes | None) -> RecordedCall:
    """The call of a row of `RECORDED_COLUMNS`.

    Parameters
    ----------
    base : the text that its body is packed with

    Raises
    ------
    RunError
        The row is damaged.
    """
    _, game, number, seat, attempt, digest, text, reasoning, *facts, body, tools = row
    key = CallKey(game, number, seat, attempt)
    try:
        sent, tool_calls = json.loads(unpack(body, base) or "{}"), json.loads(unpack(tools) or "[]")
        model, created, fingerprint, finish_reason, *tokens = facts
        reply = Reply(
            text=unpack(text) or "",
            reasoning=unpack(reasoning),
            model=model,
            created=created,
            fingerprint=fingerprint,
            finish_reason=finish_reason,
            usage=Usage(*tokens),
            sent=dict(sent),
            tool_calls=tuple(dict(t) for t in tool_calls),
        )
    except (ValueError, TypeError, RecursionError) as error:
        raise RunError(f"call {tuple(key)} is damaged: {shorten(error)}") from None
    return RecordedCall(key, digest, reply)


def failure_row(failure: object) -> tuple[str, str, float | None]:
    """Kind, message and seconds of a failed request: a `Failure`, or the error of a call."""
    text, seconds = str(failure), None
    if isinstance(failure, Failure):
        text, seconds = failure.error, failure.seconds
    text, status = shorten(redact(text), 500), getattr(failure, "status", None)
    if status is not None:
        return f"HTTP {status}", text, seconds
    if not isinstance(failure, Failure | RetryableError):
        return type(failure).__name__, text, seconds
    kinds = (kind for kind, words in _KINDS.items() if any(word in text for word in words))
    return next(kinds, "connection"), text, seconds


_HERE = "WHERE game = ? AND round = ? AND seat = ? AND attempt = ?"
_LONGEST_BASE = 32 * 1024


class CallRows:
    """What was asked and answered.

    Before a request leaves, `sent` notes it; with the reply, `answered` strikes the note and keeps the
    call, in one transaction. So after a crash the calls that were in flight are known, and only these
    can be sent again.
    """

    def __init__(self, file: RunFile) -> None:
        self._file = file
        self._bases: dict[int, bytes] = {}
        self._base_of: dict[str, int] = {}

    def sent(self, key: CallKey) -> None:
        """A request is about to leave."""
        with self._file.transaction() as db:
            db.execute(
                "INSERT INTO flights VALUES (?, ?, ?, ?, 1, ?) ON CONFLICT DO UPDATE "
                "SET times = times + (sent IS NOT NULL), sent = excluded.sent",
                (*key, time.time()),
            )

    def answered(self, request: Request, called: Called, failures: Iterable[object] = ()) -> None:
        """A request was answered: the call is kept, and is no longer in flight.

        Parameters
        ----------
        failures : iterable of Failure
            Of requests before, such as were not told to `failed`.
        """
        reply, key = called.reply, request.key
        base = self._base_number(request.family, body := _body(request.messages, reply.sent))
        values = {
            **key._asdict(),
            "player": request.player,
            "purpose": request.purpose,
            "asked": request.digest,
            "stored": time.time(),
            "seconds": called.seconds,
            "tries": called.tries,
            "cached": called.cached,
            "cost": called.cost,
            "model": reply.model,
            "created": reply.created,
            "fingerprint": reply.fingerprint,
            "finish_reason": reply.finish_reason,
            "prompt_tokens": reply.usage.prompt_tokens,
            "completion_tokens": reply.usage.completion_tokens,
            "reasoning_tokens": reply.usage.reasoning_tokens,
            "cached_tokens": reply.usage.cached_tokens,
            "draw": request.draw,
            "base": base,
            "body": pack(body, self._bases[base]),
            "text": pack(reply.text),
            "reasoning": pack(reply.reasoning),
            "tool_calls": pack(_json([dict(t) for t in reply.tool_calls]) if reply.tool_calls else None),
        }
        with self._file.transaction() as db:
            flight = db.execute(f"SELECT times FROM flights {_HERE}", key).fetchone()
            db.execute(f"DELETE FROM flights {_HERE}", key)
            values["sends"] = flight[0] if flight else int(not called.cached)
            marks = ", ".join("?" * len(values))
            db.execute(f"INSERT INTO calls ({', '.join(values)}) VALUES ({marks})", [*values.values()])
            _add_failures(db, key, failures)

    def failed(self, key: CallKey, failures: Iterable[object]) -> None:
        """Requests of a call failed: it is not in flight until it is sent again.

        Parameters
        ----------
        failures : iterable of Failure or Exception
        """
        with self._file.transaction() as db:
            db.execute(f"UPDATE flights SET sent = NULL {_HERE}", key)
            _add_failures(db, key, failures)

    def of_game(self, game: int) -> dict[CallKey, RecordedCall]:
        """The kept calls of a game."""
        sql = f"SELECT {RECORDED_COLUMNS} FROM calls WHERE game = ?"
        calls = (recorded_call(row, self.base(row[0])) for row in self._file.rows(sql, (game,)))
        return {call.key: call for call in calls}

    def base(self, number: object) -> bytes | None:
        """The text that a body was packed with.

        Raises
        ------
        RunError
            There is none.
        """
        if number is None:
            return None
        if not isinstance(number, int) or number not in self._bases:
            row = self._file.row("SELECT body FROM bases WHERE id = ?", (number,))
            if row is None or not isinstance(number, int) or not isinstance(row[0], bytes):
                raise RunError(f"{self._file.name}: no base {number}, which bodies of calls are packed with")
            self._bases[number] = row[0]
        return self._bases[number]

    def _base_number(self, family: str, body: str) -> int:
        """The number of the family's base; its first body becomes that."""
        if family not in self._base_of:
            raw = body.encode("utf-8", "surrogatepass")[:_LONGEST_BASE]
            with self._file.transaction() as db:
                number = int(db.execute("INSERT INTO bases (body) VALUES (?)", (raw,)).lastrowid or 0)
            self._base_of[family], self._bases[number] = number, raw
        return self._base_of[family]


def _add_failures(db: sqlite3.Connection, key: CallKey, failures: Iterable[object]) -> None:
    db.executemany(
        "INSERT INTO failures (game, round, seat, attempt, time, kind, message, seconds) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(*key, time.time(), *failure_row(failure)) for failure in failures],
    )


def _body(messages: Iterable[Message], sent: Any) -> str:
    """The body as it was sent; the messages, where a client of Python's own sends none."""
    return _json(dict(sent) or {"messages": [_message(m) for m in messages]})


def _message(message: Message) -> dict[str, Any]:
    """Role, content, and what it says of tools."""
    fields: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        fields["tool_calls"] = [dict(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        fields["tool_call_id"] = message.tool_call_id
    return fields


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def add_answers(db: sqlite3.Connection, game: int, answers: Sequence[QuestionAnswer]) -> None:
    """Put answers into the table, numbered within round and seat, in their order."""
    places: Counter[tuple[int, int]] = Counter()
    rows = []
    for one in answers:
        at = (one.round, one.seat)
        places[at] += 1
        rows.append((game, *at, places[at], one.question, pack(one.answer), one.reply))
    db.executemany("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


MOVE_COLUMNS = (
    "seat, step, action, status, message, private_thought, reasoning, reply, prompt, advice, details"
)


class GameRows:
    """What is planned, and how far each game came."""

    def __init__(self, file: RunFile) -> None:
        self._file = file

    def plan(self, game: int) -> GamePlan:
        """The plan of a game, by its place from 1."""
        return next(self.plans("WHERE game = ?", (game,)))

    def plans(self, where: str = "", values: Sequence[Any] = ()) -> Iterator[GamePlan]:
        """All plans in order, or some.

        Raises
        ------
        RunError
            One is damaged.
        """
        for game, text in self._file.rows(f"SELECT game, plan FROM plans {where} ORDER BY game", values):
            try:
                yield GamePlan.model_validate_json(unpack(text) or "")
            except ValueError as error:
                raise RunError(f"{self._file.name}: plan {game} is damaged: {shorten(error, 200)}") from None

    def unfinished(self) -> list[tuple[int, str]]:
        """Place and players of each game that is still to be played, in order."""
        sql = (
            "SELECT game, players FROM plans WHERE game NOT IN "
            "(SELECT game FROM games WHERE state = 'finished') ORDER BY game"
        )
        return [(int(game), str(players)) for game, players in self._file.rows(sql)]

    def begin(self, game: int, seats: Sequence[Mapping[str, Any]]) -> None:
        """A game is played from now on; what kept it from its end before is forgotten.

        Parameters
        ----------
        seats : sequence of mapping, by seat
            Columns of the log's seats table.
        """
        text = json.dumps([dict(s) for s in seats], ensure_ascii=False)
        with self._file.transaction() as db:
            db.execute(
                "INSERT INTO games VALUES (?, 'playing', 0, 0, ?, NULL, ?) ON CONFLICT (game) DO UPDATE "
                "SET state = 'playing', seats = excluded.seats, error = NULL, changed = excluded.changed",
                (game, text, time.time()),
            )

    def keep(
        self,
        game: int,
        played: Round,
        *,
        ended: bool,
        cut: bool,
        answers: Sequence[QuestionAnswer] = (),
    ) -> None:
        """Keep a completed round; with the last one, that the game is finished: one transaction.

        Moves are kept as they were decided; what an implementation error made of them follows from the plan.

        Parameters
        ----------
        ended : whether it was the last round
        cut : whether a reply that could not be read ended it
        answers : to the questions asked after it
        """
        moves = [
            (
                *(game, played.number, m.step, m.seat, m.submitted.action, m.status, m.reply, m.prompt),
                *(pack(text) for text in (m.message, m.private_thought, m.reasoning)),
            )
            for m in played.moves
        ]
        notes = [
            (game, played.number, m.step, m.seat, m.advice, pack(m.details))
            for m in played.moves
            if m.advice is not None or m.details is not None
        ]
        with self._file.transaction() as db:
            db.executemany("INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", moves)
            db.executemany("INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?)", notes)
            add_answers(db, game, answers)
            db.execute(
                "UPDATE games SET state = ?, rounds = max(rounds, ?), cut = ?, changed = ? WHERE game = ?",
                ("finished" if ended else "playing", played.number, cut, time.time(), game),
            )

    def interrupt(self, game: int, error: str) -> None:
        """A game is set aside, with what kept it from its end."""
        with self._file.transaction() as db:
            db.execute(
                "INSERT INTO games VALUES (?, 'interrupted', 0, 0, NULL, ?, ?) ON CONFLICT (game) DO UPDATE "
                "SET state = 'interrupted', error = excluded.error, changed = excluded.changed",
                (game, error, time.time()),
            )

    def answers(self, game: int) -> tuple[QuestionAnswer, ...]:
        """The kept answers of a game, by round, seat and question.

        Raises
        ------
        RunError
            One is damaged.
        """
        sql = (
            "SELECT round, seat, question, answer, reply FROM answers WHERE game = ? "
            "ORDER BY round, seat, place"
        )
        answers = []
        for number, seat, question, answer, reply in self._file.rows(sql, (game,)):
            if not (isinstance(number, int) and isinstance(seat, int) and isinstance(question, str)):
                raise RunError(f"{self._file.name}: game {game} has an answer of no round, seat or question")
            answers.append(QuestionAnswer(number, seat, question, unpack(answer), reply))
        return tuple(answers)

    def rounds(self, game: int) -> dict[int, dict[int, Move]]:
        """Round -> seat -> move, of the completed rounds that are kept."""
        moves: dict[int, dict[int, Move]] = {}
        sql = (
            f"SELECT {MOVE_COLUMNS}, round FROM moves LEFT JOIN notes USING (game, round, step, seat) "
            "WHERE game = ?"
        )
        for *row, number in self._file.rows(sql, (game,)):
            move = move_of(row)
            if not isinstance(number, int) or not isinstance(move.seat, int):
                raise RunError(f"{self._file.name}: game {game} has a move of no round or seat")
            moves.setdefault(number, {})[move.seat] = move
        return moves


def move_of(row: Sequence[Any]) -> Move:
    """The move of a row of `MOVE_COLUMNS`; the referee is who believes it or not."""
    seat, step, action, status, message, private_thought, reasoning, reply, prompt, advice, details = row
    return Move(
        *(seat, step, action, cast(MoveStatus, status), unpack(message)),
        private_thought=unpack(private_thought),
        reasoning=unpack(reasoning),
        reply=reply,
        prompt=prompt,
        advice=advice,
        details=unpack(details),
    )


_NOBODY_PLAYS = "UPDATE games SET state = 'waiting' WHERE state = 'playing'"


class RunStore:
    """The SQLite database of a run; one transaction per completed call and round.

    Parameters
    ----------
    write : whether it will be written to; one process at a time may (`intent.logs.run_folder`)

    Attributes
    ----------
    file : RunFile
    games : GameRows
    calls : CallRows

    Raises
    ------
    RunError
        The file is absent, damaged, of another version, or no database of a run.
    """

    def __init__(self, path: Path, *, write: bool = False) -> None:
        self.file = RunFile(path, write=write)
        self.games, self.calls = GameRows(self.file), CallRows(self.file)

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    @staticmethod
    def create(path: Path, plans: Iterable[GamePlan], journal: Journal) -> str:
        """Make the database of a new run.

        Returns
        -------
        str
            SHA-256 of the plans, in hex.

        Raises
        ------
        RunError
            A game_id occurs twice, or there is no plan.
        OutputError
            The file cannot be written.
        """
        digest = hashlib.sha256()
        try:
            db = create(path, journal)
            try:
                db.execute("BEGIN")
                n = 0
                for n, plan in enumerate(plans, start=1):
                    text = plan.model_dump_json()
                    digest.update(f"{len(text)}\n{text}".encode())
                    row = (n, plan.game_id, _players(plan), plan.horizon().expected, pack(text))
                    try:
                        db.execute("INSERT INTO plans VALUES (?, ?, ?, ?, ?)", row)
                    except sqlite3.IntegrityError:
                        raise RunError(
                            f"game_id {plan.game_id!r} is planned twice, expected unique identifiers"
                        ) from None
                if not n:
                    raise RunError("no game is planned, expected at least one")
                db.execute("COMMIT")
            finally:
                db.close()
        except sqlite3.Error as error:
            raise OutputError(f"cannot write {path}: {error}") from None
        return digest.hexdigest()

    def begin_session(self) -> int:
        """The run is being played from now on; the number of the session."""
        done = self.progress()
        with self.file.transaction() as db:
            db.execute(
                "UPDATE sessions SET reason = 'killed', "
                "ended = max(started, coalesce((SELECT max(stored) FROM calls), started)) WHERE ended IS NULL"
            )
            db.execute(_NOBODY_PLAYS)
            sql = (
                "INSERT INTO sessions (started, progress, calls) VALUES (?, ?, (SELECT count(*) FROM calls))"
            )
            return int(db.execute(sql, (time.time(), done)).lastrowid or 0)

    def end_session(self, session: int, reason: str) -> None:
        """It is no longer played, and why."""
        with self.file.transaction() as db:
            db.execute(_NOBODY_PLAYS)
            sql = "UPDATE sessions SET ended = ?, reason = ? WHERE id = ?"
            db.execute(sql, (time.time(), reason, session))

    def progress(self) -> float:
        """Share of the expected rounds that have been played."""
        sql = (
            "SELECT sum(CASE games.state WHEN 'finished' THEN plans.rounds "
            "ELSE min(coalesce(games.rounds, 0), plans.rounds) END) / sum(plans.rounds) "
            "FROM plans LEFT JOIN games USING (game)"
        )
        return self.file.number(sql)


def _players(plan: GamePlan) -> str:
    """The models of a game: what it waits for."""
    return ",".join(sorted({seat.player for seat in plan.seats if seat.kind == "model"}))


_NAMES = [column.name for column in codebook.CALLS]
_STORED = [name for name in _NAMES if name not in ("reference", "game_id", "failures")]
_PACKED = ("text", "reasoning", "tool_calls")
_DTYPES = {"int": "Int64", "float": "float64", "bool": "boolean"}


def all_calls(
    store: RunStore, game_id: str | None = None, rounds: tuple[int, int] | None = None
) -> pd.DataFrame:
    """All calls, or those of one game and its rounds from a first to a last one.

    They are in the order of games, rounds, seats and attempts.
    """
    where: str = ""
    values: tuple[object, ...] = ()
    if game_id is not None:
        where, values = "WHERE game_id = ?", (game_id,)
    if game_id is not None and rounds is not None:
        where, values = f"{where} AND calls.round BETWEEN ? AND ?", (game_id, *rounds)
    return _table(list(_rows(store, where, values)))


def call_tables(store: RunStore, size: int) -> Iterator[pd.DataFrame]:
    """All calls in tables of `size` rows, in the same order; one empty table where there are none."""
    rows: list[dict[str, Any]] = []
    begun = False
    for row in _rows(store, "", ()):
        rows.append(row)
        if len(rows) == size:
            yield _table(rows)
            rows, begun = [], True
    if rows or not begun:
        yield _table(rows)


def _rows(store: RunStore, where: str, values: tuple[object, ...]) -> Iterator[dict[str, Any]]:
    failed = set(store.file.rows("SELECT DISTINCT game, round, seat, attempt FROM failures"))
    columns = ", ".join(f"calls.{name}" for name in _STORED)
    sql = (
        f"SELECT game, game_id, base, {columns} FROM calls JOIN plans USING (game) {where} "
        "ORDER BY game, calls.round, seat, attempt"
    )
    for game, name, base, *rest in store.file.rows(sql, values):
        row = dict(zip(_STORED, rest, strict=True))
        for column in _PACKED:
            row[column] = _clean(unpack(row[column]))
        row["body"] = _clean(unpack(row["body"], store.calls.base(base)))
        key = CallKey(game, row["round"], row["seat"], row["attempt"])
        row["game_id"], row["reference"] = name, call_name(name, key)
        row["failures"] = _failures(store, key) if key in failed else None
        yield row


def _clean(text: str | None) -> str | None:
    """Text that a table can hold, whatever client it came from."""
    return None if text is None else clean(text)


def _failures(store: RunStore, key: CallKey) -> str:
    sql = (
        "SELECT time, kind, message, seconds FROM failures "
        "WHERE game = ? AND round = ? AND seat = ? AND attempt = ? ORDER BY id"
    )
    names = ("time", "kind", "message", "seconds")
    rows = [dict(zip(names, row, strict=True)) for row in store.file.rows(sql, key)]
    return json.dumps(rows, ensure_ascii=False, default=str)


def _table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    data = {}
    for column in codebook.CALLS:
        values = pd.Series([row[column.name] for row in rows], dtype=object)
        try:
            data[column.name] = values.astype(cast(Any, _DTYPES.get(column.kind, TEXT)))
        except (TypeError, ValueError, OverflowError) as error:
            raise RunError(f"calls: column {column.name!r} is no {column.kind}: {shorten(error)}") from None
    return pd.DataFrame(data)
