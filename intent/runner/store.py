"""The durable store of a run: plans, games, moves, calls."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path

from intent.agents.plan import GamePlan
from intent.errors import OutputError, RunError
from intent.runner.call_rows import CallRows
from intent.runner.game_rows import GameRows
from intent.runner.packing import pack
from intent.runner.runfile import RunFile
from intent.runner.tables import Journal, create

__all__ = ["RunStore"]

_NOBODY_PLAYS = "UPDATE games SET state = 'waiting' WHERE state = 'playing'"


class RunStore:
    """The SQLite database of a run; one transaction per completed call and round.

    Parameters
    ----------
    path : Path
    write : bool
        Whether it will be written to; one process at a time may (`intent.runner.lock`).

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
