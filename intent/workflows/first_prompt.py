"""What an agent asks first, and at its further stages, without asking anybody."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.agents.agent import Agent
    from intent.agents.client import Message
    from intent.agents.plan import GamePlan
    from intent.play.view import View

__all__ = ["FirstPrompt", "first_prompt", "invented_view", "stage_prompts"]


UNSAID = "…"
"""Stands for a reply that nobody has given."""


class FirstPrompt(BaseException):
    """The first request of an agent; raised in place of an answer, so that no agent can go on without one.

    Parameters
    ----------
    messages : tuple of Message
    tools : tuple of mappings
    purpose : str
        As the table of calls names it.
    """

    def __init__(
        self,
        messages: Sequence[Message] = (),
        tools: Sequence[Mapping[str, Any]] = (),
        purpose: str = "choose",
    ) -> None:
        super().__init__()
        self.messages, self.tools, self.purpose = tuple(messages), tuple(tools), purpose

    @property
    def text(self) -> str:
        """The messages, one below the other."""
        return "\n\n".join(message.content for message in self.messages)


def first_prompt(agent: Agent, view: View) -> FirstPrompt:
    """The first request for a decision: of the first stage, where there are several.

    Parameters
    ----------
    agent : Agent
    view : View

    Returns
    -------
    FirstPrompt
        Without messages where the agent asks nothing.
    """
    return next(iter(stage_prompts(agent, view, most=1)), FirstPrompt())


def stage_prompts(agent: Agent, view: View, *, most: int = 10) -> list[FirstPrompt]:
    """The first request of each purpose that a decision has: thinking and choosing, advising and deciding.

    Every request before the last is answered with `UNSAID`, which later ones may show.

    Parameters
    ----------
    agent : Agent
    view : View
    most : int
        Requests to collect.
    """
    import numpy as np

    from intent.agents.agent import Answer
    from intent.agents.client import Reply

    found: list[FirstPrompt] = []

    async def ask(
        messages: Sequence[Message], settings: Any = None, *, purpose: str = "choose", tools: Any = ()
    ) -> Answer:
        if all(one.purpose != purpose for one in found):
            found.append(FirstPrompt(messages, tools, purpose))
            if len(found) < most:
                return Answer(Reply(text=UNSAID), "")
        raise FirstPrompt()

    choosing: Coroutine[Any, Any, Any] = agent.choose(view, ask, np.random.default_rng(0))
    try:
        choosing.send(None)
    except (FirstPrompt, StopIteration):
        pass
    finally:
        choosing.close()
    return found


def invented_view(plan: GamePlan, seat: int, number: int) -> View:
    """What a seat sees in a round, after others in which seats 1, 3, … took the first action.

    Parameters
    ----------
    plan : GamePlan
    seat, number : int, from 1
    """
    import numpy as np

    from intent.play.horizon import Horizon
    from intent.play.referee import Referee

    stage = plan.stage()
    told = plan.horizon()
    referee = Referee(stage, Horizon(max(number, plan.rounds), told.known), rng=np.random.default_rng(0))
    for _ in range(number - 1):
        for each in referee.pending():
            referee.submit(each, stage.actions[(each - 1) % 2])
    view = replace(referee.view(seat), implementation_error=plan.implementation_error)
    if told.continuation is None:
        return view
    return replace(view, horizon=None, continuation=told.continuation if told.known else None)
