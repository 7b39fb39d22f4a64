"""How many calls of a language model a round and a question take, by architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan

__all__ = ["CallCount", "question_calls", "round_calls"]


class CallCount(NamedTuple):
    """Calls of a seat.

    Attributes
    ----------
    expected : float
        Where every reply can be read.
    most : int
        Where none can.
    """

    expected: float
    most: int


def round_calls(plan: GamePlan, seat: int) -> CallCount:
    """Calls of one round, those of a message phase included, questions aside.

    An architecture says itself what it takes: ``calls(plan, seat_plan) -> (expected, most)``, a class method.
    One that does not is taken to ask once, and again where its reply cannot be read.

    Parameters
    ----------
    plan : GamePlan
    seat : int, from 1

    Raises
    ------
    UnknownNameError
        No such architecture.
    UsageError
        Options that it does not have.
    """
    from intent.agents.build import architecture

    mine = plan.seats[seat - 1]
    stated = getattr(architecture(mine.architecture), "calls", None)
    if stated is not None:
        return CallCount(*stated(plan, mine))
    spoken = _spoken(plan)
    return CallCount(spoken + 1, spoken + 1 + plan.reply.retries)


def question_calls(plan: GamePlan, seat: int) -> CallCount:
    """Calls of one comprehension question; an answer that cannot be read is not asked for again.

    Parameters
    ----------
    plan : GamePlan
    seat : int, from 1

    Raises
    ------
    UnknownNameError, UsageError
        As `round_calls`.
    """
    from intent.agents.build import architecture

    if not getattr(architecture(plan.seats[seat - 1].architecture), "answers_as_it_decides", False):
        return CallCount(1, 1)
    spoken, found = _spoken(plan), round_calls(plan, seat)
    return CallCount(found.expected - spoken, found.most - spoken - plan.reply.retries)


def _spoken(plan: GamePlan) -> int:
    return int(plan.communication != "none")
