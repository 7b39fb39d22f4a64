"""The two conversations of a debate, with mirrored roles over one exchange of words. No I/O."""

from __future__ import annotations

from intent.agents.architectures.conversation import follow, with_more
from intent.agents.architectures.deciding import cut
from intent.agents.client import Message
from intent.agents.prompts.history import LONGEST_MESSAGE

__all__ = ["SILENCE", "TwoSides"]

SILENCE = "…"
"""Stands for a turn without words; endpoints refuse empty messages."""


class TwoSides:
    """What each side is shown: its own words as the model's, the other's as the user's.

    The assistant speaks first, so its first words follow the opening of the decision maker, in one message.
    Of every turn at most `LONGEST_MESSAGE` characters are shown on.

    Parameters
    ----------
    assistant, decider : tuple of Message
        The opening of each.

    Attributes
    ----------
    assistant, decider : tuple of Message
        What each is asked with when it is its turn.
    opening : tuple of Message
        That of the decision maker.
    transcript : list of (speaker, text)
    """

    def __init__(self, assistant: tuple[Message, ...], decider: tuple[Message, ...]) -> None:
        self.assistant, self.decider, self.opening = assistant, decider, decider
        self.transcript: list[tuple[str, str]] = []

    def advise(self, text: str) -> None:
        """The assistant's turn."""
        own = self._last()
        self._add("assistant", text)
        shown = self._last()
        self.decider = follow(self.decider, own, shown) if own else with_more(self.decider, shown)

    def respond(self, text: str) -> None:
        """The decision maker's turn."""
        advice = self._last()
        self._add("decider", text)
        self.assistant = follow(self.assistant, advice, self._last())

    def closing(self, request: str) -> tuple[Message, ...]:
        """What the decision maker is asked with at the end of the debate."""
        if self.transcript and self.transcript[-1][0] == "decider":
            return follow(self.decider, self._last(), request)
        return with_more(self.decider, request)

    def _last(self) -> str:
        return self.transcript[-1][1] if self.transcript else ""

    def _add(self, speaker: str, text: str) -> None:
        self.transcript.append((speaker, cut(text.strip(), LONGEST_MESSAGE) or SILENCE))
