"""Kept moves as matches again: the referee says whether they are play by its rules, and what they pay.

Whether a stored run is whole: the file, the keys, the rounds, the rules of the games.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from intent.agents.plan import GamePlan
from intent.base.errors import GameError, RunError
from intent.play.match import Match, Move, QuestionAnswer, Round
from intent.play.referee import Referee
from intent.runner.calls import CallKey
from intent.runner.database import RunFile
from intent.runner.game import stage
from intent.runner.store import GameRows, RunStore

__all__ = ["check_answers", "check_run", "log_columns", "match_store", "replay"]


def replay(
    plan: GamePlan, rounds: Mapping[int, Mapping[int, Move]], *, finished: bool, cut: bool
) -> tuple[Round, ...]:
    """The rounds of a game with their payoffs.

    Parameters
    ----------
    plan : GamePlan
    rounds : mapping of round -> seat -> move
    finished : bool
        Whether the game must be over after them.
    cut : bool
        Whether a reply that could not be read ended it.

    Raises
    ------
    RunError
        A round or move is missing, or is not by the rules.
    """
    where = f"game {plan.game_id}"
    referee, _ = stage(plan)
    for number in range(1, len(rounds) + 1):
        if number not in rounds:
            raise RunError(f"{where}: round {number} is missing, {len(rounds)} rounds are kept")
        try:
            _replay_round(referee, rounds[number], plan)
        except GameError as error:
            raise RunError(f"{where}: {error}") from None
        except KeyError:
            raise RunError(
                f"{where}, round {number}: moves of seats {sorted(rounds[number])}, expected one of each"
            ) from None
    if finished and not (referee.over or (cut and rounds)):
        raise RunError(f"{where}: finished after {len(rounds)} rounds, which its rules do not end")
    return referee.record


def _replay_round(referee: Referee, moves: Mapping[int, Move], plan: GamePlan) -> None:
    """Hand the kept moves of a round to the referee; KeyError where they are not those it waits for."""
    played, left = len(referee.record), dict(moves)
    while referee.phase == "message":
        for seat in referee.pending():
            referee.speak(seat, moves[seat].message)
    while len(referee.record) == played:
        if referee.over:
            raise GameError(f"round {played + 1}: moves after the end of the match, expected none")
        for seat in referee.pending():
            move = left.pop(seat)
            referee.submit(
                seat,
                move.action,
                move.status,
                move.message if plan.communication == "none" else None,
                private_thought=move.private_thought,
                reasoning=move.reasoning,
                reply=move.reply,
                prompt=move.prompt,
                advice=move.advice,
                details=move.details,
            )
    if left:
        raise KeyError(next(iter(left)))


def match_store(
    file: RunFile, run: str, *, unfinished: bool = False, only: Iterable[int] | None = None
) -> Iterator[Match]:
    """The finished games of a run in the order of their plans, one at a time.

    Parameters
    ----------
    file : RunFile
    run : str
        What the log calls the run.
    unfinished : bool
        Also the completed rounds of games that are not finished.
    only : iterable of int, optional
        Places of the games among the plans, from 1; default: all.

    Raises
    ------
    RunError
        A game is damaged.
    """
    rows = GameRows(file)
    which = "rounds > 0" if unfinished else "state = 'finished'"
    chosen: tuple[str, ...] = () if only is None else (json.dumps(sorted(only)),)
    among = "AND game IN (SELECT value FROM json_each(?))" if chosen else ""
    sql = f"SELECT game, state, cut, seats FROM games WHERE {which} {among} ORDER BY game"
    for game, state, cut, seats in file.rows(sql, chosen):
        plan = rows.plan(game)
        rounds = replay(plan, rows.rounds(game), finished=state == "finished", cut=bool(cut))
        answers = check_answers(plan, rows.answers.of_game(game), len(rounds))
        columns = log_columns(plan, run)
        yield Match(plan.stage(), plan.horizon(), rounds, _seats(plan, seats), columns, answers)


def check_answers(
    plan: GamePlan, answers: tuple[QuestionAnswer, ...], rounds: int
) -> tuple[QuestionAnswer, ...]:
    """The answers themselves, if each is to a planned question, after a round that was played.

    Raises
    ------
    RunError
        One is not, or a seat answered other questions after one round than after another.
    """
    given: dict[tuple[int, int], tuple[str, ...]] = {}
    for one in answers:
        at = (one.round, one.seat)
        if not (1 <= one.round <= rounds and 1 <= one.seat <= len(plan.seats)):
            raise RunError(
                f"game {plan.game_id}: an answer of round {one.round}, seat {one.seat}, expected one of "
                f"{rounds} rounds and {len(plan.seats)} seats"
            )
        given[at] = (*given.get(at, ()), one.question)
    for seat in {seat for _, seat in given}:
        for number in range(1, rounds + 1):
            if (found := given.get((number, seat), ())) != plan.questions:
                raise RunError(
                    f"game {plan.game_id}, round {number}, seat {seat}: answers to "
                    f"{', '.join(found) or 'nothing'}, expected {', '.join(plan.questions) or 'nothing'}"
                )
    return answers


def _seats(plan: GamePlan, text: object) -> tuple[Mapping[str, Any], ...]:
    try:
        seats = json.loads(str(text))
        json.dumps(seats, ensure_ascii=False).encode()  # no lone surrogates, which no log can hold
    except (ValueError, RecursionError):
        seats = None
    if (
        not isinstance(seats, list)
        or len(seats) != len(plan.seats)
        or not all(isinstance(s, dict) for s in seats)
    ):
        raise RunError(f"game {plan.game_id}: its seats are not described as they should be")
    return tuple(seats)


def log_columns(plan: GamePlan, run: str) -> dict[str, Any]:
    """What the log's games table says of a planned game, beyond rules and result."""
    return {
        "prompts": plan.prompts,
        "framing": plan.framing,
        "communication": plan.communication,
        "listed_first": plan.listed_first or next(iter(plan.stage().actions), None),
        "named_first": plan.named_first,
        **({"implementation_error": plan.implementation_error} if plan.implementation_error else {}),
        **({} if plan.memory is None else {"memory": plan.memory}),
        **({} if plan.totals == "shown" else {"totals": plan.totals}),
        **plan.columns,
        "game_id": plan.game_id,
        "run": run,
        "language": plan.language,
        "repetition": plan.repetition,
    }


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
