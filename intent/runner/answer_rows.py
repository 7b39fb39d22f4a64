"""Answers to comprehension questions in the store of a run."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from intent.errors import RunError
from intent.play.rounds import QuestionAnswer
from intent.runner.packing import pack, unpack
from intent.runner.runfile import RunFile

__all__ = ["AnswerRows", "add_answers"]


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
        found = []
        for number, seat, question, answer, reply in self._file.rows(sql, (game,)):
            if not (isinstance(number, int) and isinstance(seat, int) and isinstance(question, str)):
                raise RunError(f"{self._file.name}: game {game} has an answer of no round, seat or question")
            found.append(QuestionAnswer(number, seat, question, unpack(answer), reply))
        return tuple(found)


def add_answers(db: sqlite3.Connection, game: int, answers: Sequence[QuestionAnswer]) -> None:
    """Put answers into the table, numbered within round and seat, in their order."""
    places: Counter[tuple[int, int]] = Counter()
    rows = []
    for one in answers:
        at = (one.round, one.seat)
        places[at] += 1
        rows.append((game, *at, places[at], one.question, pack(one.answer), one.reply))
    db.executemany("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
