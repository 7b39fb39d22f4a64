"""Answers from the store what was answered before, and asks the model the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from intent.agents.agent import Answer
from intent.agents.client import Message, Settings, Tool
from intent.agents.plan import GamePlan
from intent.errors import BudgetSpent, IntentError, RetryableError, RunError
from intent.runner.call_rows import CallRows
from intent.runner.called import Called, Failure
from intent.runner.keys import CallKey, Request, call_name, draw_text
from intent.runner.recorded import RecordedCall

__all__ = ["Calling", "Desk", "Hopeless", "SeatAsk"]


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
    """No further call can succeed: a refused key, a setting not honoured, a spent budget, nobody there.

    Parameters
    ----------
    error : IntentError
    """

    def __init__(self, error: IntentError) -> None:
        super().__init__(str(error))
        self.error = error


class Desk:
    """Where the seats of all games ask.

    Parameters
    ----------
    calls : CallRows
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
        key, told = request.key, 0

        def on_send() -> None:
            self._calls.sent(key)
            self._waiting.discard(task)

        def on_failure(failure: Failure) -> None:
            nonlocal told
            told += 1
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
            self._calls.failed(key, failures[told:] if failures else [] if unsent else [error])
            if isinstance(error, IntentError) and not isinstance(error, RetryableError):
                raise Hopeless(error) from error
            if isinstance(error, RetryableError) and request.player not in self._heard:
                raise Hopeless(error) from error
            raise
        finally:
            self._waiting.discard(task)
        self._heard.add(request.player)
        self._calls.answered(request, called, called.failures[told:])
        self._on_answer()
        return called


class SeatAsk:
    """What a seat asks with during one round; its calls are counted over both phases.

    Parameters
    ----------
    desk : Desk
    plan : GamePlan
    recorded : dict
        What was answered before in this game; what is asked again leaves it.
    at : CallKey
        The place of the seat in the round, attempt 0.
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
        """The answer; None as settings means those of the seat.

        Raises
        ------
        RunError
            The recorded call was asked something else.
        RetryableError
            The model gave no usable answer, after all tries.
        Hopeless
            No other call will succeed either.
        """
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
        elif known.asked == request.digest:
            reply = known.reply
        else:
            raise RunError(
                f"game {plan.game_id}, round {key.round}, seat {key.seat}, attempt {key.attempt}: the stored "
                "call asked something else, expected the same request: the prompts or agents changed"
            )
        return Answer(reply, call_name(plan.game_id, key))
