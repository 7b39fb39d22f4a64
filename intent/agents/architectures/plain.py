"""The plain architecture: one prompt, one reply, one label."""

from __future__ import annotations

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.architectures.deciding import (
    ask_until_read,
    choosing,
    decided,
    read_label,
)
from intent.agents.architectures.model_agent import ModelAgent
from intent.agents.architectures.options import Options, read_options
from intent.agents.plan import GamePlan
from intent.agents.prompts.prompt_set import PromptSet
from intent.play.view import View

__all__ = ["PlainAgent"]


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
        return decided(settled, plan.reply)
