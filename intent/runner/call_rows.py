"""Calls in the store of a run: noted before they are sent, kept when they are answered."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable
from typing import Any

from intent.agents.client import Message
from intent.errors import RunError
from intent.runner.called import Called
from intent.runner.keys import CallKey, Request
from intent.runner.packing import pack
from intent.runner.recorded import RECORDED_COLUMNS, RecordedCall, failure_row, recorded_call
from intent.runner.runfile import RunFile

__all__ = ["CallRows"]

_HERE = "WHERE game = ? AND round = ? AND seat = ? AND attempt = ?"
_LONGEST_BASE = 32 * 1024


class CallRows:
    """What was asked and answered.

    Before a request leaves, `sent` notes it; with the reply, `answered` strikes the note and keeps the
    call, in one transaction. So after a crash the calls that were in flight are known, and only these
    can be sent again.

    Parameters
    ----------
    file : RunFile
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
        request : Request
        called : Called
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
            found = db.execute(f"SELECT times FROM flights {_HERE}", key).fetchone()
            db.execute(f"DELETE FROM flights {_HERE}", key)
            values["sends"] = found[0] if found else int(not called.cached)
            marks = ", ".join("?" * len(values))
            db.execute(f"INSERT INTO calls ({', '.join(values)}) VALUES ({marks})", [*values.values()])
            _add_failures(db, key, failures)

    def failed(self, key: CallKey, failures: Iterable[object]) -> None:
        """Requests of a call failed: it is not in flight until it is sent again.

        Parameters
        ----------
        key : CallKey
        failures : iterable of Failure or Exception
        """
        with self._file.transaction() as db:
            db.execute(f"UPDATE flights SET sent = NULL {_HERE}", key)
            _add_failures(db, key, failures)

    def of_game(self, game: int) -> dict[CallKey, RecordedCall]:
        """The kept calls of a game."""
        sql = f"SELECT {RECORDED_COLUMNS} FROM calls WHERE game = ?"
        found = (recorded_call(row, self.base(row[0])) for row in self._file.rows(sql, (game,)))
        return {call.key: call for call in found}

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
            found = self._file.row("SELECT body FROM bases WHERE id = ?", (number,))
            if found is None or not isinstance(number, int) or not isinstance(found[0], bytes):
                raise RunError(f"{self._file.name}: no base {number}, which bodies of calls are packed with")
            self._bases[number] = found[0]
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
    said: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        said["tool_calls"] = [dict(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        said["tool_call_id"] = message.tool_call_id
    return said


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
