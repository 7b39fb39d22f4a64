"""The pieces of a streamed chat reply, put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["Streamed"]


class Streamed:
    """Takes the pieces as they come, and asks after each whether to go on.

    Parameters
    ----------
    enough : callable
        Whether to stop here.

    Attributes
    ----------
    text, reasoning : str
    finish_reason : str or None
        None until the reply is whole.
    created : float or None
    usage : mapping
    error : mapping or None
    """

    def __init__(self, enough: Callable[[], bool]) -> None:
        self._enough = enough
        self.text, self.reasoning = "", ""
        self.finish_reason: str | None = None
        self.created: float | None = None
        self.usage: Mapping[str, Any] = {}
        self.error: Mapping[str, Any] | None = None

    def take(self, piece: Mapping[str, Any]) -> bool:
        """Add a piece; whether to stop."""
        if "error" in piece:
            self.error = piece["error"]
            return True
        self.created = piece.get("created", self.created)
        self.usage = piece.get("usage") or self.usage
        for choice in piece.get("choices") or ():
            delta = choice.get("delta") or {}
            self.text += delta.get("content") or ""
            self.reasoning += delta.get("reasoning_content") or ""
            self.finish_reason = choice.get("finish_reason") or self.finish_reason
        return self.finish_reason is None and self._enough()
