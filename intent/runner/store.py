"""The durable store of a run: plans, games, moves, calls.

Calls in the store of a run: noted before they are sent, kept when they are answered.

Plans, games and moves in the store of a run.

Answers to comprehension questions in the store of a run.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from intent.agents.client import Message
from intent.agents.plan import GamePlan
from intent.base.errors import OutputError, RunError, shorten
from intent.play.match import Move, MoveStatus, QuestionAnswer, Round
from intent.runner.calls import (
    RECORDED_COLUMNS,
    Called,
    CallKey,
    RecordedCall,
    Request,
    failure_row,
    recorded_call,
)
from intent.runner.database import Journal, RunFile, create, pack, unpack

__all__ = ["AnswerRows", "CallRows", "GameRows", "RunStore", "add_answers", "move_of"]


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
        key : CallKey
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


class AnswerRows:
    """What players answered between the rounds.

    Parameters
    ----------
    file : RunFile
    """

    def __init__(self, file: RunFile) -> None:
        self._file = file

    def of_game(self, game: int) -> tuple[QuestionAnswer, ...]:
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
    """What is planned, and how far each game came.

    Parameters
    ----------
    file : RunFile

    Attributes
    ----------
    answers : AnswerRows
    """

    def __init__(self, file: RunFile) -> None:
        self._file = file
        self.answers = AnswerRows(file)

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
        game : int
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
        game : int
        played : Round
        ended : bool
            Whether it was the last round.
        cut : bool
            Whether a reply that could not be read ended it.
        answers : sequence of QuestionAnswer
            To the questions asked after it.
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
    path : Path
    write : bool
        Whether it will be written to; one process at a time may (`intent.logs.run_folder`).

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
