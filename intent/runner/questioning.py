"""Comprehension questions between two rounds, put to every seat that can be asked."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from intent.agents.agent import Agent, Answering, Ask
from intent.agents.plan import GamePlan
from intent.play.referee import Referee
from intent.play.rounds import QuestionAnswer
from intent.play.view import View
from intent.runner.together import together

__all__ = ["ask_questions"]


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
    asked: list[Awaitable[tuple[QuestionAnswer, ...]]] = []
    for seat in range(1, len(plan.seats) + 1) if plan.questions else ():
        agent = agents[seat - 1]
        if plan.seats[seat - 1].kind == "model" and isinstance(agent, Answering):
            view = replace(referee.view(seat), round=number + 1, phase="choose")
            asked.append(_of_seat(plan, agent, view, asks[seat], streams[seat - 1]))
    return tuple(answer for answers in await together(asked) for answer in answers)


async def _of_seat(
    plan: GamePlan, agent: Answering, view: View, ask: Ask, rng: np.random.Generator
) -> tuple[QuestionAnswer, ...]:
    found = []
    for question in plan.questions:
        decision = await agent.answer(question, view, ask, rng)
        found.append(QuestionAnswer(view.round - 1, view.seat, question, decision.message, decision.reply))
    return tuple(found)
