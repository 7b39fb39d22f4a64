"""The plain architecture: one prompt, one reply, one label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from intent.agents.agent import Answer, Ask, Decision
from intent.agents.client import Message, Settings
from intent.agents.plan import GamePlan
from intent.agents.prompts.facts import listed
from intent.agents.prompts.history import LONGEST_MESSAGE
from intent.agents.prompts.prompt_set import PromptSet
from intent.agents.replies import Reading, read_reply, strip_reasoning
from intent.agents.seat_columns import seat_columns
from intent.errors import UsageError, shorten
from intent.play.view import View

__all__ = ["LONGEST_MESSAGE", "LONGEST_REASONING", "PlainAgent"]

LONGEST_REASONING = 20_000
"""Characters of reasoning that a move keeps; the stored reply has all of it."""

CUT = " […]"
"""Stands for what is beyond; messages to the others have `LONGEST_MESSAGE` characters too."""


class PlainAgent:
    """A language model that is asked once per decision, and again where its reply cannot be read.

    1. The prompt set renders the view; the settings of the seat and the labels of the view go with it.
    2. Reasoning is taken out of the reply, and the plan's parser reads the rest.
    3. A reply that cannot be read is asked for again up to ``reply.retries`` times: the same prompt, or,
       with ``reply.remind``, followed by the last reply and a reminder of what is expected.
    4. Then the move is missing, the plan's default, or missing and the last of the game.

    What others write reaches the prompt as text and nothing else: it is never parsed here.

    Parameters
    ----------
    plan : GamePlan
    seat : int, from 1
    prompts : PromptSet

    Raises
    ------
    UsageError
        ``then: default`` without a default, or one that is no action of the game.
    """

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        self._plan, self._seat, self._prompts = plan, plan.seats[seat - 1], prompts
        actions = plan.stage().actions
        if plan.reply.then == "default" and plan.reply.default not in actions:
            raise UsageError(
                f"{plan.game_id}: reply.default {shorten(plan.reply.default)!r}, "
                f"expected one of {', '.join(actions)}"
            )

    @property
    def columns(self) -> Mapping[str, Any]:
        """Model, persona, architecture, attitude and the plan's own columns of the seat."""
        return MappingProxyType({"model": self._seat.player, **seat_columns(self._seat)})

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move; `rng` is not used."""
        plan, rules = self._plan, self._plan.reply
        base = self._prompts.render(view, plan, "choose")
        settings = self._seat.settings.model_copy(update={"choices": listed(view.actions, plan.listed_first)})
        messages = base
        for _ in range(rules.retries + 1):
            answer = await ask(messages, settings)
            text, reasoning = _parts(answer)
            reading = self._read(text, view, settings)
            if reading.action is not None:
                return Decision(reading.action, **_kept(answer, reasoning))
            if rules.remind:
                messages = self._reminded(base, text, settings.choices)
        if rules.then == "default":
            return Decision(rules.default, "defaulted", **_kept(answer, reasoning))
        return Decision(None, "missing", end=rules.then == "end", **_kept(answer, reasoning))

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The message: the whole reply without its reasoning; an empty one is silence."""
        settings = self._seat.settings.model_copy(update={"constrained": False, "choices": ()})
        messages = self._prompts.render(view, self._plan, "message")
        answer = await ask(messages, settings, purpose="message")
        text, reasoning = _parts(answer)
        return Decision(None, message=_cut(text, LONGEST_MESSAGE) or None, **_kept(answer, reasoning))

    def _read(self, text: str, view: View, settings: Settings) -> Reading:
        """The label; a constrained reply is one by itself, whatever the prompt asked for."""
        reading = read_reply(text, view.actions, self._plan.reply.parser)
        if reading.action is None and settings.constrained:
            return read_reply(text, view.actions, "strict")
        return reading

    def _reminded(self, base: Sequence[Message], reply: str, labels: Sequence[str]) -> tuple[Message, ...]:
        reminder = self._prompts.remind(self._plan.language, labels, self._plan.reply.parser)
        if reply:
            shown = Message("assistant", _cut(reply, LONGEST_MESSAGE))
            return (*base, shown, Message("user", reminder))
        # Endpoints refuse empty messages, and some chat formats two of one role in a row.
        last = base[-1]
        return (*base[:-1], Message(last.role, f"{last.content}\n\n{reminder}"))


def _parts(answer: Answer) -> tuple[str, str | None]:
    """The answer's text, and the reasoning from wherever the endpoint put it."""
    text, inside = strip_reasoning(answer.reply.text)
    thoughts = [thought for thought in (answer.reply.reasoning, inside) if thought]
    return text, _cut("\n\n".join(thoughts), LONGEST_REASONING) or None


def _kept(answer: Answer, reasoning: str | None) -> dict[str, Any]:
    return {"reasoning": reasoning, "reply": answer.reference, "prompt": answer.reference}


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit].rstrip() + CUT
