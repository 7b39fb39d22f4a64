"""One planned game: played by agents, or replayed from the moves that a run keeps.

All whose turn it is are asked at once and their moves handed to the referee; comprehension questions stand
between two rounds. A replay is the referee's check that kept moves are play by its rules, and says what
they pay.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from intent.agents.agent import Agent, Answering, Ask, Decision
from intent.agents.clients.registry import clean
from intent.agents.plan import TOLD, GamePlan
from intent.base.errors import GameError, RunError
from intent.play.match import Match, Move, QuestionAnswer, Round, View
from intent.play.referee import Referee
from intent.runner.caller import CallKey
from intent.runner.store import GameRows, RunFile, RunStore

__all__ = ["check_run", "log_columns", "play_game", "replay", "stage", "stored_matches", "together"]


def stage(plan: GamePlan) -> tuple[Referee, list[np.random.Generator]]:
    """The referee of a game, and a random stream for every seat.

    The streams of horizon and seats are spawned from the plan's seed, in this order, as
    `intent.play.referee.play` does; implementation errors have one of their own, spawned after them. So the
    draws of a seat depend on nothing that other seats or games do, and a game resumed has the errors it had.

    Raises
    ------
    GameError
        Payoffs, seats or rules that make no game.
    """
    of_horizon, *of_seat, of_errors = np.random.default_rng(plan.seed).spawn(2 + len(plan.seats))
    referee = Referee(
        plan.stage(),
        plan.horizon(),
        stop=plan.stop,
        communication=plan.communication,
        rng=of_horizon,
        implementation_error=plan.implementation_error,
        errors=of_errors,
    )
    return referee, of_seat


T = TypeVar("T")


async def together(awaited: Sequence[Awaitable[T]]) -> list[T]:
    """All results, asked for at once; an error waits until every one has come, so that no reply is lost."""
    if len(awaited) == 1:
        return [await awaited[0]]
    results = await asyncio.gather(*awaited, return_exceptions=True)
    for one in results:
        if isinstance(one, BaseException):
            raise one
    return [one for one in results if not isinstance(one, BaseException)]


async def ask_questions(
    plan: GamePlan,
    agents: Sequence[Agent],
    referee: Referee,
    asks: Mapping[int, Ask],
    streams: Sequence[np.random.Generator],
) -> tuple[QuestionAnswer, ...]:
    """What the seats answer after the last completed round: every model each question, in order.

    All seats are asked at once, each its questions one after another. The view is that of the round to
    come, also after the last one, so that a player can look back on all rounds. Strategies and humans
    are not asked, nor are agents that cannot answer (`intent.agents.agent.Answering`).

    References
    ----------
    Fontana et al. 2024, arXiv:2406.13605 (comprehension questions); Cremonini 2025, The Agent's Dilemma.
    """
    number = len(referee.record)
    answering: list[Awaitable[tuple[QuestionAnswer, ...]]] = []
    for seat in range(1, len(plan.seats) + 1) if plan.questions else ():
        agent = agents[seat - 1]
        if plan.seats[seat - 1].kind == "model" and isinstance(agent, Answering):
            view = replace(referee.view(seat), round=number + 1, phase="choose")
            answering.append(_of_seat(plan, agent, view, asks[seat], streams[seat - 1]))
    return tuple(answer for answers in await together(answering) for answer in answers)


async def _of_seat(
    plan: GamePlan, agent: Answering, view: View, ask: Ask, rng: np.random.Generator
) -> tuple[QuestionAnswer, ...]:
    answers = []
    for question in plan.questions:
        decision = await agent.answer(question, view, ask, rng)
        answers.append(QuestionAnswer(view.round - 1, view.seat, question, decision.message, decision.reply))
    return tuple(answers)


async def play_game(
    plan: GamePlan,
    agents: Sequence[Agent],
    ask_of: Callable[[int, int], Ask],
    keep: Callable[[Round, bool, bool, tuple[QuestionAnswer, ...]], None],
    before: Mapping[int, Mapping[int, Move]] | None = None,
) -> None:
    """Play a game from its plan.

    Parameters
    ----------
    agents : sequence of Agent, by seat
    ask_of : called with round and seat, once per round
        What the seat asks with.
    keep : called with each completed round, whether the game has ended, whether a reply that could not
        be read ended it, and the answers to the questions that the plan has
    before : mapping of round -> seat -> move, optional
        What humans did when this game was played before: they are not asked again.

    Raises
    ------
    GameError
        The plan makes no game, or an agent breaks its rules.
    Exception
        Whatever an agent raises, once the others whose turn it was have answered.
    """
    referee, streams = stage(plan)
    humans = {s for s, seat in enumerate(plan.seats, start=1) if seat.kind == "human"}
    asks: dict[int, Ask] = {}
    number, cut = 0, False
    while not referee.over:
        turn, speaking = referee.pending(), referee.phase == "message"
        views = {seat: referee.view(seat) for seat in turn}
        if views[turn[0]].round > number:
            number += 1
            asks = {seat: ask_of(number, seat) for seat in range(1, len(plan.seats) + 1)}
        known = (before or {}).get(number, {})
        decisions: list[Awaitable[Decision]] = []
        for seat in turn:
            agent = agents[seat - 1]
            act = agent.speak if speaking else agent.choose
            decisions.append(
                _remembered(known[seat], plan, speaking)
                if seat in humans and seat in known
                else act(views[seat], asks[seat], streams[seat - 1])
            )
        for seat, decision in zip(turn, await together(decisions), strict=True):
            _hand_over(referee, seat, decision, speaking)
            cut = cut or decision.end
        if cut:
            referee.finish()
        if len(rounds := referee.record) == number:
            answers = await ask_questions(plan, agents, referee, asks, streams)
            keep(rounds[-1], referee.over, cut, answers)


def _hand_over(referee: Referee, seat: int, decision: Decision, speaking: bool) -> None:
    if speaking:
        referee.speak(seat, decision.message)
        return
    referee.submit(
        seat,
        decision.action,
        decision.status,
        decision.message,
        private_thought=decision.private_thought,
        reasoning=decision.reasoning,
        reply=decision.reply,
        prompt=decision.prompt,
        advice=decision.advice,
        details=_details(decision.details),
    )


def _details(details: Mapping[str, Any]) -> str | None:
    """The JSON object; None of nothing."""
    return clean(json.dumps(dict(details), ensure_ascii=False, allow_nan=False)) if details else None


async def _remembered(move: Move, plan: GamePlan, speaking: bool) -> Decision:
    """What a human did before; after a message phase no message goes with the move."""
    message = move.message if speaking or plan.communication == "none" else None
    return Decision(move.action, move.status, message, move.private_thought)


def replay(
    plan: GamePlan, rounds: Mapping[int, Mapping[int, Move]], *, finished: bool, cut: bool
) -> tuple[Round, ...]:
    """The rounds of a game with their payoffs.

    Parameters
    ----------
    rounds : mapping of round -> seat -> move
    finished : whether the game must be over after them
    cut : whether a reply that could not be read ended it

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


def stored_matches(
    file: RunFile, run: str, *, unfinished: bool = False, only: Iterable[int] | None = None
) -> Iterator[Match]:
    """The finished games of a run in the order of their plans, one at a time.

    Parameters
    ----------
    run : what the log calls the run
    unfinished : also the completed rounds of games that are not finished
    only : places of the games among the plans, from 1; default: all

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
        answers = check_answers(plan, rows.answers(game), len(rounds))
        columns = log_columns(plan, run)
        yield Match(plan.stage(), plan.horizon(), rounds, _seats(plan, seats), columns, answers)


def check_answers(
    plan: GamePlan, answers: tuple[QuestionAnswer, ...], rounds: int
) -> tuple[QuestionAnswer, ...]:
    """The answers themselves, if each is to a planned question, after a round that was played."""
    by_place: dict[tuple[int, int], tuple[str, ...]] = {}
    for one in answers:
        at = (one.round, one.seat)
        if not (1 <= one.round <= rounds and 1 <= one.seat <= len(plan.seats)):
            raise RunError(
                f"game {plan.game_id}: an answer of round {one.round}, seat {one.seat}, expected one of "
                f"{rounds} rounds and {len(plan.seats)} seats"
            )
        by_place[at] = (*by_place.get(at, ()), one.question)
    for seat in {seat for _, seat in by_place}:
        for number in range(1, rounds + 1):
            if (questions := by_place.get((number, seat), ())) != plan.questions:
                raise RunError(
                    f"game {plan.game_id}, round {number}, seat {seat}: answers to "
                    f"{', '.join(questions) or 'nothing'}, expected {', '.join(plan.questions) or 'nothing'}"
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
        **{
            key: getattr(plan, key)
            for key in TOLD
            if getattr(plan, key) != GamePlan.model_fields[key].default
        },
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
    problems = [
        f"file: {row[0]}" for row in store.file.rows(f"PRAGMA integrity_check({_MOST})") if row[0] != "ok"
    ]
    if problems:
        return problems
    for sql, what in _QUERIES.items():
        for row in store.file.rows(f"{sql} LIMIT {_MOST}"):
            game, number, seat, attempt = CallKey(*row)
            problems.append(f"call of game {game}, round {number}, seat {seat}, attempt {attempt}: {what}")
    problems.extend(_games(store))
    problems.extend(_stray(store))
    problems.extend(_references(store))
    return problems


def _games(store: RunStore) -> Iterator[str]:
    for game, state, rounds, cut in store.file.rows("SELECT game, state, rounds, cut FROM games"):
        try:
            moves = store.games.rounds(game)
            if len(moves) != rounds:
                yield f"game {game}: {len(moves)} rounds are kept, expected {rounds}"
            plan = store.games.plan(game)
            replay(plan, moves, finished=state == "finished", cut=bool(cut))
            check_answers(plan, store.games.answers(game), len(moves))
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
