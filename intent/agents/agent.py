"""What takes a seat in a live game: it is shown a view, may ask a language model, and decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from intent.agents.client import Message, Reply, Settings, Tool
from intent.play.match import MoveStatus, View

__all__ = ["Agent", "Answer", "Answering", "Ask", "Decision"]


@dataclass(frozen=True)
class Answer:
    """A reply and the name it is stored by.

    Parameters
    ----------
    reference : ``<game_id>/<round>/<seat>/<attempt>``, the key of the table of calls
    """

    reply: Reply
    reference: str


class Ask(Protocol):
    """Asks the seat's model; given to an agent for one turn by whoever drives the game.

    Calls of a turn are numbered in the order in which they are made, so that a resumed game is
    answered from the store. An agent must therefore depend on nothing but view, rng and answers.
    """

    async def __call__(
        self,
        messages: Sequence[Message],
        settings: Settings | None = None,
        *,
        purpose: str = "choose",
        tools: Sequence[Tool] = (),
    ) -> Answer:
        """The answer; None as settings means those of the seat."""
        ...


@dataclass(frozen=True)
class Decision:
    """A move, a message or an answer, and what came with it.

    Parameters
    ----------
    action : a label of the game; None where the status is missing, and for messages and answers
    status : {"parsed", "defaulted", "missing"}
    message : str or None
        Public text: the message of a message phase, or text that goes with the move, which the others see
        from the next round on. Of an answer to a comprehension question: the answer, which nobody sees.
    private_thought, reasoning : never shown to other players
    reply, prompt : references into the table of calls
    end : whether the game is to end after this round, because no reply could be read
    advice : the action that a tool or an assistant advised
    details : mapping, JSON-able
        What else the architecture records of this decision (`intent.base.codebook.DETAILS`).
    """

    action: str | None
    status: MoveStatus = "parsed"
    message: str | None = None
    private_thought: str | None = None
    reasoning: str | None = None
    reply: str | None = None
    prompt: str | None = None
    end: bool = False
    advice: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


class Agent(Protocol):
    """Whoever takes a seat.

    Attributes
    ----------
    columns : mapping
        What the log's seats table says of it: model, strategy, persona and so on.
    """

    @property
    def columns(self) -> Mapping[str, Any]: ...

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move for the round that the view asks for."""
        ...

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The message for this round's message phase; `Decision.message` None stays silent."""
        ...


@runtime_checkable
class Answering(Protocol):
    """An agent that comprehension questions can be put to: one that asks a language model."""

    async def answer(self, question: str, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The answer to a question, as `Decision.message`; `view` is that of the round to come."""
        ...
