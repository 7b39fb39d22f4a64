"""A human at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.agents.human_view import describe
from intent.agents.plan import GamePlan
from intent.agents.players import HUMAN
from intent.agents.seat_columns import seat_columns
from intent.agents.terminal import Terminal, standard_terminal
from intent.errors import UsageError
from intent.play.view import View

__all__ = ["HumanAgent"]


class HumanAgent:
    """Shows the view and reads the choice; nonsense is asked for again.

    The log calls the player ``human``, one subject across games.

    Parameters
    ----------
    plan : GamePlan
    seat : int, from 1
    terminal : Terminal, optional
        By default standard input and standard error.
    """

    def __init__(self, plan: GamePlan, seat: int, terminal: Terminal | None = None) -> None:
        self._plan = plan
        self._seat = seat
        self._terminal = terminal or standard_terminal()

    @property
    def columns(self) -> Mapping[str, Any]:
        """Persona and name, with `player` and `architecture` human."""
        return {**seat_columns(self._plan.seats[self._seat - 1]), "player": HUMAN, "architecture": HUMAN}

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The action of the label, or of its number in the list, that is typed.

        Raises
        ------
        UsageError
            The input has ended.
        """
        labels = list(view.actions)
        if self._plan.listed_first in labels:
            labels.sort(key=lambda label: label != self._plan.listed_first)
        by_text = {str(i): label for i, label in enumerate(labels, start=1)}
        by_text |= {label.casefold(): label for label in labels}
        listed = ", ".join(f"{i} = {label}" for i, label in enumerate(labels, start=1))
        action = await self._ask(
            f"{self._shown(view)}\nYour choice ({listed}): ",
            lambda line: by_text.get(line.strip().casefold()),
            f"Please type one of {listed}: ",
            f"a choice, one of {', '.join(labels)}",
        )
        return Decision(action)

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The line that is typed, None where it is empty.

        Raises
        ------
        UsageError
            The input has ended.
        """
        text = await self._ask(
            f"{self._shown(view)}\nYour message (empty to stay silent): ", str.strip, "", "a message"
        )
        return Decision(None, message=text or None)

    def _shown(self, view: View) -> str:
        names = [seat.name for seat in self._plan.seats]
        return f"\n[{self._plan.game_id}] {describe(view, names, self._plan.memory)}"

    async def _ask(
        self, question: str, understand: Any, hint: str | Callable[[str], str], wanted: str
    ) -> str:
        """What is typed, once it is understood; `wanted` is for the error where the input ends."""
        try:
            answer: str = await self._terminal.ask(question, understand, hint)
        except EOFError:
            raise UsageError(
                f"{self._plan.game_id}, seat {self._seat}: the input has ended, expected {wanted}"
            ) from None
        return answer
