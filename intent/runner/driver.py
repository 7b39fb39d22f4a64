"""Plays the unfinished games of a run, many at a time, until all are over or something stops it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from intent.agents.agent import Agent
from intent.agents.plan import GamePlan
from intent.errors import BudgetSpent, EndpointError, IntentError, RunError, shorten
from intent.masking import redact
from intent.play.rounds import QuestionAnswer, Round
from intent.runner.asking import Desk, Hopeless, SeatAsk
from intent.runner.game_task import play_game
from intent.runner.keys import CallKey
from intent.runner.schedule import Schedule
from intent.runner.store import RunStore

__all__ = ["Driver", "Stop"]

Cause = Literal["signal", "budget", "endpoint", "error"]


@dataclass(frozen=True)
class Stop:
    """Why a run stopped before all games were over.

    Parameters
    ----------
    cause : {"signal", "budget", "endpoint", "error"}
    reason : str
    error : IntentError, optional
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
    store : RunStore
    desk : Desk
    agents_of : from a plan to its agents, by seat
    window : int
        Games in flight.
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
            found = await asyncio.gather(*workers, stopped, hurry, return_exceptions=True)
        for one in found:
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
        answered = store.games.answers.of_game(game)
        agents = self._agents_of(plan)
        store.games.begin(game, [agent.columns for agent in agents])

        def ask_of(number: int, seat: int) -> SeatAsk:
            return SeatAsk(self._desk, plan, recorded, CallKey(game, number, seat, 0))

        def keep(played: Round, ended: bool, cut: bool, answers: tuple[QuestionAnswer, ...]) -> None:
            number = played.number
            if recorded and ended:
                raise RunError(_unasked(plan, min(recorded)))
            if (kept := before.get(number)) is None:
                store.games.keep(game, played, ended=ended, cut=cut, answers=answers)
            elif kept != {move.seat: move.submitted for move in played.moves}:
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
