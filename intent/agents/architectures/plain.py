"""The plain architecture: one prompt, one reply, one label.

The chain-of-thought architecture: thinking first, then a stated decision.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.architectures.base import (
    ModelAgent,
    Options,
    Readout,
    Response,
    Stages,
    ask_until_read,
    choosing,
    decision_of,
    free,
    join_reasoning,
    read_label,
    read_options,
    read_stated_label,
    reminded,
    response_of,
    staged,
)
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.prompt_set import PromptSet
from intent.play.match import View

__all__ = ["ChainOfThoughtAgent", "ChainOfThoughtOptions", "PlainAgent"]


class PlainAgent(ModelAgent):
    """A language model that is asked once per decision, and again where its reply cannot be read.

    1. The prompt set renders the view; the settings of the seat and the labels of the view go with it.
    2. Reasoning is taken out of the reply, and the plan's parser reads the rest.
    3. A reply that cannot be read is asked for again up to ``reply.retries`` times: the same prompt, or,
       with ``reply.remind``, followed by the last reply and a reminder of what is expected.
    4. Then the move is missing, the plan's default, or missing and the last of the game.

    It has no options, and does not use the generator of random numbers.

    Parameters
    ----------
    plan : GamePlan
    seat : int, from 1
    prompts : PromptSet

    Raises
    ------
    UsageError
        Options, or ``then: default`` without a default, or one that is no action of the game.
    """

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        super().__init__(plan, seat, prompts)
        read_options(Options, self._seat, plan)

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move; `rng` is not used."""
        plan, settings = self._plan, choosing(self._seat, view, self._plan)
        settled = await ask_until_read(
            ask,
            self._prompts.render(view, plan, "choose"),
            settings,
            lambda text: read_label(text, view.actions, plan, settings),
            plan.reply,
            lambda: self._prompts.remind(plan.language, settings.choices, plan.reply.parser),
        )
        return decision_of(settled, plan.reply)


class ChainOfThoughtOptions(Options):
    """Options of the architecture.

    Attributes
    ----------
    stages : {"auto", "together", "apart"}
        Thinking and decision in one reply, or in two calls; auto is apart where the seat's replies are
        constrained.
    """

    stages: Stages = "auto"


class ChainOfThoughtAgent(ModelAgent):
    """A language model that is asked to think step by step before it decides.

    together
        One call; the reply ends with ``DECISION: label``, which is read wherever it is stated last.
    apart
        A call for the thinking, not constrained, then one for the label alone, which sees the thinking.

    All that is thought is the move's reasoning: no other player sees it, nor does a later round of the seat
    itself. Replies that cannot be read are asked for again as in `PlainAgent`; the thinking of the first
    call of two is asked for once.

    References
    ----------
    Wei et al. 2022, Chain-of-thought prompting elicits reasoning in large language models.

    Raises
    ------
    UsageError
        Unknown options, or ``then: default`` without a default.
    """

    blocks: ClassVar[frozenset[str]] = frozenset({"chain_of_thought"})

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        super().__init__(plan, seat, prompts)
        self._stages = _stages(plan, self._seat)

    @classmethod
    def calls(cls, plan: GamePlan, seat: SeatPlan) -> tuple[int, int]:
        """Calls per round, the message of a message phase included, as expected and at most."""
        first = int(_stages(plan, seat) == "apart") + int(plan.communication != "none")
        return first + 1, first + 1 + plan.reply.retries

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move; `rng` is not used."""
        plan, settings = self._plan, choosing(self._seat, view, self._plan)
        request = "choose_reasoned" if self._stages == "together" else "think"
        messages = self._prompts.render(view, plan, "choose", self._inside(request))
        options = self._prompts.say("or", plan).join(settings.choices)
        thought: Response | None = None
        if self._stages == "apart":
            thought = response_of(await ask(messages, free(settings), purpose="think"))
            messages = reminded(
                messages, thought.text, self._prompts.say("decide_now", plan, options=options)
            )
        else:
            settings = free(settings).model_copy(update={"choices": settings.choices})
        settled = await ask_until_read(
            ask,
            messages,
            settings,
            lambda text: read_stated_label(text, view.actions, plan, settings),
            plan.reply,
            lambda: self._prompts.say("remind_decision", plan, options=options),
        )
        return decision_of(
            settled, plan.reply, reasoning=_thinking(thought, settled), details={"stages": self._stages}
        )


def _stages(plan: GamePlan, seat: SeatPlan) -> str:
    return staged(read_options(ChainOfThoughtOptions, seat, plan).stages, seat.settings)


def _thinking(thought: Response | None, settled: Readout) -> str | None:
    """The first call's reply, or the one reply itself where it is more than a label."""
    last = settled.last
    if thought is not None:
        return join_reasoning(thought.reasoning, thought.text, last.reasoning)
    bare = replace(last, text="") if last.text == settled.reading.action else last
    return join_reasoning(bare.reasoning, bare.text)
