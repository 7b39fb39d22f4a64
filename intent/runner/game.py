"""One game, played by agents: asks all whose turn it is at once and hands their moves to the referee.

Comprehension questions between two rounds, put to every seat that can be asked.

The referee and the random streams of a planned game; the same whenever it is played.

Several seats asked at once.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from intent.agents.agent import Agent, Answering, Ask, Decision
from intent.agents.clients.bodies import clean
from intent.agents.plan import GamePlan
from intent.play.match import Move, QuestionAnswer, Round, View
from intent.play.referee import Referee

__all__ = ["ask_questions", "play_game", "stage", "together"]


def stage(plan: GamePlan) -> tuple[Referee, list[np.random.Generator]]:
    """The referee of a game, and a random stream for every seat.

    The streams of horizon and seats are spawned from the plan's seed, in this order, as
    `intent.play.referee.play` does; implementation errors have one of their own, spawned after them. So the
    draws of a seat depend on nothing that other seats or games do, and a game resumed has the errors it had.

    Parameters
    ----------
    plan : GamePlan

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

    Parameters
    ----------
    plan : GamePlan
    agents : sequence of Agent, by seat
    referee : Referee
        It has completed the round.
    asks : mapping of seat -> Ask
        Those of the round, whose calls are counted on.
    streams : sequence of numpy Generator, by seat

    Returns
    -------
    tuple of QuestionAnswer, by seat and question

    Raises
    ------
    Exception
        Whatever an agent raises, once the others have answered.

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
    plan : GamePlan
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
