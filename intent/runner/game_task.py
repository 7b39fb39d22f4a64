"""One game, played by agents: asks all whose turn it is at once and hands their moves to the referee."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from intent.agents.agent import Agent, Ask, Decision
from intent.agents.clients.fields import clean
from intent.agents.plan import GamePlan
from intent.play.referee import Referee
from intent.play.rounds import Move, QuestionAnswer, Round
from intent.runner.questioning import ask_questions
from intent.runner.staging import stage
from intent.runner.together import together

__all__ = ["play_game"]


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
