"""What an architecture adds to what its seat is shown: a role, a request, its own thoughts, values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["NOTHING", "Inside", "Role"]

Role = Literal["player", "decider", "assistant"]
"""Whose prompt: the player's own, or one of the two that debate in the player's place."""


@dataclass(frozen=True, eq=False)
class Inside:
    """What a prompt says beyond the view.

    Parameters
    ----------
    role : {"player", "decider", "assistant"}
        The decider is not told the payoffs; the assistant is, and does not decide.
    request : str, optional
        Block that asks for something; None is that of the phase (``choose``, ``choose_json``,
        ``communicate``).
    blocks : frozenset of str
        Further blocks that are kept, such as ``tool``.
    thoughts : mapping of round -> text
        The player's own private thoughts of past rounds; of these only rounds that the history shows are
        told. Never given to anybody else's prompt.
    values : mapping
        Further placeholders, such as ``advised``.
    """

    role: Role = "player"
    request: str | None = None
    blocks: frozenset[str] = frozenset()
    thoughts: Mapping[int, str] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)


NOTHING = Inside()
"""The plain architecture."""
