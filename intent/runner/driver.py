"""Plays the unfinished games of a run, many at a time, until all are over or something stops it.

What was answered before comes from the store, the rest from the models; every group of players gets its
share of the games in flight. Ctrl-C once ends a run cleanly, twice at once.

In one game all whose turn it is are asked at once and their moves handed to the referee; comprehension
questions stand between two rounds. A replay is the referee's check that kept moves are play by its rules, and
says what they pay.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from intent.agents.agent import Agent, Answer, Answering, Ask, Decision
from intent.agents.client import Message, Settings, Tool
from intent.agents.clients.registry import clean
from intent.agents.plan import TOLD, GamePlan
from intent.base.errors import (
    BudgetSpent,
    EndpointError,
    GameError,
    IntentError,
    RetryableError,
    RunError,
    shorten,
)
from intent.base.masking import redact
from intent.play.match import Match, Move, QuestionAnswer, Round, View
from intent.play.referee import Referee
from intent.runner.caller import Called, CallKey, Failure, Request, call_name, draw_text
from intent.runner.store import CallRows, GameRows, RecordedCall, RunFile, RunStore

__all__ = [
    "Calling",
    "Desk",
    "Driver",
    "Outcome",
    "Schedule",
    "Stop",
    "check_run",
    "log_columns",
    "on_signals",
    "outcome_of",
    "play_game",
    "replay",
    "stage",
    "stored_matches",
    "together",
]


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


class Schedule:
    """Games that wait, in groups that share no endpoint's time with each other.

    The next game is the first of the group with the fewest in flight, so that a slow model does not
    keep the others waiting, and games of one group begin in the order of their plans.

    Parameters
    ----------
    games : iterable of (game, group)
    """

    def __init__(self, games: Iterable[tuple[int, str]]) -> None:
        self._queues: dict[str, deque[int]] = {}
        self._group: dict[int, str] = {}
        self._in_flight: dict[str, int] = {}
        for game, group in games:
            self._queues.setdefault(group, deque()).append(game)
            self._in_flight[group] = 0

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def take(self) -> int | None:
        """The next game, None when all have been taken."""
        if not self._queues:
            return None
        group = min(self._queues, key=lambda name: self._in_flight[name])
        game = self._queues[group].popleft()
        if not self._queues[group]:
            del self._queues[group]
        self._group[game] = group
        self._in_flight[group] += 1
        return game

    def give_back(self, game: int) -> None:
        """A taken game is in flight no longer."""
        self._in_flight[self._group.pop(game)] -= 1


class Calling(Protocol):
    """Whoever makes calls: waits for the limits, tries again, counts; see `intent.runner.caller.Caller`."""

    async def call(
        self,
        messages: Sequence[Message],
        settings: Settings,
        tools: Sequence[Tool] = (),
        *,
        draw: str,
        on_send: Callable[[], None] | None = None,
        on_failure: Callable[[Failure], None] | None = None,
    ) -> Called:
        """The reply.

        `on_send` is called before each request leaves, and not for a cached reply; `on_failure` with each
        request that failed.
        """
        ...


class Hopeless(Exception):
    """No further call can succeed: a refused key, a setting not honoured, a spent budget, nobody there."""

    def __init__(self, error: IntentError) -> None:
        super().__init__(str(error))
        self.error = error


class Desk:
    """Where the seats of all games ask.

    Parameters
    ----------
    caller_of : from the player of a seat plan to who makes its calls
    on_answer : called after each new answer
    """

    def __init__(
        self,
        calls: CallRows,
        caller_of: Callable[[str], Calling],
        on_answer: Callable[[], None] = lambda: None,
    ) -> None:
        self._calls, self._caller_of, self._on_answer = calls, caller_of, on_answer
        self._waiting: set[asyncio.Task[Any]] = set()
        self._heard: set[str] = set()
        self.closed = False

    def close(self) -> None:
        """Send nothing more: calls that wait for their turn are cancelled, those in flight have this try."""
        self.closed = True
        for task in tuple(self._waiting):
            task.cancel()

    async def ask(self, request: Request) -> Called:
        """The model's answer, kept.

        Raises
        ------
        RetryableError
            The last try failed.
        Hopeless
            No other call will succeed either; also where the model has not answered once since the desk
            was opened, so that a wrong address does not use up the tries of every game.
        asyncio.CancelledError
            The desk is closed.
        """
        if self.closed:
            raise asyncio.CancelledError
        task = asyncio.current_task()
        assert task is not None
        key, reported = request.key, 0

        def on_send() -> None:
            self._calls.sent(key)
            self._waiting.discard(task)

        def on_failure(failure: Failure) -> None:
            nonlocal reported
            reported += 1
            self._calls.failed(key, [failure])
            self._waiting.add(task)
            if self.closed:
                task.cancel()

        self._waiting.add(task)
        try:
            caller = self._caller_of(request.player)
            called = await caller.call(
                *(request.messages, request.settings, request.tools),
                draw=request.draw,
                on_send=on_send,
                on_failure=on_failure,
            )
        except Exception as error:
            failures = getattr(error, "failures", ())
            unsent = isinstance(error, BudgetSpent) and not failures
            self._calls.failed(key, failures[reported:] if failures else [] if unsent else [error])
            if isinstance(error, IntentError) and not isinstance(error, RetryableError):
                raise Hopeless(error) from error
            if isinstance(error, RetryableError) and request.player not in self._heard:
                raise Hopeless(error) from error
            raise
        finally:
            self._waiting.discard(task)
        self._heard.add(request.player)
        self._calls.answered(request, called, called.failures[reported:])
        self._on_answer()
        return called


class SeatAsk:
    """What a seat asks with during one round; its calls are counted over both phases.

    Parameters
    ----------
    recorded : what was answered before in this game; what is asked again leaves it
    at : the place of the seat in the round, attempt 0
    """

    def __init__(
        self, desk: Desk, plan: GamePlan, recorded: dict[CallKey, RecordedCall], at: CallKey
    ) -> None:
        self._desk, self._plan, self._recorded, self._last = desk, plan, recorded, at

    async def __call__(
        self,
        messages: Sequence[Message],
        settings: Settings | None = None,
        *,
        purpose: str = "choose",
        tools: Sequence[Tool] = (),
    ) -> Answer:
        """The answer; None as settings means those of the seat."""
        self._last = key = self._last._replace(attempt=self._last.attempt + 1)
        plan = self._plan
        seat = plan.seats[key.seat - 1]
        request = Request(
            key,
            seat.player,
            purpose,
            tuple(messages),
            seat.settings if settings is None else settings,
            tuple(tools),
            draw_text(plan, key),
            "\n".join((seat.player, plan.prompts, plan.language, str(seat.persona))),
        )
        known = self._recorded.pop(key, None)
        if known is None:
            reply = (await self._desk.ask(request)).reply
        elif known.digest == request.digest:
            reply = known.reply
        else:
            raise RunError(
                f"game {plan.game_id}, round {key.round}, seat {key.seat}, attempt {key.attempt}: the stored "
                "call asked something else, expected the same request: the prompts or agents changed"
            )
        return Answer(reply, call_name(plan.game_id, key))


Cause = Literal["signal", "budget", "endpoint", "error"]


@dataclass(frozen=True)
class Stop:
    """Why a run stopped before all games were over.

    Parameters
    ----------
    cause : {"signal", "budget", "endpoint", "error"}
    """

    cause: Cause
    reason: str
    error: IntentError | None = None


class Driver:
    """Plays games, a window of them at a time.

    Each game asks all seats whose turn it is at once, and waits for its own answers only. Calls wait
    in one queue per endpoint, first come first served; with a window wide enough all games advance
    together, so that the endpoint is never idle before the last round.

    Parameters
    ----------
    agents_of : from a plan to its agents, by seat
    window : games in flight
    on_game : called with ``finished`` or ``interrupted`` after each game that is over or set aside
    """

    def __init__(
        self,
        store: RunStore,
        desk: Desk,
        agents_of: Callable[[GamePlan], Sequence[Agent]],
        *,
        window: int,
        on_game: Callable[[str], None] = lambda state: None,
    ) -> None:
        self._store, self._desk, self._agents_of = store, desk, agents_of
        self._schedule = Schedule(store.games.unfinished())
        self._window, self._on_game = window, on_game
        self._stopped = asyncio.Event()
        self.stop: Stop | None = None

    def halt(self, stop: Stop) -> None:
        """Begin nothing more and send nothing more; the first reason counts."""
        if self.stop is None:
            self.stop = stop
            self._desk.close()
            self._stopped.set()

    async def run(self, patience: float, at_once: asyncio.Event) -> Stop | None:
        """Play until all games are over or set aside, or a stop.

        Parameters
        ----------
        patience : float, seconds
            How long calls in flight are waited for after a stop.
        at_once : Event
            Ends that waiting.

        Returns
        -------
        Stop or None
        """
        workers: list[asyncio.Task[None]] = []
        stopped, hurry = (asyncio.create_task(event.wait()) for event in (self._stopped, at_once))
        first = asyncio.FIRST_COMPLETED
        try:
            for _ in range(min(self._window, len(self._schedule))):
                workers.append(asyncio.create_task(self._work()))
                # The first calls leave before the last games have written their prompts.
                await asyncio.sleep(0)
            everyone: asyncio.Future[Any] = asyncio.gather(*workers, return_exceptions=True)
            await asyncio.wait([everyone, stopped], return_when=first)
            await asyncio.wait([everyone, hurry], timeout=patience, return_when=first)
        finally:
            stopped.cancel()
            hurry.cancel()
            for worker in workers:
                worker.cancel()
            results = await asyncio.gather(*workers, stopped, hurry, return_exceptions=True)
        for one in results:
            if isinstance(one, BaseException) and not isinstance(one, asyncio.CancelledError):
                raise one
        return self.stop

    async def _work(self) -> None:
        try:
            while self.stop is None and (game := self._schedule.take()) is not None:
                if state := await self._play(game):
                    self._on_game(state)
                self._schedule.give_back(game)
                # Games without models never wait; signals and progress get their turn here.
                await asyncio.sleep(0)
        except RunError as error:
            self.halt(Stop("error", str(error), error))

    async def _play(self, game: int) -> str | None:
        """One game, whose end, whatever it is, is kept; how it ended, None for not yet."""
        try:
            await self._play_plan(game, self._store.games.plan(game))
            return "finished"
        except asyncio.CancelledError:
            if self.stop is None:
                raise
        except Hopeless as problem:
            self.halt(Stop(_cause(problem.error), redact(str(problem.error)), problem.error))
        except RunError as error:
            self.halt(Stop("error", str(error), error))
        except Exception as error:  # noqa: BLE001 (a fault of one agent is not one of the other games)
            kind = "" if isinstance(error, IntentError) else f"{type(error).__name__}: "
            self._store.games.interrupt(game, shorten(redact(f"{kind}{error}"), 500))
            return "interrupted"
        return None

    async def _play_plan(self, game: int, plan: GamePlan) -> None:
        store = self._store
        recorded, before = store.calls.of_game(game), store.games.rounds(game)
        answered = store.games.answers(game)
        agents = self._agents_of(plan)
        store.games.begin(game, [agent.columns for agent in agents])

        def ask_of(number: int, seat: int) -> SeatAsk:
            return SeatAsk(self._desk, plan, recorded, CallKey(game, number, seat, 0))

        def keep(played: Round, ended: bool, cut: bool, answers: tuple[QuestionAnswer, ...]) -> None:
            number = played.number
            if recorded and ended:
                raise RunError(_unasked(plan, min(recorded)))
            if (earlier := before.get(number)) is None:
                store.games.keep(game, played, ended=ended, cut=cut, answers=answers)
            elif earlier != {move.seat: move.submitted for move in played.moves}:
                raise RunError(_changed(plan, number, "played", "moves"))
            elif answers != tuple(one for one in answered if one.round == number):
                raise RunError(_changed(plan, number, "questions answered", "answers"))

        await play_game(plan, agents, ask_of, keep, before)


def _cause(error: IntentError) -> Cause:
    if isinstance(error, BudgetSpent):
        return "budget"
    return "endpoint" if isinstance(error, EndpointError) else "error"


def _changed(plan: GamePlan, number: int, done: str, same: str) -> str:
    return (
        f"game {plan.game_id}, round {number}: {done} otherwise than before, expected the same {same}: the "
        "prompts or agents changed"
    )


def _unasked(plan: GamePlan, key: CallKey) -> str:
    return (
        f"game {plan.game_id}, round {key.round}, seat {key.seat}, attempt {key.attempt}: this stored call "
        "is not asked again, expected the same requests: the prompts or agents changed"
    )


@dataclass(frozen=True)
class Outcome:
    """How far a run came.

    Parameters
    ----------
    finished, interrupted, left : games that are over; set aside with an error; neither
    calls : new calls that were stored
    resent : calls that had been in flight when the run was last ended, and were sent again
    stop : why it stopped before the last game was over or set aside
    """

    finished: int
    interrupted: int
    left: int
    calls: int
    resent: int
    stop: Stop | None
    seconds: float


def outcome_of(store: RunStore, session: int, stop: Stop | None, seconds: float) -> Outcome:
    """What a session brought."""
    count = store.file.count
    planned = count("SELECT count(*) FROM plans")
    finished = count("SELECT count(*) FROM games WHERE state = 'finished'")
    interrupted = count("SELECT count(*) FROM games WHERE state = 'interrupted'")
    since = "SELECT count(*) - (SELECT calls FROM sessions WHERE id = ?) FROM calls"
    began = "WHERE stored >= (SELECT started FROM sessions WHERE id = ?) AND sends > 1"
    return Outcome(
        finished=finished,
        interrupted=interrupted,
        left=planned - finished - interrupted,
        calls=count(since, (session,)),
        resent=count(f"SELECT sum(sends - 1) FROM calls {began}", (session,)),
        stop=stop,
        seconds=seconds,
    )


@contextmanager
def on_signals(act: Callable[[str], None]) -> Iterator[None]:
    """Call `act` with the name of each SIGINT or SIGTERM that comes while the block lasts.

    Where that cannot be (another thread than the main one, Windows), signals do what they do otherwise:
    asyncio cancels the task that waits.
    """
    loop = asyncio.get_running_loop()
    signals = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, act, number.name)
        except (NotImplementedError, ValueError, RuntimeError):
            break
        signals.append(number)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
