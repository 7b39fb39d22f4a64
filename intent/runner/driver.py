"""Plays the unfinished games of a run, many at a time, until all are over or something stops it.

What was answered before comes from the store, the rest from the models; every group of players gets its
share of the games in flight. Ctrl-C once ends a run cleanly, twice at once.
"""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from intent.agents.agent import Agent, Answer
from intent.agents.client import Message, Settings, Tool
from intent.agents.plan import GamePlan
from intent.base.errors import BudgetSpent, EndpointError, IntentError, RetryableError, RunError, shorten
from intent.base.masking import redact
from intent.play.match import QuestionAnswer, Round
from intent.runner.caller import Called, CallKey, Failure, Request, call_name, draw_text
from intent.runner.game import play_game
from intent.runner.store import CallRows, RecordedCall, RunStore

__all__ = ["Calling", "Desk", "Driver", "Outcome", "Schedule", "Stop", "on_signals", "outcome_of"]


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
    taken = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, act, number.name)
        except (NotImplementedError, ValueError, RuntimeError):
            break
        taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            loop.remove_signal_handler(number)
