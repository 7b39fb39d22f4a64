"""Whether a stored run is whole: the file, the keys, the rounds, the rules of the games."""

from __future__ import annotations

from collections.abc import Iterator

from intent.errors import GameError, RunError
from intent.runner.keys import CallKey
from intent.runner.replay import check_answers, replay
from intent.runner.store import RunStore

__all__ = ["check_run"]

_MOST = 100
"""Problems of one kind that are listed."""

_KEY = "game, round, seat, attempt"

_QUERIES = {
    f"SELECT {_KEY} FROM calls GROUP BY {_KEY} HAVING count(*) > 1": "stored twice",
    f"SELECT {_KEY} FROM calls JOIN flights USING ({_KEY})": "stored, but noted as in flight",
    f"SELECT {_KEY} FROM flights JOIN games USING (game) WHERE state = 'finished'": (
        "in flight, though its game is finished"
    ),
    f"SELECT {_KEY} FROM calls WHERE game NOT IN (SELECT game FROM plans)": "of a game that is not planned",
    f"SELECT {_KEY} FROM calls JOIN games USING (game) WHERE state = 'finished' AND round > rounds": (
        "in a round after the end of its game"
    ),
    "SELECT game, round, seat, max(attempt) FROM calls GROUP BY game, round, seat "
    "HAVING max(attempt) != count(*) OR min(attempt) != 1": "the last of calls with a gap",
    f"SELECT {_KEY} FROM calls WHERE tries < 1 - cached OR sends < 1 - cached OR seconds < 0": (
        "said to have been sent less than once"
    ),
}
"""Query for keys of calls -> what is wrong with those."""


def check_run(store: RunStore) -> list[str]:
    """What is wrong with a run, in words; empty where nothing is.

    The file's own integrity; calls stored twice, with gaps, in flight and stored, or after the end of
    their game; games whose kept rounds have gaps or are not play by the rules; answers to questions that
    were not asked; what agents recorded of moves that are not there; references of moves and answers to
    calls that are not there.
    """
    found = [
        f"file: {row[0]}" for row in store.file.rows(f"PRAGMA integrity_check({_MOST})") if row[0] != "ok"
    ]
    if found:
        return found
    for sql, what in _QUERIES.items():
        for row in store.file.rows(f"{sql} LIMIT {_MOST}"):
            game, number, seat, attempt = CallKey(*row)
            found.append(f"call of game {game}, round {number}, seat {seat}, attempt {attempt}: {what}")
    found.extend(_games(store))
    found.extend(_stray(store))
    found.extend(_references(store))
    return found


def _games(store: RunStore) -> Iterator[str]:
    for game, state, rounds, cut in store.file.rows("SELECT game, state, rounds, cut FROM games"):
        try:
            kept = store.games.rounds(game)
            if len(kept) != rounds:
                yield f"game {game}: {len(kept)} rounds are kept, expected {rounds}"
            plan = store.games.plan(game)
            replay(plan, kept, finished=state == "finished", cut=bool(cut))
            check_answers(plan, store.games.answers.of_game(game), len(kept))
        except StopIteration:
            yield f"game {game}: not planned"
        except (RunError, GameError) as error:
            yield str(error)


def _stray(store: RunStore) -> Iterator[str]:
    """Rows that belong to no game or move."""
    sql = f"SELECT DISTINCT game FROM answers WHERE game NOT IN (SELECT game FROM games) LIMIT {_MOST}"
    for (game,) in store.file.rows(sql):
        yield f"game {game}: answers to questions of a game that was not begun"
    sql = (
        "SELECT game, round, seat FROM notes WHERE NOT EXISTS (SELECT 1 FROM moves WHERE moves.game = "
        "notes.game AND moves.round = notes.round AND moves.step = notes.step AND moves.seat = notes.seat) "
        f"LIMIT {_MOST}"
    )
    for game, number, seat in store.file.rows(sql):
        yield f"game {game}, round {number}, seat {seat}: advice or details of no kept move"


def _references(store: RunStore) -> Iterator[str]:
    """References of moves and answers that lead to no call."""
    for table, column in (("moves", "reply"), ("moves", "prompt"), ("answers", "reply")):
        sql = (
            f"SELECT game_id, {table}.round, {table}.seat, {column} FROM {table} JOIN plans USING (game) "
            f"WHERE {column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM calls WHERE calls.game = {table}.game "
            f"AND calls.round = {table}.round AND calls.seat = {table}.seat AND "
            f"plans.game_id || '/' || calls.round || '/' || calls.seat || '/' || calls.attempt = {column}) "
            f"LIMIT {_MOST}"
        )
        for game_id, number, seat, reference in store.file.rows(sql):
            yield f"game {game_id}, round {number}, seat {seat}: {column} {reference!r} is no stored call"
