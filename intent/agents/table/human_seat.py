"""A human at a table, who reads what a language model would read and types the answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.human import HumanAgent
from intent.agents.human_view import harmless
from intent.agents.plan import GamePlan
from intent.agents.prompts.prompt_set import PromptSet
from intent.agents.table.model_seat import check_rules
from intent.agents.table.reading import read_answer
from intent.agents.terminal import Terminal
from intent.games.course import CourseGame
from intent.play.view import View

__all__ = ["HumanTableAgent"]


class HumanTableAgent(HumanAgent):
    """Shows the words of the prompt set and reads the answer; nonsense is asked for again, with the reason.

    The rules are shown in the seat's first turn, and what has happened since in every one. An answer may be
    typed as it is, ``37`` or ``98,0,1,0,1``, or as the JSON object that models are asked for. The log calls
    the player ``human``, one subject across games.

    Parameters
    ----------
    plan : GamePlan
    seat : int, from 1
    prompts : PromptSet, optional
        By default the suite's own.
    terminal : Terminal, optional
        By default standard input and standard error.

    Raises
    ------
    UsageError
        As `intent.agents.table.model_seat.TableAgent`.
    """

    def __init__(
        self, plan: GamePlan, seat: int, prompts: PromptSet | None = None, terminal: Terminal | None = None
    ) -> None:
        super().__init__(plan, seat, terminal)
        self._prompts = prompts or _own_prompts()
        self._told_rules = False
        check_rules(plan)

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The action that is typed.

        Raises
        ------
        UsageError
            The input has ended.
        """
        game, asked = view.game, view.asked
        assert isinstance(game, CourseGame)
        key = game.key(asked)

        def reading(line: str) -> Any:
            return read_answer(line, game, self._seat, asked)

        action = await self._ask(
            f"{self._shown(view)}\nYour answer ({key}): ",
            lambda line: reading(line).action,
            lambda line: f"{harmless(reading(line).why)}. Your answer ({key}): ",
            f"an answer ({key})",
        )
        return Decision(action)

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """Silence."""
        return Decision(None)

    def _shown(self, view: View) -> str:
        messages = self._prompts.render(view, self._plan, "choose")
        rules = [message.content for message in messages[:-1] if message.role == "system"]
        texts = [*([] if self._told_rules else rules), messages[-1].content]
        self._told_rules = True
        lines = "\n\n".join(texts).splitlines()
        return "\n".join((f"\n[{self._plan.game_id}] round {view.round}", *map(harmless, lines)))


def _own_prompts() -> PromptSet:
    from intent.agents.prompts.gamma import gamma_prompts

    return gamma_prompts()
