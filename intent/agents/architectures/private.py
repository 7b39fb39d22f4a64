"""Private deliberation: thoughts that no other player sees, before public text that may deceive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.architectures.deciding import as_answer, cut, free, heard
from intent.agents.architectures.deliberation import PublicAgent, deliberation_stages, whole
from intent.agents.architectures.questioning import asked_question
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.facts import listed
from intent.agents.prompts.history import LONGEST_MESSAGE
from intent.agents.prompts.inside import Inside
from intent.agents.prompts.prompt_set import PromptSet
from intent.agents.replies.private_text import PrivateText, split_private
from intent.agents.replies.public_text import without_traces
from intent.play.view import Phase, View

__all__ = ["PrivateAgent"]


class PrivateAgent(PublicAgent):
    """A language model that thinks in private what the others never see, and writes what they do.

    Three thoughts, on the first option, on the second, and on what to let the others believe; then public
    text, then the decision.

    together
        One call, the thoughts inside double braces (`intent.agents.replies.split_private`), and a last line
        ``DECISION: label``, which counts in the public part only.
    apart
        A call for each; braces in the public text are taken out too.

    The public text goes where that of `PublicAgent` goes; in a game with messages the thoughts come before
    the message, and belong to the move of the round. Own thoughts of the rounds that the plan's `memory`
    holds come back in later prompts; no other player's prompt has them.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, 3.1 and 4 (memory of two iterations).

    Raises
    ------
    UsageError
        Unknown options, or ``then: default`` without a default.
    """

    blocks: ClassVar[frozenset[str]] = frozenset({"private"})
    _at_once: ClassVar[str] = "deliberate"

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        super().__init__(plan, seat, prompts)
        self._thoughts: dict[int, str] = {}
        self._labels = plan.stage().actions

    @classmethod
    def calls(cls, plan: GamePlan, seat: SeatPlan) -> tuple[int, int]:
        """Calls per round, the message of a message phase included, as expected and at most."""
        thinking = len(plan.stage().actions) + 1 if deliberation_stages(plan, seat) == "apart" else 0
        expected, most = super().calls(plan, seat)
        return expected + thinking, most + thinking

    async def answer(self, question: str, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The answer to the question of this name: the end of the public part of the reply."""
        values = asked_question(question, view, self._plan, self._prompts)
        messages = self._prompts.render(view, self._plan, "choose", self._inside("question", **values))
        last = heard(await ask(messages, free(self._seat.settings), purpose="question"))
        part = split_private(last.text)  # no other player reads an answer, so any object may hold it
        return Decision(
            None,
            message=as_answer(part.public),
            private_thought=whole(part.private),
            reasoning=last.reasoning,
            reply=last.reference,
            prompt=last.reference,
        )

    def _requests(self, view: View, phase: Phase) -> list[tuple[str, dict[str, object]]]:
        if self._stages == "together":
            return [("communicate_private", {})]
        options = listed(view.actions, self._plan.listed_first)
        thoughts: list[tuple[str, dict[str, object]]]
        thoughts = [("think_option", {"thought_option": option}) for option in options]
        return [*thoughts, ("think_deceive", {}), *super()._requests(view, phase)]

    def _inside(self, request: str | None = None, **values: object) -> Inside:
        return Inside(request=request, blocks=self.blocks, thoughts=dict(self._thoughts), values=values)

    def _part(self, text: str) -> PrivateText:
        found = split_private(text, self._labels)
        return replace(found, public=without_traces(found.public)) if found.private else found

    def _remember(self, number: int, private: str) -> None:
        if private:
            self._thoughts[number] = cut(private, LONGEST_MESSAGE)
        if self._plan.memory is not None:
            first = number + 1 - self._plan.memory
            self._thoughts = {at: text for at, text in self._thoughts.items() if at >= first}

    def _details(self, part: PrivateText) -> Mapping[str, Any]:
        return {"stages": self._stages, "blocks": part.blocks, "unbalanced": part.unbalanced}
