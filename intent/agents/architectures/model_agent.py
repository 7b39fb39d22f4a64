"""What every agent with one voice has: a plan, a seat, prompts, messages, answers to questions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.architectures.deciding import as_answer, check_default, cut, free, heard
from intent.agents.architectures.questioning import asked_question
from intent.agents.plan import GamePlan
from intent.agents.prompts.history import LONGEST_MESSAGE
from intent.agents.prompts.inside import Inside
from intent.agents.prompts.prompt_set import PromptSet
from intent.agents.seat_columns import seat_columns
from intent.agents.tools.fixed import check_attitude
from intent.play.view import View

__all__ = ["ModelAgent"]


class ModelAgent:
    """The part of a language model's agent that is alike in the architectures of one voice.

    A message of a message phase is one call: the whole reply without its reasoning. So is the answer to a
    comprehension question: what cannot be read is a result (misunderstanding), not a fault to be repaired, so
    nothing is asked twice.

    Parameters
    ----------
    plan : GamePlan
    seat : int, from 1
    prompts : PromptSet

    Attributes
    ----------
    blocks : frozenset of str, of the class
        Blocks of the prompt that are kept for the architecture.
    answers_as_it_decides : bool, of the class
        Whether a comprehension question goes the way of a decision, with its calls, instead of taking one.

    Raises
    ------
    UsageError
        ``then: default`` without a default, or one that is no action of the game; an unknown attitude.
    """

    blocks: ClassVar[frozenset[str]] = frozenset()
    answers_as_it_decides: ClassVar[bool] = False

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        self._plan, self._seat, self._prompts = plan, plan.seats[seat - 1], prompts
        check_default(plan)
        check_attitude(plan, seat)

    @property
    def columns(self) -> Mapping[str, Any]:
        """Model, persona, architecture, attitude and the plan's own columns of the seat."""
        return MappingProxyType({"model": self._seat.player, **seat_columns(self._seat)})

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The message: the whole reply without its reasoning; an empty one is silence."""
        messages = self._prompts.render(view, self._plan, "message", self._inside())
        last = heard(await ask(messages, free(self._seat.settings), purpose="message"))
        text = cut(last.text, LONGEST_MESSAGE) or None
        return Decision(
            None, message=text, reasoning=last.reasoning, reply=last.reference, prompt=last.reference
        )

    async def answer(self, question: str, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The answer to the question of this name, as given, without its reasoning."""
        values = asked_question(question, view, self._plan, self._prompts)
        messages = self._prompts.render(view, self._plan, "choose", self._inside("question", **values))
        last = heard(await ask(messages, free(self._seat.settings), purpose="question"))
        return Decision(
            None,
            message=as_answer(last.text),
            reasoning=last.reasoning,
            reply=last.reference,
            prompt=last.reference,
        )

    def _inside(self, request: str | None = None, **values: object) -> Inside:
        return Inside(request=request, blocks=self.blocks, values=values)
