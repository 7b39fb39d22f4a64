"""A conversation in which user and assistant strictly alternate."""

from __future__ import annotations

from intent.agents.client import Message

__all__ = ["Turns"]


class Turns:
    """Messages in the making: what is said to the player until it answers becomes one message.

    Parameters
    ----------
    system : str
        The first message; left out where it is empty.
    """

    def __init__(self, system: str = "") -> None:
        self._messages = [Message("system", system)] if system else []
        self._said: list[str] = []

    def user(self, *parts: str) -> None:
        """Say another paragraph, each part on a line of its own."""
        if parts:
            self._said.append("\n".join(parts))

    def assistant(self, text: str) -> None:
        """What the player answered."""
        self._close()
        self._messages.append(Message("assistant", text))

    def messages(self) -> tuple[Message, ...]:
        """All messages so far."""
        self._close()
        return tuple(self._messages)

    def _close(self) -> None:
        if self._said:
            self._messages.append(Message("user", "\n\n".join(self._said)))
            self._said = []
