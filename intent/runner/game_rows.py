"""Plans, games and moves in the store of a run."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from intent.agents.plan import GamePlan
from intent.errors import RunError, shorten
from intent.play.rounds import Move, MoveStatus, QuestionAnswer, Round
from intent.runner.answer_rows import AnswerRows, add_answers
from intent.runner.packing import pack, unpack
from intent.runner.runfile import RunFile

__all__ = ["GameRows", "move_of"]

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
        said = json.dumps([dict(s) for s in seats], ensure_ascii=False)
        with self._file.transaction() as db:
            db.execute(
                "INSERT INTO games VALUES (?, 'playing', 0, 0, ?, NULL, ?) ON CONFLICT (game) DO UPDATE "
                "SET state = 'playing', seats = excluded.seats, error = NULL, changed = excluded.changed",
                (game, said, time.time()),
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
        found: dict[int, dict[int, Move]] = {}
        sql = (
            f"SELECT {MOVE_COLUMNS}, round FROM moves LEFT JOIN notes USING (game, round, step, seat) "
            "WHERE game = ?"
        )
        for *row, number in self._file.rows(sql, (game,)):
            move = move_of(row)
            if not isinstance(number, int) or not isinstance(move.seat, int):
                raise RunError(f"{self._file.name}: game {game} has a move of no round or seat")
            found.setdefault(number, {})[move.seat] = move
        return found


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
